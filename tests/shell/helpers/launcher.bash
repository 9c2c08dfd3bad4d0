# shellcheck shell=bash disable=SC2154  # bats sets status, output and lines
# Helpers for tests of bin/adlc. The shell under test comes from ADLC_TEST_SHELL ("dash",
# "bash --posix", …); ADLC_TEST_PYTHON is a real Python 3.11+, ADLC_TEST_WHEELS a directory with
# the wheels of the core stage, ADLC_TEST_DATA a data directory with a finished environment.

checkout=$(cd "$BATS_TEST_DIRNAME/../.." && pwd -P)

# Sets shell and adlc (the words that start each), makes the sandbox and enters it.
setup_sandbox() {
  read -ra shell <<<"${ADLC_TEST_SHELL:-sh}"
  # shellcheck disable=SC2034  # for the tests
  adlc=("${shell[@]}" "$checkout/bin/adlc")
  sandbox=$(cd "$BATS_TEST_TMPDIR" && pwd -P)
  mkdir "$sandbox/home" "$sandbox/tools" "$sandbox/work"
  # All programs that the launcher may call, and no Python among them.
  for tool in readlink id timeout uname "${shell[0]}"; do
    ln -s "$(command -v "$tool")" "$sandbox/tools/$tool"
  done
  cd "$sandbox/work" || return
}

# Runs "$@" in the clean environment of a first-time user; VAR=value words may come first.
clean() {
  env -i HOME="$sandbox/home" PATH="$sandbox/tools" LC_ALL=C \
    PIP_NO_INDEX=1 PIP_FIND_LINKS="$ADLC_TEST_WHEELS" PIP_CONFIG_FILE=/dev/null "$@"
}

# Like clean, with an environment that is already there.
warm() {
  clean ADLC_DATA_DIR="$ADLC_TEST_DATA" "$@"
}

# Offers the file on stdin as a program called $1, before everything else in PATH.
offer() {
  rm -f "$sandbox/tools/$1" # it may be a link to the real one
  cat >"$sandbox/tools/$1"
  chmod 755 "$sandbox/tools/$1"
}

offer_python() {
  ln -s "$ADLC_TEST_PYTHON" "$sandbox/tools/${1:-python3}"
}

# The smallest corpus that list can answer from, in the current directory.
make_corpus() {
  mkdir -p .adlc/specs/REQ-001-one
  printf '%s\n' --- 'id: REQ-001' 'title: One' 'status: approved' --- '## Description' 'One.' >.adlc/specs/REQ-001-one/requirement.md
}

one_line() {
  [ "${#lines[@]}" -eq 1 ] || { printf 'not one line:\n%s\n' "$output" >&2; return 1; }
}

has() {
  [[ $output == *"$1"* ]] || { printf 'no "%s" in:\n%s\n' "$1" "$output" >&2; return 1; }
}

is() {
  [ "$output" = "$1" ] || { printf 'expected: %s\ngot:      %s\n' "$1" "$output" >&2; return 1; }
}

exits() {
  [ "$status" -eq "$1" ] || { printf 'exit %s, not %s:\n%s\n' "$status" "$1" "$output" >&2; return 1; }
}
