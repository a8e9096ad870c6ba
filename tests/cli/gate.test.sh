#!/bin/sh
# Every rule of a gate kept, broken and open, on real runs of a program that plays a framework; files, flags, exit codes.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
play=$KILN_BUILD/tests/proc.play
[ -x "$play" ] || die "$play is missing; run ./dev build"

# gate ARGUMENT…: the exit code; output in $work/out, talk in $work/err.
gate() { status_of "$kiln" gate --quiet --warmup 0 --samples 2 "$@"; }
# line TEXT: a line of the result, whole.
# shellcheck disable=SC2317 # called by check
line() {
  grep -qxF -- "$1" "$work/out" || {
    sed 's/^/   stdout: /' "$work/out"
    return 1
  }
}
at='/src/sim.py'

# ---- builds ----
set -- "$play" use:sim:aaaaaaaaaa launch:10
equal "no build when warm" 0 "$(gate --no-build-when-warm -- "$@")"
check "says so" line "kept    no-build-when-warm: no build in 2 warm runs"
check "and counts" line "The rule is kept."
equal "a build when warm" 1 "$(gate --no-build-when-warm -- "$@" build:late:bbb)"
check "is named with its place" line \
  "BROKEN  no-build-when-warm: the warm run of sample 1 made 1 build: late ($at:3)"
check "one broken rule is one line" test "$(grep -c ^BROKEN "$work/out")" -eq 1
equal "as many builds as allowed" 0 "$(gate --max-builds 1 -- "$@")"
equal "one more" 1 "$(gate --max-builds 1 -- "$@" use:more:bbb)"
check "both are named" line \
  "BROKEN  max-builds 1: the cold run of sample 1 made 2 builds: sim ($at:1), more ($at:3)"
equal "built before launch 10" 0 "$(gate --no-build-after-launch 10 -- "$@")"
equal "built after launch 10" 1 "$(gate --no-build-after-launch 10 -- "$@" use:late:bbb)"
check "says which" line \
  "BROKEN  no-build-after-launch 10: the cold run of sample 1 made 1 build after launch 10: late ($at:3)"
equal "after fewer launches" 0 "$(gate --no-build-after-launch 11 -- "$@" use:late:bbb launch:1)"
equal "too few launches" 3 "$(gate --no-build-after-launch 11 -- "$@")"
check "are no proof" line \
  "open    no-build-after-launch 11: the cold run of sample 1 made 10 launches, so launch 11 never came"
equal "built before the mark" 0 "$(gate --no-build-after-mark ready -- "$@" mark:ready)"
equal "built after the mark" 1 "$(gate --no-build-after-mark ready -- "$@" mark:ready use:late:bbb)"
check "says which" line \
  "BROKEN  no-build-after-mark ready: the cold run of sample 1 made 1 build after the mark 'ready': late ($at:4)"
equal "no such mark" 3 "$(gate --no-build-after-mark raedy -- "$@" mark:ready)"
check "is told" line "open    no-build-after-mark raedy: the cold run of sample 1 never set the mark 'raedy'"

# ---- identities ----
equal "the same identities" 0 "$(gate --stable-identities -- "$@")"
equal "another in every process" 1 "$(gate --stable-identities -- "$@" 'use:salted:*')"
check "is named" grep -q "^BROKEN  stable-identities: 'salted' has identity 0000000 in the " "$work/out"

# ---- a stored report ----
"$kiln" measure --quiet --warmup 0 --samples 2 -o "$work/stored.json" -- "$@" >/dev/null || die "no report to store"
equal "not above the stored report" 0 "$(gate --not-above "$work/stored.json" -- "$@")"
equal "above it" 1 "$(gate --not-above "$work/stored.json" -- "$@" use:more:bbb)"
check "says in what" line "BROKEN  not-above $work/stored.json: cold builds 2, there 1; \
cold identities 2, there 1; cold source_bytes 2000, there 1000; warm identities 2, there 1"
equal "other launches" 3 "$(gate --not-above "$work/stored.json" -- "$play" use:sim:aaaaaaaaaa launch:9)"
check "are no proof" grep -q '^open    not-above .*the launches are not those of the stored report' "$work/out"

# ---- time ----
equal "within the limits" 0 "$(gate --max-cold-elapsed 600 --max-warm-elapsed 600 --max-cold-cpu 600 --max-warm-cpu 600 -- "$@")"
check "are said with n" grep -q '^kept    max-cold-cpu 600: median .* of 2 runs$' "$work/out"
for limit in max-cold-elapsed max-warm-elapsed max-cold-cpu max-warm-cpu; do
  equal "$limit" 1 "$(gate "--$limit" 0.0000001 -- "$@" spin:2)"
  check "is broken" grep -q "^BROKEN  $limit 0.0000001: median .* of 2 runs" "$work/out"
done
slow() { status_of "$kiln" gate --quiet --not-slower --arm "base=$play spin:$1" --arm "cand=$play spin:$2" --max-pairs "$3"; }
equal "twice as slow" 1 "$(slow 10 30 11)"
check "is a verdict" grep -q "^BROKEN  not-slower: 'cand' REGRESSED: cold CPU +" "$work/out"
equal "three times as fast" 0 "$(slow 30 10 11)"
check "is one too" grep -q "^kept    not-slower: 'cand' IMPROVED" "$work/out"
equal "too few pairs" 3 "$(slow 10 30 2)"
check "decide nothing" grep -q "^open    not-slower: 'cand' INCONCLUSIVE" "$work/out"

