#!/bin/sh
# Records one event as stated: emit-telemetry.sh SKILL STEP REQ GATE MODE REASON DURATION_MS.
# A fallback behind a passed gate whose reason is not api-error is recorded as a ghost-skip.
{
if [ $# -ne 7 ]; then
  echo 'usage: emit-telemetry.sh SKILL STEP REQ GATE MODE REASON DURATION_MS' >&2
  exit 2
fi
case $0 in */*) here=${0%/*} ;; *) here=. ;; esac
exec /bin/sh "$here/../../bin/adlc" telemetry emit -- "$@"
}
