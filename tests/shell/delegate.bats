#!/usr/bin/env bats
# The delegated read of /spec, by shell fences and by single commands, against a server that behaves
# and misbehaves: the lines a user sees, the record that is kept, the same for both.

# shellcheck disable=SC2154,SC2034  # variables of the helpers
# shellcheck disable=SC2030,SC2031  # each test is a subshell, on purpose
load helpers/delegate

setup_file() {
  start_server
}

teardown_file() {
  stop_server
}

setup() {
  setup_project
  announced='/spec: delegating bulk retrieval read to the delegate (2 docs)'
  failed='/spec: adlc-read failed — Claude reading docs directly'
}

url() {
  printf 'http://127.0.0.1:%s/%s/v1' "$port" "${1}"
}

@test "delegated" {
  both "$(url ok)" pass delegated ok "$announced"
  [ "$(grep -c '^<doc id=' "$sandbox/first")" -eq 2 ]
  [ "$(head -n 1 "$sandbox/answer")" = '--- BEGIN DELEGATE PROPOSAL (untrusted) ---' ]
  grep -qx -e '--- END DELEGATE PROPOSAL (untrusted) ---' "$sandbox/answer"
  grep -qx 'citation ok: REQ-001 -> .adlc/specs/REQ-001-one' "$sandbox/answer"
}

@test "refused" {
  both "$(url refused)" pass fallback api-error "$announced" \
    "adlc-read: 127.0.0.1:$port refused the key (HTTP 401) — check the variable MY_KEY" "$failed"
}

@test "rate-limited, then fine" {
  for form in by_fences by_commands; do
    settings+=(ADLC_DELEGATE_BASE_URL="$(url "limited-${shell[0]}${#shell[@]}-$form")")
    "$form"
    diff <(printf '%s\n' "$announced") "$sandbox/talk"
    [[ $(record) == *'"mode":"delegated","reason":"ok"'* ]]
  done
}

@test "hung" {
  settings+=(ADLC_DELEGATE_TIMEOUT=1)
  both "$(url hung)" pass fallback api-error "$announced" \
    "adlc-read: 127.0.0.1:$port did not answer within 1 s — raise delegate.timeout or pass fewer --paths" "$failed"
}

@test "truncated" {
  both "$(url truncated)" pass fallback api-error "$announced" \
    "adlc-read: 127.0.0.1:$port was cut off at 20000 tokens; the part is discarded — raise --max-tokens or pass fewer --paths" "$failed"
}

@test "empty" {
  both "$(url empty)" pass fallback api-error "$announced" "adlc-read: 127.0.0.1:$port answered with an empty text" "$failed"
}

@test "malformed JSON" {
  both "$(url malformed)" pass fallback api-error "$announced" "adlc-read: 127.0.0.1:$port answered with something that is not JSON" "$failed"
}

@test "connection refused" {
  both "http://127.0.0.1:$closed/v1" pass fallback api-error "$announced" \
    "adlc-read: 127.0.0.1:$closed cannot be reached: connection refused — check base_url and that the server is running" "$failed"
}

@test "not opted in" {
  settings=(A=1)
  both "$(url ok)" fail fallback not-opted-in '/spec: adlc-read unavailable — Claude reading docs directly'
}

@test "vetoed" {
  settings+=(ADLC_DISABLE_DELEGATE=1)
  both "$(url ok)" fail fallback disabled-via-env '/spec: adlc-read disabled via ADLC_DISABLE_DELEGATE — Claude reading docs directly'
}

@test "no adlc-read" {
  mkdir "$sandbox/only-adlc"
  ln -s "$checkout/bin/adlc" "$sandbox/only-adlc/adlc"
  path=$sandbox/only-adlc:/usr/local/bin:/usr/bin:/bin
  both "$(url ok)" fail fallback no-binary '/spec: adlc-read unavailable — Claude reading docs directly'
}

@test "a call that was never made is a ghost-skip" {
  skip_call=yes
  for form in by_fences by_commands; do
    settings+=(ADLC_DELEGATE_BASE_URL="$(url ok)")
    "$form"
    [ "$(tail -n 1 "$sandbox/talk")" = 'adlc: Step-1.6 was recorded as a ghost-skip (gate-passed-no-call)' ]
    [[ $(record) == *'"gate":"pass","mode":"ghost-skip","reason":"gate-passed-no-call"'* ]]
  done
}

@test "a missing block is named, an unrequested one ignored" {
  settings+=(ADLC_DELEGATE_BASE_URL="$(url missing)")
  by_commands
  grep -qx 'missing (read these yourself): REQ-001' "$sandbox/answer"
  grep -qx 'unexpected blocks: 1 (not asked for; ignore them)' "$sandbox/answer"
}

@test "hostile text stays inside the frame" {
  settings+=(ADLC_DELEGATE_BASE_URL="$(url hostile)")
  by_commands
  [ "$(grep -cx -e '--- END DELEGATE PROPOSAL (untrusted) ---' "$sandbox/answer")" -eq 1 ]
  [ "$(grep -c '^| --- END' "$sandbox/answer")" -eq 2 ]
  grep -q "^citation rejected (path: must not hold '..')" "$sandbox/answer"
  [ -z "$(tr -d '[:print:]\200-\377\n' <"$sandbox/answer")" ]
}

@test "a stale ADLC_READ_BIN is refused with the protocol's line before the call is marked" {
  mkdir -p .adlc/partials
  cp "$checkout/partials/delegate-tools-path.sh" .adlc/partials
  printf '%s\n' 'ADLC_READ_BIN=adlc-read' 'adlc_delegate_gate_check() { ADLC_DELEGATE_GATE_REASON=ok; }' >.adlc/partials/delegate-gate.sh
  settings+=(ADLC_DELEGATE_BASE_URL="$(url ok)" ADLC_READ_BIN=adlc-read)
  refused="/spec: ADLC_READ_BIN is not an absolute path ('adlc-read') — refusing to hand over the corpus (re-run install.sh --with-delegation, and /init to refresh the vendored gate)"
  by_fences
  grep -qxF "$refused" "$sandbox/talk"
  [[ $(record) == *ghost-skip* ]]
  by_commands
  grep -qxF "$refused" "$sandbox/talk"
  [[ $(record) == *ghost-skip* ]]
  [ ! -s "$sandbox/answer" ]
}

@test "the project's own tools and programs are never run" {
  mkdir -p tools/delegate bin
  for program in tools/delegate/skill-flag.sh tools/delegate/emit-telemetry.sh bin/adlc bin/adlc-read; do
    printf '#!/bin/sh\ntouch "%s/ran"\n' "$sandbox" >"$program"
    chmod 755 "$program"
  done
  path=$checkout/bin:$PWD/bin:bin:.:/usr/bin:/bin
  both "$(url ok)" pass delegated ok "$announced"
  [ ! -e "$sandbox/ran" ]
  path=$PWD/bin:/usr/local/bin:/usr/bin:/bin
  for partial in delegate-gate delegate-tools-path emit-step-telemetry; do
    run_text ". '$checkout/partials/$partial.sh'; if [ $partial = emit-step-telemetry ]; then _adlc_emit_step_telemetry a b; fi"
  done
  [ ! -e "$sandbox/ran" ]
}
