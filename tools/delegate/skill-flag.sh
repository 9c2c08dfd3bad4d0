#!/bin/sh
# The flag of one delegated step, for shell fences: create | current | check F | clear F |
# mark F KEY VALUE | read F KEY. mark and read, which a fence calls often, start no process.
#
# Same files and same rules as `adlc flag` (tools/adlc/telemetry/flag.py). One brace group, because a
# shell started with SHELLOPTS=onecmd leaves after the first command it has read.
{
set -u
umask 077
LC_ALL=C
export LC_ALL

fail() {
  printf 'skill-flag.sh: %s\n' "${2}" >&2
  exit "${1}"
}

adlc() {
  case $0 in */*) here=${0%/*} ;; *) here=. ;; esac
  exec /bin/sh "$here/../../bin/adlc" flag "$@"
}

# Sets flags to the directory that holds every flag, by the rules of tools/adlc/places.py.
find_flags() {
  case ${ADLC_STATE_DIR-} in
    /*) flags=${ADLC_STATE_DIR%/}/flags; return ;;
    ?*) fail 2 'ADLC_STATE_DIR must be an absolute path' ;;
  esac
  case ${XDG_STATE_HOME-} in /*) flags=${XDG_STATE_HOME%/}/adlc/flags; return ;; esac
  case ${HOME-} in /*) flags=${HOME%/}/.local/state/adlc/flags; return ;; esac
  flags=
}

# A path below flags, a plain file of this user, with marks that are no link.
require_flag() {
  find_flags
  if [ -z "$flags" ]; then
    adlc "$@"
  fi
  case ${2} in
    "$flags"/*) ;;
    *) fail 2 'not a flag; make one: skill-flag.sh create' ;;
  esac
  name=${2#"$flags"/}
  case $name in
    *[!0-9a-f-]*) case ${name#flag-} in *[!0-9a-f-]*) name= ;; esac ;;
  esac
  case $name in
    flag-????????????-????????????-????????????) ;;
    *) fail 2 'not a flag; make one: skill-flag.sh create' ;;
  esac
  state=${2}.state
}

is_alive() {
  [ -f "${1}" ] && [ ! -h "${1}" ] && [ -O "${1}" ]
}

require_key() {
  case ${1} in
    start_ms | start_s | reason | invoked | exit) ;;
    *) fail 2 'no key of a flag; keys: start_ms, start_s, reason, invoked, exit' ;;
  esac
}

case ${1-}-$# in
  mark-4)
    require_key "${3}"
    case ${4} in *[[:cntrl:]]*) fail 2 "the value of ${3} must be one line" ;; esac
    [ "${#4}" -le 200 ] || fail 2 "the value of ${3} must be at most 200 bytes"
    require_flag "$@"
    is_alive "${2}" || fail 2 'not a flag; make one: skill-flag.sh create'
    if [ -h "$state" ] || { [ -e "$state" ] && ! is_alive "$state"; }; then
      fail 3 'cannot mark the flag: its marks are not a file of yours'
    fi
    printf '%s=%s\n' "${3}" "${4}" >>"$state" || exit 3 ;;
  read-3)
    require_key "${3}"
    require_flag "$@"
    value=
    if is_alive "$state"; then
      while IFS= read -r line; do
        case $line in "${3}="*) value=${line#*=} ;; esac
      done <"$state"
    fi
    if [ -n "$value" ]; then
      printf '%s\n' "$value"
    fi ;;
  create-1 | current-1 | check-2 | clear-2)
    adlc "$@" ;;
  *)
    fail 2 'usage: skill-flag.sh create | current | check F | clear F | mark F KEY VALUE | read F KEY' ;;
esac
exit
}
