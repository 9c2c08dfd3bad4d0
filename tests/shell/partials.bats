#!/usr/bin/env bats
# The partials as guests in a caller's shell: silent, and leaving nothing behind but what they promise.

# shellcheck disable=SC2154,SC2034  # variables of the helpers
# shellcheck disable=SC2030,SC2031  # each test is a subshell, on purpose
# shellcheck disable=SC2016  # expressions for the shell under test
load helpers/delegate

setup_file() {
  cp -R "$ADLC_TEST_DATA" "$BATS_FILE_TMPDIR/data"
}

setup() {
  setup_project
  settings=(A=1)
  all=". '$checkout/partials/delegate-gate.sh'; . '$checkout/partials/delegate-tools-path.sh'; . '$checkout/partials/emit-step-telemetry.sh'"
}

try() {
  run user "${shell[@]}" -c "${1}"
}

@test "they print nothing and keep the caller's options" {
  try "before=\$-; $all; code=0; adlc_delegate_gate_check || code=\$?; _adlc_emit_step_telemetry spec s; [ \"\$before\" = \"\$-\" ] && [ \$code = 1 ] && echo same"
  exits 0; is same
}

@test "they work under set -eu and other strict options, and under a hostile IFS" {
  try "set -euf; set -C; IFS=/:; $all; code=0; adlc_delegate_gate_check || code=\$?; _adlc_emit_step_telemetry spec s; printf '%s\n' \"\$code\" \"\$ADLC_DELEGATE_GATE_REASON\" \"\$ADLC_READ_BIN\" \"\$DELEGATE_TOOLS\""
  exits 0
  is "1
not-opted-in
$checkout/bin/adlc-read
$checkout/tools/delegate"
}

@test "no variable is left but the documented ones" {
  printf '%s\n' "set > before" "$all" "adlc_delegate_gate_check || :" "_adlc_emit_step_telemetry spec s" "set > after" >script
  run user "${shell[@]}" ./script
  exits 0
  names() { sed -nE "s/^(_?adlc[A-Za-z0-9_]*|ADLC_[A-Z_]*|DELEGATE_[A-Z_]*)=.*/\1/p" "${1}" | sort -u; }
  run diff <(names before) <(names after)
  has '> ADLC_DELEGATE_GATE_REASON'; has '> ADLC_READ_BIN'; has '> DELEGATE_TOOLS'
  [ "$(grep -c '^[<>]' <<<"$output")" -eq 3 ]
}

@test "the gate is unset before its first call, and both variables are exported" {
  try ". '$checkout/partials/delegate-gate.sh'; env | grep -E '^(ADLC_READ_BIN|ADLC_DELEGATE_GATE_REASON)=' | sort"
  exits 0
  is "ADLC_DELEGATE_GATE_REASON=unset
ADLC_READ_BIN=$checkout/bin/adlc-read"
}

@test "without HOME, adlc or a usable PATH they degrade in silence" {
  for places in "PATH=/usr/bin:/bin" "PATH=" "PATH=/usr/bin:/bin HOME=relative"; do
    read -ra words <<<"$places"
    run env -i "${words[@]}" "$(command -v "${shell[0]}")" "${shell[@]:1}" -c "set -eu; $all; code=0; adlc_delegate_gate_check || code=\$?; _adlc_emit_step_telemetry spec s; echo \"\$code \$ADLC_DELEGATE_GATE_REASON [\$ADLC_READ_BIN] \$DELEGATE_TOOLS\""
    exits 0; one_line; has '2 no-binary []'; has 'skills/tools/delegate'
  done
}

@test "tools that cannot be run are passed over for the next place" {
  mkdir -p "$sandbox/home/.claude/skills" "$sandbox/broken/bin" "$sandbox/broken/tools/delegate"
  ln -s "$checkout/tools" "$sandbox/home/.claude/skills/tools"
  printf '#!/bin/sh\necho "%s/broken/tools"\n' "$sandbox" >"$sandbox/broken/bin/adlc"
  chmod 755 "$sandbox/broken/bin/adlc"
  cp "$checkout/tools/delegate/skill-flag.sh" "$sandbox/broken/tools/delegate/"
  chmod 644 "$sandbox/broken/tools/delegate/skill-flag.sh"
  path=$sandbox/broken/bin:/usr/bin:/bin
  try ". '$checkout/partials/delegate-tools-path.sh'; printf '%s\n' \"\$DELEGATE_TOOLS\""
  exits 0; is "$sandbox/home/.claude/skills/tools/delegate"
  try ". '$checkout/partials/delegate-tools-path.sh'; \"\$DELEGATE_TOOLS\"/skill-flag.sh create"
  exits 0; one_line; has "$sandbox/state/flags/flag-"
}

@test "a preset DELEGATE_TOOLS or ADLC_READ_BIN is not trusted" {
  settings=(DELEGATE_TOOLS=/evil ADLC_READ_BIN=/evil/adlc-read)
  try "$all; printf '%s %s\n' \"\$DELEGATE_TOOLS\" \"\$ADLC_READ_BIN\""
  exits 0; is "$checkout/tools/delegate $checkout/bin/adlc-read"
}

@test "flag and start survive the end of the fence that made them" {
  run_text "$(fence shell-protocol.md 1)"
  flag=$(cat "$sandbox/out")
  [ -f "$flag" ]
  try ". '$checkout/partials/delegate-tools-path.sh'; \"\$DELEGATE_TOOLS\"/skill-flag.sh read '$flag' start_s"
  exits 0; [ "$output" -gt 1700000000 ]
  try ". '$checkout/partials/delegate-tools-path.sh'; \"\$DELEGATE_TOOLS\"/skill-flag.sh current"
  exits 0; is "$flag"
}

@test "the record finds the current flag when the fence has lost it" {
  run_text "$(fence shell-protocol.md 1)"
  try ". '$checkout/partials/emit-step-telemetry.sh'; REQ_NUM=7; _adlc_emit_step_telemetry spec Step-1.6"
  exits 0
  [[ $(record) == *'"req":"7","gate":"fail","mode":"fallback","reason":"not-invoked","duration_ms":N'* ]]
}

@test "a failed record fails no skill" {
  log=/dev/full/none
  try "set -e; . '$checkout/partials/emit-step-telemetry.sh'; _adlc_emit_step_telemetry; _adlc_emit_step_telemetry spec s; flag=/nowhere; _adlc_emit_step_telemetry spec s; echo on"
  exits 0; [ "${lines[-1]}" = on ]
}

@test "skill names and steps that look like options are data" {
  try ". '$checkout/partials/emit-step-telemetry.sh'; _adlc_emit_step_telemetry --flag=x '\$(touch ran)'"
  exits 0
  [[ $(tail -n 1 "$log") == *'"skill":"--flag=x","step":"$(touch ran)"'* ]]
  [ ! -e ran ]
}

@test "the shared lines of the partials are the same in each" {
  common() { sed -n '/^# Sets _adlc_found/,/^}$/p' "$checkout/partials/${1}.sh"; }
  [ "$(common delegate-gate | wc -l)" -gt 30 ]
  for partial in "$checkout"/partials/*.sh; do
    diff <(common delegate-gate) <(common "$(basename "$partial" .sh)")
  done
}
