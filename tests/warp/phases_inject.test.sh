#!/bin/sh
# A busy wait of 300 ms CPU inside one phase makes that phase longer by 300 ms, and no other.
# Smallest of a few samples with and without; when they do not fit, rounds of both, and the median of what they say (a
# wrong phase never fits).
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq
need_kiln
need_warp
here=$KILN_SOURCE/tests/warp
export PYTHONDONTWRITEBYTECODE=1
attempts=6
few=2
[ "${KILN_FULL:-0}" != 1 ] || few=5

measure() { # PHASE SAMPLES FILE
  KILN_INJECT=$1 PYTHONPATH=$here/inject_site "$kiln" measure --warmup 0 --samples "$2" --quiet --json -- \
    "$python" "$here/inject.py" >"$3" 2>"$work/err" </dev/null || die "inject.py: $(tail -n 3 "$work/err")"
}

more() { # PHASE: a round of both, one next to the other: a machine is faster in one minute than in another
  for more_of in none "$1"; do
    measure "$more_of" $((few + 1)) "$work/round.json"
    cat "$work/round.json" >>"$work/rounds_$more_of.json"
  done
}

differences() { # CONTROL INJECTED PHASE: each file a report, or one a round
  jq -nr --slurpfile control "$1" --slurpfile injected "$2" --arg phase "$3" -f "$here/inject.jq" >"$work/said" ||
    die "inject.jq could not read the reports"
}

measure none $((few + 1)) "$work/control.json"
jq -r -f "$here/phases.jq" "$work/control.json" >"$work/said"
check "phases are disjoint and add up" test ! -s "$work/said"
sed 's/^/    /' "$work/said"
check "the header is a phase of its own, only where it was made" \
  jq -e '.arms[0].samples | all(.cold.phases.pch.cpu_s > 0.2 and .warm.phases.pch.cpu_s == 0)' "$work/control.json"
for phase in interpreter_start imports init declaration hashing codegen pch compile load first_launch program \
  interpreter_exit; do
  attempt=1
  measure "$phase" "$few" "$work/injected.json"
  differences "$work/control.json" "$work/injected.json" "$phase"
  rm -f "$work"/rounds_*.json
  while [ -s "$work/said" ] && [ "$attempt" -lt "$attempts" ]; do
    attempt=$((attempt + 1))
    more "$phase"
    differences "$work/rounds_none.json" "$work/rounds_$phase.json" "$phase"
  done
  if [ -s "$work/said" ]; then
    fail "300 ms in $phase ($attempt attempts)"
    sed 's/^/    /' "$work/said"
  else
    pass "300 ms in $phase are seen there, nowhere else (attempt $attempt)"
  fi
done
finish
