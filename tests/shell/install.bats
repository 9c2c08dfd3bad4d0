#!/usr/bin/env bats
# install.sh under one shell: that it finds its checkout and a Python, and goes the whole way.

# shellcheck disable=SC2154  # shell, sandbox and checkout come from the helpers
load helpers/launcher

setup() {
  setup_sandbox
  # A copy: a linked worktree would install the repository's main checkout.
  place="$sandbox/ad lc 'é' \$x"
  mkdir "$place"
  cp -R "$checkout"/{bin,tools,skills,partials,templates,install.sh} "$place/"
  cp -R "$ADLC_TEST_DATA" "$sandbox/data"
}

# Runs the copy's install.sh, or the one linked to as $via.
install() {
  clean ADLC_DATA_DIR="$sandbox/data" "${shell[@]}" "${via:-$place/install.sh}" "$@"
}

listing() {
  (cd "$sandbox/home" && find . -exec ls -ld {} + | sed 's/^\([^ ]*\) .* \(\.[^ ]*\)/\1 \2/')
}

@test "installs, answers through its link, and leaves nothing behind" {
  printf 'x=1\n' >"$sandbox/home/.bashrc"
  before=$(listing)
  run install --yes
  exits 0
  [ "$(readlink "$sandbox/home/.claude/skills/spec")" = "$place/skills/spec" ]
  run warm "${shell[@]}" "$sandbox/home/.local/bin/adlc" where root
  exits 0; is "$place"
  run install
  exits 0; has "already installed; nothing to do"
  run install --uninstall
  exits 0
  [ "$(listing)" = "$before" ] || { listing; false; }
}

@test "found through links and by relative paths" {
  ln -s "$place/install.sh" one
  mkdir deep
  ln -s ../one deep/two
  for via in ./one deep/two one; do
    run install --dry-run
    exits 0; has "link to $place/bin/adlc"
  done
  cd "$place"
  via=install.sh
  run install --dry-run
  exits 0; has "link to $place/bin/adlc"
}

@test "CDPATH, IFS, exported options and functions change nothing" {
  for setting in CDPATH=/:. IFS=/ltro SHELLOPTS=errexit SHELLOPTS=nounset SHELLOPTS=noglob 'BASH_FUNC_printf%%=() { echo no; }'; do
    run clean "$setting" ADLC_DATA_DIR="$sandbox/data" "${shell[@]}" "$place/install.sh" --dry-run
    exits 0; has "link to $place/bin/adlc"
  done
}

@test "a copy outside a checkout, and no Python, are one line each" {
  cp "$place/install.sh" stray
  via=./stray
  run install
  exits 3; one_line; has "not inside an adlc checkout"
  run clean "${shell[@]}" "$place/install.sh"
  exits 3; one_line; has "needs Python 3.11 or newer: install"
  [ -z "$(ls -A "$sandbox/home")" ]
}

@test "a wrong option is one line and exit 2" {
  run install --delegation
  exits 2; one_line; has "--delegation"
}
