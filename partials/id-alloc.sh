# Sourced by POSIX sh, bash, zsh and busybox ash. Defines adlc_alloc_id.
#
# adlc_alloc_id req|bug|lesson
#   prints the bare next number, or nothing and fails. Messages are on stderr. Sets
#   ADLC_ALLOC_DEGRADED to 1 when a remote could not be asked, else to 0; called inside $(…) that
#   stays in the subshell, and the line on stderr is the signal.
# shellcheck shell=sh

# Sets _adlc_found to the absolute path of program ${1}, or to nothing. Walks PATH and then
# _adlc_fallbacks itself, because command -v answers with functions, aliases and stale hashes too.
# Relative entries and entries inside the project do not count: a repository must not provide the
# program. Starts no process. The same lines stand in every partial, for each is sourced alone.
# shellcheck disable=SC3013  # test -ef is not POSIX, but dash, bash, zsh, ash and ksh have it
_adlc_find_program() {
  _adlc_found='' _adlc_project='' _adlc_at=.
  # The outermost project around the working directory; the home directory is none.
  while ! [ "$_adlc_at" -ef / ] && ! [ "$_adlc_at" -ef "${HOME:-/}" ]; do
    if [ -e "$_adlc_at/.git" ] || [ -e "$_adlc_at/.adlc" ]; then
      _adlc_project=$_adlc_at
    fi
    _adlc_at=$_adlc_at/..
    if [ "${#_adlc_at}" -gt 300 ]; then
      unset _adlc_project _adlc_at _adlc_fallbacks
      return 0
    fi
  done
  _adlc_rest=${PATH-}:${_adlc_fallbacks-}:
  while [ -n "$_adlc_rest" ]; do
    _adlc_entry=${_adlc_rest%%:*}
    _adlc_rest=${_adlc_rest#*:}
    case $_adlc_entry in /*) ;; *) continue ;; esac
    if ! [ -f "$_adlc_entry/${1}" ] || ! [ -x "$_adlc_entry/${1}" ]; then
      continue
    fi
    if [ -n "$_adlc_project" ]; then
      _adlc_at=$_adlc_entry
      while ! [ "$_adlc_at" -ef / ] && ! [ "$_adlc_at" -ef "$_adlc_project" ] && [ "${#_adlc_at}" -lt 4000 ]; do
        _adlc_at=$_adlc_at/..
      done
      [ "$_adlc_at" -ef / ] || continue
    fi
    _adlc_found=$_adlc_entry/${1}
    break
  done
  unset _adlc_project _adlc_at _adlc_rest _adlc_entry _adlc_fallbacks
}

adlc_alloc_id() {
  ADLC_ALLOC_DEGRADED=
  case ${HOME-} in
    /*) _adlc_fallbacks=$HOME/.local/bin:$HOME/bin:${CLAUDE_CONFIG_DIR:-$HOME/.claude}/skills/tools/../bin ;;
    *) _adlc_fallbacks= ;;
  esac
  _adlc_find_program adlc
  if [ -z "$_adlc_found" ]; then
    unset _adlc_found
    echo "adlc_alloc_id: no adlc on PATH — install the plugin, or run install.sh" >&2
    return 1
  fi
  _adlc_id_out=$(command "$_adlc_found" id next --shell -- "${1-}") || _adlc_id_out=
  unset _adlc_found
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
