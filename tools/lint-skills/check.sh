#!/bin/sh
# Finds what is wrong in skills and agents: check.sh [PATH] [--json].
{
case $0 in */*) here=${0%/*} ;; *) here=. ;; esac
exec /bin/sh "$here/../../bin/adlc" lint skills "$@"
}
