# Sourced by POSIX sh, bash, zsh and busybox ash. The commands of `adlc intake`, for shell fences.
#
# adlc_intake_detect [TEXT]       the request: TEXT, or standard input without an argument. 0: intake runs;
#                                 exports ADLC_INTAKE_REASON, _KIND, _PATH, _INLINE. 1: it does not; they are empty
# adlc_intake_segment PATH        0: exports ADLC_INTAKE_SEGMENTS, _LINES, _CORPUS, _SOURCE. 2: unreadable.
#                                 3: over the budget, nothing was made
# adlc_intake_range N TOTAL       prints `START END`; 2 when there is no such segment
# adlc_intake_redact CORPUS       takes credentials out, in place; 2 when it is not writable or not intake's
# adlc_intake_sections            prints the sections that a source must answer; 2 without a template
# adlc_intake_cleanup CORPUS SOURCE   removes what intake made, and nothing else
#
# A fence hands the request over on standard input, from a file. Text that a skill writes between the
# quotes of an argument would be run by the shell.
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

_adlc_intake() {
  case ${HOME-} in
    /*) _adlc_fallbacks=$HOME/.local/bin:$HOME/bin:${CLAUDE_CONFIG_DIR:-$HOME/.claude}/skills/tools/../bin ;;
    *) _adlc_fallbacks= ;;
  esac
  _adlc_find_program adlc
  if [ -z "$_adlc_found" ]; then
    unset _adlc_found
    echo "adlc_intake: no adlc on PATH — install the plugin, or run install.sh" >&2
    return 127
  fi
  set -- "$_adlc_found" intake "$@"
  unset _adlc_found
  command "$@"
}

adlc_intake_detect() {
  ADLC_INTAKE_REASON='' ADLC_INTAKE_KIND='' ADLC_INTAKE_PATH='' ADLC_INTAKE_INLINE=''
  export ADLC_INTAKE_REASON ADLC_INTAKE_KIND ADLC_INTAKE_PATH ADLC_INTAKE_INLINE
  if [ "$#" -gt 0 ]; then
    _adlc_intake_out=$(printf '%s' "${1}" | _adlc_intake detect --shell -) || return
  else
    _adlc_intake_out=$(_adlc_intake detect --shell -) || return
  fi
  ADLC_INTAKE_REASON=${_adlc_intake_out%% *} _adlc_intake_out=${_adlc_intake_out#* }
  ADLC_INTAKE_KIND=${_adlc_intake_out%% *} _adlc_intake_out=${_adlc_intake_out#* }
  ADLC_INTAKE_INLINE=${_adlc_intake_out%% *} _adlc_intake_out=${_adlc_intake_out#* }
  ADLC_INTAKE_PATH=${_adlc_intake_out%.}
  unset _adlc_intake_out
}

adlc_intake_segment() {
  ADLC_INTAKE_SEGMENTS='' ADLC_INTAKE_LINES='' ADLC_INTAKE_CORPUS='' ADLC_INTAKE_SOURCE=''
  export ADLC_INTAKE_SEGMENTS ADLC_INTAKE_LINES ADLC_INTAKE_CORPUS ADLC_INTAKE_SOURCE
  _adlc_intake_out=$(_adlc_intake segment --shell -- "${1-}" </dev/null) || return
  ADLC_INTAKE_SEGMENTS=${_adlc_intake_out%% *} _adlc_intake_out=${_adlc_intake_out#* }
  ADLC_INTAKE_LINES=${_adlc_intake_out%% *}
  ADLC_INTAKE_CORPUS=${_adlc_intake_out#* }
  ADLC_INTAKE_SOURCE=${1}
  unset _adlc_intake_out
}

adlc_intake_range() {
  _adlc_intake range -- "$@" </dev/null
}

adlc_intake_redact() {
  _adlc_intake redact -- "${1:-/}" </dev/null
}

adlc_intake_sections() {
  _adlc_intake sections </dev/null
}

adlc_intake_cleanup() {
  _adlc_intake clean -- "${1:-/}" "${2:-/}" </dev/null
}
