#!/bin/sh
# Installs adlc for this user, or takes it away again:
#
#   ./install.sh [--with-delegation] [--dry-run] [--uninstall] [--repair] [--prefix DIR] [--yes]
#
# Only finds the checkout and a Python; what happens is decided in tools/adlc/installation, which needs
# nothing but the standard library.
{
self=$0
case $self in */*) ;; *) self=./$self ;; esac
case $self in /*) ;; *) self=${PWD-}/$self ;; esac
while [ -h "$self" ]; do
  target=$(readlink "$self") || exit 3
  case $target in /*) self=$target ;; *) self=${self%/*}/$target ;; esac
done
root=${self%/*}
if ! [ -f "$root/bin/adlc" ] || ! [ -f "$root/tools/adlc/installation/__main__.py" ]; then
  printf 'adlc: %s is not inside an adlc checkout — clone adlc, then run the install.sh in it\n' "$self" >&2
  exit 3
fi
python=$(/bin/sh "$root/bin/adlc" where python) || exit
exec "$python" -I -S -X utf8 "$root/tools/adlc/installation/__main__.py" "$@"
}
