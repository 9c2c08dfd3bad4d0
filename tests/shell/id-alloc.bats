#!/usr/bin/env bats
# partials/id-alloc.sh as the fence of /spec uses it, under one shell.

# shellcheck disable=SC2016  # the scripts are for the shell under test
# shellcheck disable=SC2034,SC2154  # sandbox, checkout and shell come from the helpers
load helpers/id-alloc

setup() {
  extra=()
  setup_project
}

# The fence as the skill has it.
fence='REQ_NUM=$(adlc_alloc_id req)
[ -n "$REQ_NUM" ] || { echo "ERROR: failed to allocate REQ number — aborting before writing malformed spec" >&2; exit 1; }
echo "got $REQ_NUM"'

@test "the fence gets the bare number, and the degraded line on stderr" {
  run fence "$fence 2>/dev/null"
  exits 0; has "got 43"
  fence 'adlc_alloc_id req' 2>"$sandbox/err" >"$sandbox/out"
  [ "$(cat "$sandbox/out")" = 44 ]
  [ "$(grep -c 'id allocated without remote verification' "$sandbox/err")" -eq 1 ]
  [ "$(counter req)" = 45 ]
}

@test "padded counters are decimal, 08 and 09 included" {
  for number in 08 09 042 0777; do
    mkdir -p "$sandbox/home/.claude"
    rm -rf .adlc/specs
    echo "$number" >"$sandbox/home/.claude/.global-next-req"
    run fence 'adlc_alloc_id req 2>/dev/null'
    exits 0; is "${number#0}"
    rm -f "$sandbox/home/.claude/.global-next-req"
  done
}

@test "the highest of several branches is taken, whatever the shell does with lists" {
  git init -q --bare "$sandbox/origin.git"
  git remote add origin "$sandbox/origin.git"
  git -c user.name=n -c user.email=n@localhost commit -q --allow-empty -m x
  git push -q origin HEAD:feat/REQ-600-a HEAD:feat/REQ-650-b HEAD:feat/REQ-610-c
  run fence 'adlc_alloc_id req'
  exits 0; is 651
}

@test "empty artifact folders are no error" {
  rm -rf .adlc/specs/*
  mkdir -p .adlc/bugs .adlc/knowledge/lessons
  for kind in req bug lesson; do
    run fence "adlc_alloc_id $kind 2>/dev/null"
    exits 0; is 1
  done
}

@test "a failure prints nothing on stdout, and the fence stops before it writes" {
  mkdir -p "$sandbox/home/.claude"
  echo abc >"$sandbox/home/.claude/.global-next-req"
  run fence "$fence; touch written"
  exits 1; has "ERROR: failed to allocate"; has ".global-next-req"
  [ ! -e written ]
  fence 'adlc_alloc_id req' >"$sandbox/out" 2>/dev/null && return 1
  [ ! -s "$sandbox/out" ]
  [ "$(cat "$sandbox/home/.claude/.global-next-req")" = abc ]
  [ ! -e "$sandbox/home/.claude/.global-next-req.lock.d" ]
}

@test "an unknown or missing kind fails and prints nothing on stdout" {
  for kind in '' 'adr' '--help' '--json' '-x' 'req bug' '$(touch forged)'; do
    fence 'adlc_alloc_id "$1"' "$kind" >"$sandbox/out" 2>"$sandbox/err" && return 1
    [ ! -s "$sandbox/out" ]
    [ -s "$sandbox/err" ]
  done
  fence 'adlc_alloc_id' >"$sandbox/out" 2>/dev/null && return 1
  [ ! -s "$sandbox/out" ] && [ ! -e forged ]
}

@test "without adlc it says so and fails" {
  rm "$sandbox/bin/adlc"
  extra=(PATH=/usr/bin:/bin)
  run fence 'adlc_alloc_id req || echo "rc $?"'
  has "no adlc on PATH"; has "rc 1"
}

@test "ADLC_ALLOC_DEGRADED is set when the function is called without substitution" {
  run fence 'adlc_alloc_id req >/dev/null 2>&1; echo "<$ADLC_ALLOC_DEGRADED>"'
  is "<1>"
  git init -q --bare "$sandbox/origin.git"
  git remote add origin "$sandbox/origin.git"
  run fence 'adlc_alloc_id req >/dev/null 2>&1; echo "<$ADLC_ALLOC_DEGRADED>"'
  is "<0>"
  run fence 'ADLC_ALLOC_DEGRADED=1; adlc_alloc_id nonsense 2>/dev/null; echo "<$ADLC_ALLOC_DEGRADED>"'
  is "<>"
}

@test "works under set -eu, with a foreign IFS, and leaves the options alone" {
  run fence 'set -eu; IFS=/0123456789; before=$-; NUM=$(adlc_alloc_id req 2>/dev/null); IFS=" "; [ "$before" = "$-" ] && echo "got $NUM"'
  exits 0; is "got 43"
}

@test "sourcing it twice, and without HOME, prints nothing" {
  extra=(HOME=)
  run fence ". '$checkout/partials/id-alloc.sh'"
  exits 0; is ""
  run fence 'unset HOME; set -u; . '"'$checkout/partials/id-alloc.sh'"
  exits 0; is ""
}

@test "neither a function, an alias nor a program in the project answers for adlc" {
  mkdir -p bin
  printf '#!/bin/sh\necho 999 0\n' >bin/adlc
  cp bin/adlc adlc
  chmod +x bin/adlc adlc
  extra=(PATH="$PWD/bin:.:bin::$sandbox/bin:$PATH")
  run fence 'adlc() { echo 888 0; }; alias adlc="echo 777 0" 2>/dev/null; adlc_alloc_id req 2>/dev/null'
  exits 0; is 43
}

@test "below the project's top its program does not answer either, by whatever way PATH leads to it" {
  mkdir -p bin deep/er
  printf '#!/bin/sh\necho 999 0\n' >bin/adlc
  chmod +x bin/adlc
  ln -s "$PWD/bin" "$sandbox/leads-in"
  cd deep/er
  extra=(PATH="$sandbox/repos/a/bin:$sandbox/leads-in:$sandbox/bin:$PATH")
  run fence 'adlc_alloc_id req 2>/dev/null'
  exits 0; is 43
}

@test "an adlc that answers nonsense is a failure" {
  rm "$sandbox/bin/adlc"
  for answer in '' 'abc 0' '12abc 0' '12' '12 2' ' 5 0' '5 0 x'; do
    printf '#!/bin/sh\nprintf "%%s\\n" "%s"\n' "$answer" >"$sandbox/bin/adlc"
    chmod +x "$sandbox/bin/adlc"
    fence 'adlc_alloc_id req' >"$sandbox/out" 2>/dev/null && { echo "accepted '$answer'"; return 1; }
    [ ! -s "$sandbox/out" ]
  done
}

@test "eight fences at the same time get eight numbers" {
  for n in 1 2 3 4 5 6 7 8; do
    fence 'adlc_alloc_id req' >"$sandbox/out$n" 2>/dev/null &
  done
  wait
  [ "$(cat "$sandbox"/out? | sort -u | wc -l)" -eq 8 ]
}

@test "from a linked worktree the number follows those of all repositories" {
  git -c user.name=n -c user.email=n@localhost commit -q --allow-empty -m x
  mkdir -p "$sandbox/repos/b/.adlc/specs/REQ-700-y"
  git worktree add -q "$sandbox/far/w"
  cd "$sandbox/far/w"
  run fence 'adlc_alloc_id req 2>/dev/null'
  exits 0; is 701
}
