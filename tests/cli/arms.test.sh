#!/bin/sh
# Arms: pairs, verdicts, budgets, void pairs; and what compare says of them.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
out=$work/arms.json

# ---- what is refused ----
refused() {
  equal "$1" 2 "$(shift && status_of "$kiln" measure --quiet "$@")"
}
refused "one arm" --arm a=true
check "one arm: quoted" said "'a'"
refused "an arm without a command" --arm a= --arm b=true
refused "a name with a space" --arm 'a b=true' --arm b=true
check "a name with a space: quoted" said "'a b=true'"
refused "no name" --arm true --arm b=true
refused "two arms of one name" --arm a=true --arm a=false
refused "shell syntax" --arm 'a=true; true' --arm b=true
check "shell syntax: says what to do" said "sh -c"
refused "an open quote" --arm "a=true 'x" --arm b=true
refused "arms and a command" --arm a=true --arm b=true -- true
refused "arms and samples" --samples 3 --arm a=true --arm b=true
refused "pairs without arms" --max-pairs 3 -- true
refused "no pair" --max-pairs 0 --arm a=true --arm b=true
refused "too many pairs" --max-pairs 182 --arm a=true --arm b=true
refused "no time" --max-time 0 --arm a=true --arm b=true
refused "a resolution of nothing" --resolution 0.5 --arm a=true --arm b=true
nothing_left "a refusal"

# ---- pairs ----
equal "four pairs" 0 "$(status_of "$kiln" measure --quiet --max-pairs 4 -o "$out" \
  --arm 'base=sh -c "exit 0"' --arm "cand=sh -c 'exit 0'")"
equal "each arm has four samples" "4 4" "$(json "$out" '[.arms[].samples | length] | join(" ")')"
equal "samples carry the pair's index" "1234 1234" "$(json "$out" '[.arms[].samples | map(.index) | join("")] | join(" ")')"
equal "commands are split as written" '["sh","-c","exit 0"]' "$(jq -c '.arms[1].command' "$out")"
equal "four pairs decide nothing" INCONCLUSIVE "$(json "$out" .time.verdict)"
equal "no look was made" 0 "$(json "$out" '.time.looks | length')"
equal "the rule is named" hl-seq-1 "$(json "$out" .time.rule)"
equal "every pair says who was first" 4 "$(json "$out" '[.pairs[] | select(.first == "base" or .first == "cand")] | length')"
check "the seed is there" test "$(json "$out" '.time.seed | startswith("0x")')" = true
equal "work is the same" SAME "$(json "$out" '.verdicts[0].work')"
check "the page has both verdicts" grep -q '^work: SAME' "$work/out"
check "the page has both verdicts" grep -q '^time: INCONCLUSIVE' "$work/out"
equal "compare: INCONCLUSIVE is 3" 3 "$(status_of "$kiln" compare "$out")"
check "compare shows the verdict" grep -q '^time: INCONCLUSIVE' "$work/out"
nothing_left "a measurement of arms"

if [ "$(nproc)" -ge 2 ]; then
  equal "side by side where there are two processors" side_by_side "$(json "$out" .time.mode)"
fi
equal "--serial" 0 "$(status_of "$kiln" measure --quiet --serial --max-pairs 2 -o "$out" --arm a=true --arm b=true)"
equal "--serial is in the report" serial "$(json "$out" .time.mode)"

# A private cache each, also side by side: what one arm leaves is not found by the other, or by the next pair.
# shellcheck disable=SC2016 # expanded by the arm's shell
probe='sh -c "mkdir \"$WARP_CACHE_PATH\" 2>/dev/null || test -e \"$TMPDIR/cold\"; : >\"$TMPDIR/cold\""'
equal "caches are private to each arm and pair" 0 \
  "$(status_of "$kiln" measure --quiet --max-pairs 3 --arm "a=$probe" --arm "b=$probe")"

# ---- three arms, time ----
equal "three arms" 0 "$(status_of "$kiln" measure --quiet --max-pairs 3 -o "$out" --arm a=true --arm b=true --arm c=true)"
equal "each candidate has its pairs with the baseline" "b3 c3" \
  "$(json "$out" '[.pairs | group_by(.candidate)[] | .[0].candidate + (length | tostring)] | join(" ")')"
equal "the baseline has a sample in each" 6 "$(json "$out" '.arms[0].samples | length')"
equal "two verdicts" 2 "$(json "$out" '.verdicts | length')"
equal "compare gives both" 2 "$("$kiln" compare --json "$out" | jq length)"
equal "compare gives the one that is asked for" '["a","c"]' "$("$kiln" compare --json --arm c "$out" | jq -c .names)"
equal "an arm that is not there" 2 "$(status_of "$kiln" compare --arm d "$out")"
check "the arms are listed" said "'a', 'b', 'c'"
equal "the baseline is no candidate" 2 "$(status_of "$kiln" compare --arm a "$out")"
equal "--max-time ends after the pair that runs" 0 \
  "$(status_of "$kiln" measure --quiet --max-time 0.001 -o "$out" --arm a=true --arm b=true)"
check "--max-time: few pairs" test "$(json "$out" '.pairs | length')" -le 1

