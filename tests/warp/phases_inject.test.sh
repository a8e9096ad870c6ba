#!/bin/sh
# A busy wait of 300 ms CPU inside one phase makes that phase longer by 300 ms, and no other.
# Smallest of a few samples with and without; more of both when they do not fit (a wrong phase never fits).
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

more() { # PHASE REPORT: further samples for it; a phase that varies by 50 ms shows its floor in the smallest of many
  measure "$1" $((few + 1)) "$work/fresh_$2.json"
  jq -s '.[1].arms[0].samples as $more | .[0] | .arms[0].samples += $more' "$work/$2.json" "$work/fresh_$2.json" >"$work/both.json"
  mv "$work/both.json" "$work/$2.json"
}

differences() { # CONTROL INJECTED PHASE
  jq -nr --slurpfile control "$work/$1.json" --slurpfile injected "$work/$2.json" --arg phase "$3" \
    -f "$here/inject.jq" >"$work/said" || die "inject.jq could not read the reports"
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
  while :; do
    differences control injected "$phase"
    # A machine is faster in one minute than in another: those measured next to each other may agree where all do not.
    if [ -s "$work/said" ] && [ "$attempt" -gt 1 ]; then
      cp "$work/said" "$work/said_of_all"
      differences fresh_control fresh_injected "$phase"
      [ ! -s "$work/said" ] || cp "$work/said_of_all" "$work/said"
    fi
    [ -s "$work/said" ] || break
    [ "$attempt" -lt "$attempts" ] || break
    attempt=$((attempt + 1))
    more none control
    more "$phase" injected
  done
  if [ -s "$work/said" ]; then
    fail "300 ms in $phase ($attempt attempts)"
    sed 's/^/    /' "$work/said"
  else
    pass "300 ms in $phase are seen there, nowhere else (attempt $attempt)"
  fi
done
finish
