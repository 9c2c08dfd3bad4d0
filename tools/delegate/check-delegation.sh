#!/bin/sh
# Counts how often each skill delegated, fell back or skipped the call: check-delegation.sh [--window 7d] [--json].
{
case $0 in */*) here=${0%/*} ;; *) here=. ;; esac
for argument in "$@"; do
  case $argument in
    --json) exec /bin/sh "$here/../../bin/adlc" telemetry report "$@" ;;
  esac
done
exec /bin/sh "$here/../../bin/adlc" telemetry report --tsv "$@"
}
