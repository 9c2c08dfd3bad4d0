# Sourced by POSIX sh, bash, zsh and busybox ash. Defines adlc_alloc_id.
#
# adlc_alloc_id req|bug|lesson
#   prints the bare next number, or nothing and fails. Messages are on stderr. Sets
#   ADLC_ALLOC_DEGRADED to 1 when a remote could not be asked, else to 0; called inside $(…) that
#   stays in the subshell, and the line on stderr is the signal.
# shellcheck shell=sh

adlc_alloc_id() {
  ADLC_ALLOC_DEGRADED=
  if ! _adlc_id_find; then
    echo "adlc_alloc_id: no adlc on PATH — install the plugin, or run install.sh" >&2
    return 1
  fi
  _adlc_id_out=$(command "$_adlc_id_bin" id next --shell -- "${1-}") || return 1
  case $_adlc_id_out in
    *' 0') _adlc_id_flag=0 ;;
    *' 1') _adlc_id_flag=1 ;;
    *) return 1 ;;
  esac
  _adlc_id_out=${_adlc_id_out%" $_adlc_id_flag"}
  case $_adlc_id_out in
    '' | *[!0123456789]*) return 1 ;;
  esac
  # shellcheck disable=SC2034  # for the caller
  ADLC_ALLOC_DEGRADED=$_adlc_id_flag
  printf '%s\n' "$_adlc_id_out"
}

# Sets _adlc_id_bin. PATH is walked by hand: a function or alias must not answer, nor a program that
# lies in the project or in a relative directory.
_adlc_id_find() {
  _adlc_id_rest=${PATH-}:
  case ${HOME-} in /*) _adlc_id_rest=$_adlc_id_rest$HOME/bin:$HOME/.local/bin: ;; esac
  while [ -n "$_adlc_id_rest" ]; do
    _adlc_id_bin=${_adlc_id_rest%%:*}/adlc
    _adlc_id_rest=${_adlc_id_rest#*:}
    case $_adlc_id_bin in
      "${PWD-}"/*) continue ;;
      /*) ;;
      *) continue ;;
    esac
    if [ -f "$_adlc_id_bin" ] && [ -x "$_adlc_id_bin" ]; then
      return 0
    fi
  done
  return 1
}
