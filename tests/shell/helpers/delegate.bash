# shellcheck shell=bash disable=SC2154  # bats sets status, output and lines
# Helpers for tests of the delegated read: a model server for the file, a project, and both forms of
# the protocol exactly as the references ship them.

load helpers/launcher

references=$checkout/skills/spec/references

start_server() {
  server=$BATS_FILE_TMPDIR/server
  mkdir "$server"
  mkfifo "$server/stdin"
  "$ADLC_TEST_VENV" "$BATS_TEST_DIRNAME/../delegating.py" serve "$server" <"$server/stdin" 3>&- &
  exec 9>"$server/stdin" # the server ends with this
  for _ in $(seq 600); do
    [ -s "$server/port" ] && break
    sleep 0.1
  done
  read -r port closed <"$server/port"
  cp -R "$ADLC_TEST_DATA" "$BATS_FILE_TMPDIR/data"
  "$ADLC_TEST_VENV" "$BATS_TEST_DIRNAME/../delegating.py" stage "$BATS_FILE_TMPDIR/data" 3>&-
  export port closed server
}

stop_server() {
  exec 9>&-
  wait
}

# A project with two documents, and the directories of a user who may run adlc.
setup_project() {
  read -ra shell <<<"${ADLC_TEST_SHELL:-sh}"
  sandbox=$(cd "$BATS_TEST_TMPDIR" && pwd -P)
  mkdir -p "$sandbox/home" "$sandbox/project/.git" "$sandbox/project/.adlc/bugs" "$sandbox/project/.adlc/specs/REQ-001-one"
  cd "$sandbox/project" || return
  printf '%s\n' --- 'id: BUG-001' --- body >.adlc/bugs/BUG-001-one.md
  printf '%s\n' --- 'id: REQ-001' --- body >.adlc/specs/REQ-001-one/requirement.md
  log=$sandbox/telemetry.jsonl
  path=$checkout/bin:/usr/local/bin:/usr/bin:/bin
  settings=(ADLC_DELEGATE_ENABLED=1 ADLC_DELEGATE_MODEL=m ADLC_DELEGATE_API_KEY_ENV=MY_KEY MY_KEY=k ADLC_DELEGATE_TIMEOUT=30)
}

user() {
  env -i HOME="$sandbox/home" PATH="$path" LC_ALL=C.UTF-8 ADLC_DATA_DIR="$BATS_FILE_TMPDIR/data" ADLC_CACHE_DIR="$sandbox/cache" \
    ADLC_STATE_DIR="$sandbox/state" ADLC_TELEMETRY_LOG="$log" "${settings[@]}" "$@"
}

# Prints the ${2}th sh fence of the reference ${1}.
fence() {
  awk -v want="${2}" '/^```sh$/ { inside = 1; n++; next } /^```$/ { inside = 0 } inside && n == want' "$references/${1}"
}

# Runs "$@"'s text in a shell of its own; stdout to the file out, stderr added to the file talk.
run_text() {
  user "${shell[@]}" -c "${1}" >"$sandbox/out" 2>>"$sandbox/talk" </dev/null || :
}

filled() {
  local text
  text=$(fence "${1}" "${2}")
  text=${text//FLAG/$flag}
  text=${text//--flag F/--flag $flag}
  text=${text//\'PATH1\' \'PATH2\'/.adlc/bugs/BUG-001-one.md .adlc/specs/REQ-001-one/requirement.md}
  text=${text//PATHS/\'.adlc/bugs/BUG-001-one.md\' \'.adlc/specs/REQ-001-one/requirement.md\'}
  printf '%s\n' "${text//COUNT/2}"
}

# Both forms end with the files talk (all of stderr) and answer (the delegate's text), and one record.
by_fences() {
  : >"$sandbox/talk"
  : >"$sandbox/answer"
  run_text "$(fence shell-protocol.md 1)"
  flag=$(cat "$sandbox/out")
  run_text "$(filled shell-protocol.md 2)"
  gate=$(cat "$sandbox/out")
  if [ "$gate" = 'gate 0 ok' ] && [ -z "${skip_call-}" ]; then
    run_text "$(filled shell-protocol.md 3)"
    cp "$sandbox/out" "$sandbox/answer"
  fi
  run_text "$(filled shell-protocol.md 5)"
}

by_commands() {
  : >"$sandbox/talk"
  : >"$sandbox/answer"
  run_text "$(fence delegated-read.md 1)"
  flag=$(cat "$sandbox/out")
  run_text "$(filled delegated-read.md 2)"
  gate=$(cat "$sandbox/out")
  if [ "$gate" = 'gate 0 ok' ] && [ -z "${skip_call-}" ]; then
    run_text "$(filled delegated-read.md 4)"
    cp "$sandbox/out" "$sandbox/answer"
  fi
  run_text "$(filled delegated-read.md 5)"
}

# The latest record without what differs by time.
record() {
  tail -n 1 "$log" | sed -E 's/"timestamp":"[^"]*",//; s/"duration_ms":[0-9]+/"duration_ms":N/'
}

# both WHERE GATE MODE REASON TALK…: through both forms, the same lines on stderr and the same record.
both() {
  settings+=(ADLC_DELEGATE_BASE_URL="${1}")
  expected='{"skill":"spec","step":"Step-1.6","req":"unknown","gate":"'${2}'","mode":"'${3}'","reason":"'${4}'","duration_ms":N,"repo":"project","source":"flag"}'
  shift 4
  for form in by_fences by_commands; do
    "$form"
    diff <(printf '%s\n' "$@") "$sandbox/talk" || return
    diff <(printf '%s\n' "$expected") <(record) || return
    [ ! -e "$flag" ] && [ ! -e "$flag.state" ] || return
    case $form in
      by_fences) cp "$sandbox/answer" "$sandbox/first" ;;
      *) sed -n 's/^| //p' "$sandbox/answer" | diff "$sandbox/first" - || return ;;
    esac
  done
  [ "$(wc -l <"$log")" -eq 2 ]
}
