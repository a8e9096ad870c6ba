#!/bin/sh
# Both verdicts on real programs: a repair, an option that does not arrive, builds that overlap.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq
need_kiln
need_warp
out=$work/arms.json
app=$KILN_SOURCE/examples/warp
arms=$KILN_SOURCE/tests/warp/arms
# Time wants 11 pairs at least; counts are exact, so the short test makes one.
pairs=1
[ "${KILN_FULL:-0}" = 1 ] && pairs=45

# measure NAME A B [OPTION…]
measure() {
  measure_name=$1 measure_base=$2 measure_cand=$3
  shift 3
  equal "$measure_name: measured" 0 "$(status_of "$kiln" measure --quiet "$@" --max-pairs "$pairs" -o "$out" --arm "base=$measure_base" --arm "cand=$measure_cand")"
  cat "$work/err"
  printf '   %s\n' "$(json "$out" '.verdicts[0] | "\(.work) \(.decided_by) \(.time.verdict) \(.time.metric) \(.time.effect) \(.time.pairs)"')"
}
time_is() {
  [ "$pairs" -eq 1 ] || equal "$1: time" "$2" "$(json "$out" .time.verdict)"
}

measure "repaired" "'$python' '$app/app.py'" "'$python' '$app/repaired/app.py'"
equal "repaired: work" FEWER "$(json "$out" '.verdicts[0].work')"
equal "repaired: by builds" builds "$(json "$out" '.verdicts[0].decided_by')"
time_is repaired IMPROVED

one="'$python' '$arms/module.py' one"
measure "an option that does not arrive" "$one" "env KILN_TEST_NO_SUCH_OPTION=1 $one"
equal "an option that does not arrive: work" SAME "$(json "$out" '.verdicts[0].work')"
time_is "an option that does not arrive" SAME

# The same two builds one after the other, and at once by two processes: the sum is the same, the clock is not. With
# --serial, or each arm would have half of the processors.
one="\"$python\" \"$arms/module.py\" one" two="\"$python\" \"$arms/module.py\" two"
measure "overlapped" "sh -c '$one; $two'" "sh -c '$one & $two & wait'" --serial
equal "overlapped: work" SAME "$(json "$out" '.verdicts[0].work')"
if [ "$pairs" -gt 1 ]; then
  equal "overlapped: elapsed decides" cold_elapsed "$(json "$out" .time.metric)"
  # Where others take the processors all the time, building two at once gains nothing.
  busy=$(json "$out" '.time.conditions.cpu_pressure | . != null and . > 0.5')
  [ "$busy" = true ] || equal "overlapped: time" IMPROVED "$(json "$out" .time.verdict)"
  check "overlapped: not slower" test "$(json "$out" .time.verdict)" != REGRESSED
fi
finish
