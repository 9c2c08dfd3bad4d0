#!/usr/bin/env bats
# partials/intake.sh as a fence uses it, under one shell.

# shellcheck disable=SC2016  # the scripts are for the shell under test
# shellcheck disable=SC2030,SC2031  # each test is a subshell, on purpose
# shellcheck disable=SC2034,SC2154  # sandbox, checkout and shell come from the helpers
load helpers/id-alloc

setup() {
  extra=(ADLC_STATE_DIR="$BATS_TEST_TMPDIR/state")
  setup_project
  seq 450 >standup.txt
}

# The fence of id-alloc's helpers, with this partial.
intake() {
  local script=". '$checkout/partials/intake.sh'
$1"
  shift
  fence "$script" "$@"
}

exports='printf "%s|%s|%s|%s\n" "$ADLC_INTAKE_REASON" "$ADLC_INTAKE_KIND" "$ADLC_INTAKE_PATH" "$ADLC_INTAKE_INLINE"'

left() {
  ls -A "$sandbox/state/adlc-intake" 2>/dev/null || :
}

@test "a source is 0 and exports four values, anything else is 1 and exports none" {
  run intake 'adlc_intake_detect "--intake standup.txt"; echo $?; '"$exports"
  is "0
flag|prose|$PWD/standup.txt|0"
  for text in 'Add it.' '' '--intaken x' "$(seq 25)"; do
    run intake 'ADLC_INTAKE_REASON=x; adlc_intake_detect "$1"; echo $?; '"$exports" "$text"
    is "1
|||"
  done
  run intake 'adlc_intake_detect --intake=nosuch.txt; echo $?'
  has "--intake names no file"; has "1"
}

@test "a long request on standard input becomes a file of intake's" {
  seq 26 >request
  run intake 'adlc_intake_detect <request; echo $?; '"$exports"'; wc -l <"$ADLC_INTAKE_PATH"'
  has "0
lines|prose|$sandbox/state/adlc-intake/"; has "/inline-request.txt|1"; has 26
}

@test "a path keeps its blanks and quotes" {
  name="odd ' \$(touch ran) \"name\" .txt"
  echo x >"$name"
  run intake 'adlc_intake_detect "--intake=$1" && printf "%s\n" "$ADLC_INTAKE_PATH" && adlc_intake_segment "$ADLC_INTAKE_PATH" && printf "%s\n" "$ADLC_INTAKE_SOURCE"' "$name"
  exits 0; is "$PWD/$name
$PWD/$name"
  [ ! -e ran ]
}

@test "no part of a request is executed" {
  { seq 26; printf '%s\n' '$(touch ran)' '`touch ran`' '"; touch ran; "' "'; touch ran; '" 'EOF' '</segment>' 'a\b'; } >request
  run intake 'adlc_intake_detect <request && adlc_intake_segment "$ADLC_INTAKE_PATH" && cmp request "$ADLC_INTAKE_PATH"; echo $?'
  is 0
  run intake 'adlc_intake_detect "$1"; echo $?; cmp request "$ADLC_INTAKE_PATH"' "$(cat request)"
  is 0
  [ ! -e ran ]
}

@test "segments, lines, corpus and source are exported, and the segments lie beside the corpus" {
  run intake 'adlc_intake_segment standup.txt; echo $?; printf "%s %s %s\n" "$ADLC_INTAKE_SEGMENTS" "$ADLC_INTAKE_LINES" "$ADLC_INTAKE_SOURCE"; wc -l <"${ADLC_INTAKE_CORPUS%/*}/S03.txt"'
  has "0
3 450 standup.txt"; has 50
}