# ---- a large change is found, at the first look or soon after ----
spin='python3 -S -c "sum(range(3000000))"'
if command -v python3 >/dev/null 2>&1; then
  equal "twice the work" 0 "$(status_of "$kiln" measure --quiet --max-pairs 45 -o "$out" \
    --arm "base=$spin" --arm 'cand=python3 -S -c "sum(range(12000000))"')"
  equal "is REGRESSED" REGRESSED "$(json "$out" .time.verdict)"
  equal "by cold CPU" cold_cpu "$(json "$out" .time.metric)"
  equal "compare: REGRESSED is 1" 1 "$(status_of "$kiln" compare "$out")"
  check "same work, different cost" grep -q 'same work, different cost' "$work/out"
  equal "compare judges as measure did" "$(json "$out" '.time | [.verdict, .effect, .lo, .hi, .pairs] | tostring')" \
    "$("$kiln" compare --json "$out" | jq -r '[.time, .effect, .lo, .hi, .details.pairs] | tostring')"
  equal "two reports of the same arms: the baseline is common" anchored "$("$kiln" compare --json "$out" "$out" | jq -r .recorded)"
  jq '.arms[1].samples |= map(.cold.cpu_s /= 2)' "$out" >"$work/faster.json"
  equal "relative to it a twice as fast candidate is IMPROVED" IMPROVED \
    "$("$kiln" compare --json "$out" "$work/faster.json" | jq -r .time)"
  equal "and the other way round REGRESSED" 1 "$(status_of "$kiln" compare "$work/faster.json" "$out")"
  jq '.arms[0].inputs = "0123456789abcdef"' "$out" >"$work/other.json"
  equal "another baseline: recorded apart" apart "$("$kiln" compare --json "$out" "$work/other.json" | jq -r .recorded)"
  jq '.time.rule = "hl-seq-0" | .verdicts[0].time.rule = "hl-seq-0"' "$out" >"$work/rule.json"
  "$kiln" compare "$work/rule.json" >"$work/out"
  check "another rule is said" grep -q 'another rule' "$work/out"
fi

# ---- runs that fail ----
equal "a command that fails at once" 4 "$(status_of "$kiln" measure --quiet --arm a=true --arm b=false)"
check "names the arm" said "of arm 'b'"
equal "a command that is not there" 4 "$(status_of "$kiln" measure --quiet --arm a=true --arm b=no-such-program)"
count="$work/count"
# shellcheck disable=SC2016 # expanded by the arm's shell
fail_at='sh -c "echo >>\"$0\"; test \"$(wc -l <\"$0\")\" != $1"'
: >"$count"
equal "one void pair is no end" 0 "$(status_of "$kiln" measure --quiet --max-pairs 4 -o "$out" \
  --arm a=true --arm "b=$fail_at $count 5")"
equal "it is kept, and does not count" "1 4" "$(json "$out" '[(.pairs | map(select(.valid | not)) | length), .time.pairs_made] | join(" ")')"
check "it says why" test "$(json "$out" '[.pairs[] | select(.valid | not) | .invalid_because | test("exited with code 1")] | .[0]')" = true
# shellcheck disable=SC2016 # expanded by the arm's shell
check "a warning counts it" test "$(json "$out" '[.warnings[] | select(test("1 of 5"))] | length')" = 1
equal "and nothing is printed of it" "" "$(cat "$work/err")"
equal "what the failing arm printed is shown, not what the other did" 4 "$(status_of "$kiln" measure --quiet \
  --arm "a=sh -c 'echo of the good one'" --arm "b=sh -c 'echo of the bad one; exit 3'")"
check "of the bad one" said "of the bad one"
check "only" eval '! said "of the good one" >/dev/null'
# shellcheck disable=SC2016 # for the inner shell
fail_later='sh -c "echo >>\"$0\"; test \"$(wc -l <\"$0\")\" -lt 5"'
: >"$count"
equal "more than one in ten is" 4 "$(status_of "$kiln" measure --quiet --max-pairs 40 -o "$out" \
  --arm a=true --arm "b=$fail_later $count")"
check "the count of void pairs is said" said "2 of 3 pairs are void"
nothing_left "a failed measurement"

# ---- Ctrl-C in the middle of a pair ----
"$kiln" measure --quiet --warmup 0 -o "$out" --arm 'a=sleep 60' --arm 'b=sleep 60' >"$work/out" 2>"$work/err" &
pid=$!
# shellcheck disable=SC2317 # called by check
both_run() {
  [ "$(pids_marked | wc -l)" -ge "$([ "$(nproc)" -lt 2 ] && echo 1 || echo 2)" ]
}
check "both arms run" in_time both_run
kill -INT "$pid"
interrupted=0
wait "$pid" || interrupted=$?
equal "Ctrl-C" 130 "$interrupted"
equal "is in the report" interrupted "$(json "$out" .state)"
equal "its pair does not count" 0 "$(json "$out" .time.pairs_made)"
nothing_left "Ctrl-C in a pair"

# ---- two reports, and a stored baseline ----
"$kiln" measure --quiet --warmup 0 --samples 2 -o "$work/a.json" -- true >/dev/null
equal "a report of one arm alone" 2 "$(status_of "$kiln" compare "$work/a.json")"
equal "recorded apart: work decides" 0 "$(status_of "$kiln" compare "$work/a.json" "$work/a.json")"
check "it says how to measure both" grep -q -- '--arm base=true --arm cand=true' "$work/out"
equal "a stored baseline is the first report" "$("$kiln" compare --json "$work/a.json" "$work/a.json")" \
  "$("$kiln" compare --json --baseline "$work/a.json" "$work/a.json")"
jq '.environment.kernel = "Linux 9.9"' "$work/a.json" >"$work/kernel.json"
equal "another kernel is refused" 3 "$(status_of "$kiln" compare "$work/a.json" "$work/kernel.json")"
check "with the option that allows it" grep -q -- '--allow-environment' "$work/out"
equal "JSON says why" environment "$("$kiln" compare --json "$work/a.json" "$work/kernel.json" | jq -r .refused_for)"
equal "--allow-environment" 0 "$(status_of "$kiln" compare --allow-environment "$work/a.json" "$work/kernel.json")"
check "the difference is noted" grep -q 'Linux 9.9' "$work/out"
finish