# ---- what cannot pass ----
equal "a command that fails" 4 "$(gate --no-build-when-warm -- "$@" exit:7)"
check "is not judged" grep -q '^The rules were not judged' "$work/out"
equal "a command that is killed" 4 "$(gate --no-build-when-warm -- "$@" kill)"
equal "one that does not end" 3 "$(gate --timeout 0.5 --no-build-when-warm -- "$@" wait)"
equal "even when a rule is broken" 4 "$(gate --max-builds 0 -- "$@" exit:7)"
equal "unless a failure is allowed" 0 "$(gate --ignore-failure --no-build-when-warm -- "$@" exit:7)"
equal "a command that compiles nothing" 3 "$(gate --no-build-when-warm -- true)"
check "proves nothing" grep -q 'proves nothing' "$work/out"
equal "lost events" 3 "$(gate --max-builds 9 -- "$@" bad)"
check "are told" grep -q 'event lines were lost' "$work/out"
nothing_left "a gate"

# ---- files, results ----
mkdir "$work/ci"
mv "$work/stored.json" "$work/ci/stored.json"
printf '%s\n' '# what we promise' no-build-when-warm 'max-builds 1' 'not-above stored.json builds' >"$work/ci/rules"
equal "a rules file" 0 "$(gate "$work/ci/rules" -- "$@")"
check "its paths are taken from its folder" line "kept    not-above stored.json builds: no count is above the stored one"
check "all are counted" line "All 3 rules are kept."
equal "and a flag" 1 "$(gate "$work/ci/rules" --max-cold-cpu 0.0000001 --junit "$work/gate.xml" -o "$work/report.json" -- "$@")"
check "JUnit counts" grep -q 'tests="4" failures="1" errors="0"' "$work/gate.xml"
if command -v xmllint >/dev/null 2>&1; then check "JUnit is XML" xmllint --noout "$work/gate.xml"; fi
equal "the report is there" complete "$(json "$work/report.json" .state)"
equal "--json" 1 "$(gate "$work/ci/rules" --max-cold-cpu 0.0000001 --json -- "$@")"
equal "one JSON value" "broken 1 4" "$(json "$work/out" '[.verdict, .exit_code, (.rules | length)] | join(" ")')"
equal "states by rule, flags first" "broken kept kept kept" "$(json "$work/out" '[.rules[].state] | join(" ")')"
equal "a stored report" 0 "$(status_of "$kiln" gate "$work/ci/rules" --report "$work/report.json")"
equal "a broken rule on it" 1 "$(status_of "$kiln" gate --max-builds 0 --report "$work/report.json")"
equal "places are in it" "$at:1" \
  "$(status_of "$kiln" gate --max-builds 0 --report "$work/report.json" --json >/dev/null; json "$work/out" '.rules[0].where[0] | "\(.file):\(.line)"')"
"$kiln" record --quiet -o "$work/run" -- "$@" >/dev/null 2>&1
equal "a record" 0 "$(status_of "$kiln" gate --max-builds 1 --report "$work/run")"
equal "has no warm run" 3 "$(status_of "$kiln" gate --no-build-when-warm --report "$work/run")"
"$kiln" record --quiet -o "$work/dead" -- "$@" kill >/dev/null 2>&1
equal "a record of a killed run" 4 "$(status_of "$kiln" gate --max-builds 1 --report "$work/dead")"
mkdir "$work/job"
KILN_EVENTS=$work/job LD_PRELOAD=$preload "$play" use:sim:aaaaaaaaaa launch:10 kill 2>/dev/null
equal "a job's record of a killed run" 3 "$(status_of "$kiln" gate --max-builds 1 --report "$work/job")"
check "says why" grep -q 'has no end' "$work/out"

# ---- what is refused ----
refused() {
  equal "$1" 2 "$(shift && status_of "$kiln" gate "$@")"
}
refused "no rule" -- touch "$work/touched"
refused "no command" --max-builds 1
refused "a number" --max-builds five -- touch "$work/touched"
check "is quoted" said "--max-builds is a whole number, not 'five'."
printf 'max-builds 1\n\nmax-build 2\n' >"$work/bad"
refused "a rule that there is not" "$work/bad" -- touch "$work/touched"
check "is quoted with its line" said "The rules file '$work/bad', line 3: there is no rule 'max-build'."
refused "a stored report that is not there" --not-above "$work/none.json" -- touch "$work/touched"
check "is quoted" said "$work/none.json"
refused "no rules file" "$work/none" -- touch "$work/touched"
refused "two rules files" "$work/ci/rules" "$work/ci/rules" -- touch "$work/touched"
refused "a command without --" --max-builds 1 touch "$work/touched"
refused "a report and a command" --max-builds 1 --report "$work/report.json" -- touch "$work/touched"
refused "a report and options of a run" --max-builds 1 --report "$work/report.json" --samples 1
refused "not-slower with one arm" --not-slower -- touch "$work/touched"
refused "a report that is none" --max-builds 1 --report "$work/ci/rules"
equal "a JUnit file in a missing folder" 5 "$(status_of "$kiln" gate --max-builds 1 --junit "$work/no/x" -- touch "$work/touched")"
check "nothing of all that ran" test ! -e "$work/touched"
finish
