# shellcheck shell=bash disable=SC2034,SC2154  # bats and the tests use these
# Helpers for tests of partials/id-alloc.sh under the shell in ADLC_TEST_SHELL.

load helpers/launcher

# Makes a project with one spec and a home, and enters the project.
setup_project() {
  read -ra shell <<<"${ADLC_TEST_SHELL:-sh}"
  sandbox=$(cd "$BATS_TEST_TMPDIR" && pwd -P)
  mkdir -p "$sandbox/home" "$sandbox/tmp" "$sandbox/repos/a/.adlc/specs/REQ-042-x" "$sandbox/bin"
  ln -s "$checkout/bin/adlc" "$sandbox/bin/adlc"
  cd "$sandbox/repos/a" || return
  git init -q .
}

# Runs the script $1 (the rest are its arguments) as a fence runs: a new shell, the partial sourced.
fence() {
  script=". '$checkout/partials/id-alloc.sh'
$1"
  shift
  env -i HOME="$sandbox/home" PATH="$sandbox/bin:$PATH" LC_ALL=C TMPDIR="$sandbox/tmp" \
    ADLC_DATA_DIR="$ADLC_TEST_DATA" "${extra[@]}" "${shell[@]}" -c "$script" fence "$@"
}

counter() {
  cat "$sandbox/home/.claude/.global-next-$1"
}
