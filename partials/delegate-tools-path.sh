# shellcheck shell=sh
# Sets DELEGATE_TOOLS to the directory of skill-flag.sh and emit-telemetry.sh: that of the installed
# adlc, else of ~/.claude/skills/tools; never one of the project's. Source it. Silent.

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

DELEGATE_TOOLS=
case ${HOME-} in
  /*) _adlc_fallbacks=$HOME/.local/bin:$HOME/bin:${CLAUDE_CONFIG_DIR:-$HOME/.claude}/skills/tools/../bin ;;
  *) _adlc_fallbacks= ;;
esac
_adlc_find_program adlc
if [ -n "$_adlc_found" ]; then
  DELEGATE_TOOLS=$(command "$_adlc_found" where tools </dev/null 2>/dev/null) || DELEGATE_TOOLS=
  DELEGATE_TOOLS=${DELEGATE_TOOLS:+$DELEGATE_TOOLS/delegate}
fi
if ! [ -x "${DELEGATE_TOOLS:-/nonexistent}/skill-flag.sh" ]; then
  DELEGATE_TOOLS=${CLAUDE_CONFIG_DIR:-${HOME-}/.claude}/skills/tools/delegate
fi
unset _adlc_found
