# shellcheck shell=sh
# Whether documents may be handed to the delegate. Source it, call adlc_delegate_gate_check, read $?:
#   0 yes   1 disabled or not opted in   2 no adlc-read
# Exports ADLC_DELEGATE_GATE_REASON and ADLC_READ_BIN; contract in delegate-gate.md. Silent.

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

_adlc_gate_resolve() {
  case ${HOME-} in /*) _adlc_fallbacks=$HOME/bin ;; *) _adlc_fallbacks= ;; esac
  _adlc_find_program adlc-read
  ADLC_READ_BIN=$_adlc_found
  export ADLC_READ_BIN
  unset _adlc_found
}

# Asks the reader itself, for at most ten seconds. macOS has no timeout(1), but perl.
_adlc_gate_probe() {
  for _adlc_timeout in /usr/bin/timeout /bin/timeout /usr/local/bin/timeout /opt/homebrew/bin/timeout /usr/local/bin/gtimeout /opt/homebrew/bin/gtimeout; do
    if [ -x "$_adlc_timeout" ]; then
      command "$_adlc_timeout" -s KILL 10 "$ADLC_READ_BIN" --print-gate
      return
    fi
  done
  if [ -x /usr/bin/perl ]; then
    command /usr/bin/perl -e 'alarm shift; exec { $ARGV[0] } @ARGV' 10 "$ADLC_READ_BIN" --print-gate
  else
    command "$ADLC_READ_BIN" --print-gate
  fi
}

adlc_delegate_gate_check() {
  _adlc_gate_resolve
  if [ -z "$ADLC_READ_BIN" ]; then
    ADLC_DELEGATE_GATE_REASON=no-binary
    return 2
  fi
  if [ "${ADLC_DISABLE_DELEGATE-}" = 1 ]; then
    ADLC_DELEGATE_GATE_REASON=disabled-via-env
    return 1
  fi
  # The shell may only veto; anything but a clean yes of the reader is a no.
  _adlc_answer=$(_adlc_gate_probe </dev/null 2>/dev/null) || _adlc_answer=failed
  case $_adlc_answer in
    '1 ok') ADLC_DELEGATE_GATE_REASON=ok ;;
    '0 disabled-via-env' | '0 disabled-via-config') ADLC_DELEGATE_GATE_REASON=${_adlc_answer#0 } ;;
    *) ADLC_DELEGATE_GATE_REASON=not-opted-in ;;
  esac
  unset _adlc_answer _adlc_timeout
  [ "$ADLC_DELEGATE_GATE_REASON" = ok ] || return 1
}

ADLC_DELEGATE_GATE_REASON='unset'
export ADLC_DELEGATE_GATE_REASON
_adlc_gate_resolve
