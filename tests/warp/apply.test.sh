#!/bin/sh
# kiln apply on real programs: what arrives, ranks build once; the costs in ./dev test-full, on an idle machine.
# shellcheck disable=SC2016 # jq's own variables
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq
need_kiln
need_warp
# shellcheck source=tests/warp/agent.sh
. "$KILN_SOURCE/tests/warp/agent.sh"
version_is 1.13 || skip "levers of the CPU's header need Warp 1.13, this is $warp_version"
cp -R "$KILN_SOURCE/tests/warp/levers" "$work/levers" || exit 1
cd "$work/levers" || exit 1
KILN_CACHE_DIR=$work/kiln
export KILN_CACHE_DIR
answer="sum 122.264633"

# recorded COMMAND…: a cold run under kiln record; all events in $all.
recorded() {
  rm -rf "$cache" "$work/record"
  recorded_rc=0
  "$kiln" record --quiet -o "$work/record" -- "$@" >"$work/out" 2>"$work/err" </dev/null || recorded_rc=$?
  cat "$work/record"/*.jsonl >"$all"
  return "$recorded_rc"
}
compiled='[.[] | select(.ev == "compile" and .step == "module" and .result == "compiled")]'

recorded "$python" main.py
equal "a run to learn from" "$answer" "$(grep '^sum' "$work/out")"
jq -s --arg how processes -f record.jq "$all" >ahead.json

# ---- a start in daily use ----
rm -rf "$cache"
equal "a program with its modules built ahead" 0 "$(status_of "$kiln" apply ahead.json -- "$python" main.py)"
equal "has the same result" "$answer" "$(grep '^sum' "$work/out")"
check "one line says what arrived" grep -Eqx 'kiln: (applied prebuild \(5 of 5\)|.*the program built it itself\))\.' "$work/err"
equal "a second start" 0 "$(status_of "$kiln" apply ahead.json -- "$python" main.py)"
check "finds all" grep -qx 'kiln: applied prebuild (5 of 5)\.' "$work/err"
sed -i 's/0\.5/0.25/' sim/grid.py
printf '\n\n@wp.kernel\ndef more(x: wp.array(dtype=float)):\n    x[0] = 1.0\n' >>sim/flow.py
equal "after edits" 0 "$(status_of "$kiln" apply ahead.json -- "$python" main.py)"
bare "$python" main.py
equal "the result is that of the edited program" "$(grep '^sum' "$work/bare.out")" "$(grep '^sum' "$work/out")"
check "what did not arrive is said" grep -q 'did not arrive: prebuild (sim.flow: its code or options are not as recorded' "$work/err"
cp -R "$KILN_SOURCE/tests/warp/levers/sim/." sim

# ---- three local ranks ----
jq '.levers += [{"id": "one_build"}, {"id": "enable_backward", "value": false}]' ahead.json >ranks.json
cat >ranks.sh <<'RANKS'
for rank in 1 2 3; do "$@" >"rank.$rank" & done
status=0
for rank in 1 2 3; do wait || status=1; done
exit $status
RANKS
recorded "$kiln" apply --quiet ranks.json -- sh ranks.sh "$python" main.py
equal "three ranks end well" 0 "$recorded_rc"
equal "each with the result" "$answer
$answer
$answer" "$(grep -h '^sum' rank.*)"
events_say "each identity is built once" "$compiled"' | [.[] | [.module, .identity, .block_dim]] | length == (unique | length) and length == 5'
events_say "each rank loads all" '[.[] | select(.ev == "load")] | length == 15'

[ "${KILN_FULL:-0}" = 1 ] || finish

# ---- ten cold starts of a small program: CPU time of all its processes ----
total() { # COMMAND…: user and system seconds of a command and all that it waited for
  "$python" -S -c 'import os, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
t = os.times(); print("%.3f" % (t.children_user + t.children_system))' "$@"
}
echo '{"schema": "kiln-levers-1", "levers": [{"id": "shared_pch"}]}' >shared.json
ten() { # FILE COMMAND…: ten cold starts; sum of CPU seconds
  ten_times=$1
  shift
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    rm -rf "$cache"
    total "$@" "$python" one.py "$ten_times"
  done | awk '{ sum += $1 } END { printf "%.3f\n", sum }'
}
without=$(ten "$work/without")
rm -rf "$KILN_CACHE_DIR"
with=$(ten "$work/with" "$kiln" apply --quiet shared.json --)
printf '   ten cold starts: %s s of CPU without, %s s with the shared header, its making included\n' "$without" "$with"
check "at most 0.45 of the CPU time" awk -v a="$with" -v b="$without" 'BEGIN { exit !(a <= 0.45 * b) }'
launch() { # FILE: median CPU seconds of the launch alone, without the first start
  sed 1d "$1" | cut -d' ' -f1 | sort -n | sed -n 5p
}
printf '   launch alone: %s s without, %s s with\n' "$(launch "$work/without")" "$(launch "$work/with")"
check "at most 0.2 for the launch alone" awk -v a="$(launch "$work/with")" -v b="$(launch "$work/without")" \
  'BEGIN { exit !(a <= 0.2 * b) }'

# ---- five modules on two cores: the ceiling is the largest of them, or everything else ----
[ "$(nproc)" -ge 2 ] || finish
"$python" make_five.py "$work/five" cpu
two="taskset -c $(taskset -pc $$ | sed 's/.*: //; s/-/,/' | cut -d, -f1-2)"
elapsed() { # COMMAND…: seconds of a cold run
  rm -rf "$cache"
  "$python" -S -c 'import subprocess, sys, time
begin = time.time()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print("%.3f" % (time.time() - begin))' "$@"
}
least() {
  sort -n | head -n 1
}
# In turns: other work on the machine then meets all three alike.
for turn in 1 2 3; do
  # shellcheck disable=SC2086 # words
  recorded $two "$python" "$work/five/main.py"
  jq -s --arg how processes -f record.jq "$all" >"five.$turn.json"
  jq '[.levers[0].modules[].cost_ms] | max / 1000' "five.$turn.json" >>"$work/largest"
  # shellcheck disable=SC2086 # words
  elapsed $two "$python" "$work/five/main.py" >>"$work/alone"
  rm -rf "$KILN_CACHE_DIR"
  # shellcheck disable=SC2086 # words
  elapsed $two "$kiln" apply --quiet five.1.json -- "$python" "$work/five/main.py" >>"$work/ahead"
done
alone=$(least <"$work/alone") ahead=$(least <"$work/ahead") largest=$(least <"$work/largest")
ceiling=$(awk -v a="$alone" -v l="$largest" 'BEGIN { r = a - l; printf "%.3f\n", (l > r ? l : r) }')
printf '   five modules: %s s alone, largest %s s, ceiling %s s; %s s built ahead\n' "$alone" "$largest" "$ceiling" "$ahead"
check "within 15 per cent of the ceiling" awk -v a="$ahead" -v c="$ceiling" 'BEGIN { exit !(a <= 1.15 * c) }'
finish