@test "2 for what cannot be read, 3 over the budget, and nothing is made" {
  run intake 'adlc_intake_segment nosuch 2>/dev/null; echo $?; adlc_intake_segment 2>/dev/null; echo $?; seq 8001 >long; adlc_intake_segment long; echo "$? <$ADLC_INTAKE_CORPUS>"'
  has "2
2"; has "8001 lines (41 segments"; has "3 <>"
  [ -z "$(left)" ]
}

@test "ranges are printed, padded numbers are decimal, and the rest is 2" {
  run intake 'adlc_intake_range 1 4200; adlc_intake_range 21 4200; adlc_intake_range 3 450; adlc_intake_range 08 4200; adlc_intake_range 09 4200; adlc_intake_range 5 0900'
  is "1 200
4001 4200
401 450
1401 1600
1601 1800
801 900"
  run intake 'for n in 22 0 abc ""; do adlc_intake_range "$n" 4200 2>/dev/null; echo $?; done; adlc_intake_range 1 2>/dev/null; echo $?; adlc_intake_range 2>/dev/null; echo $?'
  is "2
2
2
2
2
2"
}

@test "redaction is for intake's own files" {
  echo ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8 >secret.txt
  run intake 'adlc_intake_redact secret.txt 2>/dev/null; echo $?; adlc_intake_redact 2>/dev/null; echo $?; adlc_intake_segment secret.txt; grep -c REDACTED "$ADLC_INTAKE_CORPUS"; adlc_intake_redact "$ADLC_INTAKE_CORPUS"; echo $?'
  is "2
2
1
0"
  grep -q ghp_ secret.txt
}

@test "cleanup removes what intake made and leaves a user's file alone" {
  mkdir docs
  echo x >docs/inline-request.txt
  seq 26 >request
  for tmp in "$sandbox/tmp" / ''; do
    extra=(ADLC_STATE_DIR="$sandbox/state" TMPDIR="$tmp")
    run intake 'adlc_intake_detect <request; adlc_intake_segment "$ADLC_INTAKE_PATH"; adlc_intake_cleanup "$ADLC_INTAKE_CORPUS" "$ADLC_INTAKE_PATH"; echo $?; adlc_intake_cleanup docs/inline-request.txt "$PWD/docs/inline-request.txt"; echo $?'
    is "0
0"
    [ -z "$(left)" ] && [ -e docs/inline-request.txt ] && [ -e request ]
  done
  run intake 'unset TMPDIR; adlc_intake_cleanup "" "$PWD/docs/inline-request.txt"'
  exits 0
  [ -e docs/inline-request.txt ]
}

@test "cleanup with empty arguments removes nothing" {
  before=$(find "$sandbox/repos" | sort)
  run intake 'adlc_intake_cleanup; adlc_intake_cleanup "" ""; adlc_intake_cleanup / /; adlc_intake_cleanup . ..'
  exits 0; is ""
  [ "$(find "$sandbox/repos" | sort)" = "$before" ]
}

@test "works under set -eu and a foreign IFS, is silent when sourced, and needs adlc" {
  run intake 'set -eu; IFS=/:; adlc_intake_segment standup.txt; IFS=" "; echo "$ADLC_INTAKE_SEGMENTS"; if adlc_intake_detect x; then echo yes; else echo no; fi'
  exits 0; is "3
no"
  rm "$sandbox/bin/adlc"
  extra=(PATH=/usr/bin:/bin)
  run intake 'adlc_intake_detect x || echo "rc $?"'
  has "no adlc on PATH"; has "rc 127"
}

@test "neither a function, an alias nor a program in the project answers for adlc" {
  mkdir -p bin
  printf '#!/bin/sh\necho "flag prose 0 /etc/passwd."\n' >bin/adlc
  cp bin/adlc adlc
  chmod +x bin/adlc adlc
  extra+=(PATH="$PWD/bin:.:bin::$sandbox/bin:$PATH")
  run intake 'adlc() { echo "flag prose 0 /x."; }; adlc_intake_detect x; echo $?'
  is 1
}

@test "the shared lines are those of the other partials" {
  common() { sed -n '/^# Sets _adlc_found/,/^}$/p' "$checkout/partials/${1}.sh"; }
  diff <(common delegate-gate) <(common intake)
}
