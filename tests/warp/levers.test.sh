#!/bin/sh
# Levers inside the program: each arrives, says so, builds nothing twice; whatever goes wrong, the result is the same.
# shellcheck disable=SC2016 # jq's own variables
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq taskset
need_warp
# shellcheck source=tests/warp/agent.sh
. "$KILN_SOURCE/tests/warp/agent.sh"
version_is 1.13 || skip "levers of the CPU's header need Warp 1.13, this is $warp_version"
cp -R "$KILN_SOURCE/tests/warp/levers" "$work/levers" || exit 1
cd "$work/levers" || exit 1
state=$work/state
mkdir -m 700 "$state"
answer="sum 122.264633"

# levers JSON…: the lever file has these levers.
levers() {
  printf '{"schema": "kiln-levers-1", "levers": [%s]}\n' "$1" >"$work/levers.json"
}
# with COMMAND…: a cold run with the lever file.
with() {
  rm -rf "$cache"
  KILN_LEVERS=$work/levers.json KILN_LEVERS_STATE=$state observed "$@"
}
# says WHAT EXPECTED: what Warp's answer was; its own lines are left out.
says() {
  equal "$1" "$2" "$(grep '^sum' "$work/out")"
}
lever_says() { # WHAT LEVER STATE [FILTER]
  events_say "$1" 'any(.ev == "lever" and .id == $id and .state == $state and ('"${4:-true}"'))' --arg id "$2" --arg state "$3"
}
no_error() {
  events_say "$1: no hook failed" 'all(.ev != "error")'
}
# Each identity was compiled once, by whichever process.
once() {
  events_say "$1: nothing is built twice" '[.[] | select(.ev == "compile" and .step == "module" and .result == "compiled") |
    [.module, .identity, .block_dim]] | length == (unique | length) and length >= $least' --argjson least "$2"
}

# ---- a run to compare with, and to record ----
observed "$python" main.py
says "without levers" "$answer"
jq -s --arg how processes -f record.jq "$all" >"$work/recorded.json"
equal "the record has five modules" 5 "$(jq '.levers[0].modules | length' "$work/recorded.json")"

# ---- modules built ahead ----
cp "$work/recorded.json" "$work/levers.json"
with "$python" main.py 3
says "built ahead: the same result" "$answer"
equal "built ahead: the same text on standard error" "" "$(grep -v -e CUDA -e FutureWarning "$work/err")"
once "built ahead" 5
no_error "built ahead"
events_say "of each recorded module it is said whether it arrived" '[.[] | select(.ev == "lever" and .id == "prebuild" and
  (.state == "applied" or .state == "missed")) | .module] | length == 5 and length == (unique | length)'
events_say "those that the program built itself did not, and no others" '(map(select(.ev == "load"))[0].pid) as $program |
  ([.[] | select(.ev == "compile" and .step == "module" and .result == "compiled" and .pid == $program) | .module] | unique) ==
  ([.[] | select(.ev == "lever" and .state == "missed" and .detail == "the program built it itself") | .module] | unique)'
events_say "nothing else is missed" 'all(.ev != "lever" or .state == "applied" or .detail == "the program built it itself")'
events_say "no builder starts the runtime and forks" '(map(select(.ev == "load"))[0].pid) as $program |
  ([.[] | select(.name == "init") | .pid] - [$program]) as $started |
  [.[] | select(.ev == "process" and .what == "fork") | .ppid] | length >= 3 and (. - $started) == .'
events_say "those that can be imported were built beside the program" '(map(select(.ev == "load"))[0].pid) as $program |
  [.[] | select(.ev == "compile" and .step == "module" and .result == "compiled" and (.module | startswith("sim."))) | .pid] |
  length == 3 and all(. != $program)'
events_say "those of the main script by a fork of it, the others by an interpreter of its own" '
  ([.[] | select(.name == "main") | .pid] | unique | length) == 2'
events_say "one header is made, for all" '[.[] | select(.ev == "pch")] | length <= 1'
check "no lock is left" test -z "$(ls "$state/locks")"

# ---- a start that finds everything has no builder ----
KILN_LEVERS=$work/levers.json KILN_LEVERS_STATE=$state observed "$python" main.py
says "warm: the same result" "$answer"
events_say "warm: there is one interpreter" 'map(select(.name == "boot")) | length == 1'

# ---- a record that no longer fits ----
sed -i 's/1\.25/2.25/' sim/flow.py
rm sim/heat.py
sed -i 's/, heat$//; s/, heat\.warm//' main.py
jq '.levers[0].modules |= map(if .name == "sim.grid" then .block_dim = 64 else . end)' "$work/recorded.json" >"$work/levers.json"
bare "$python" main.py
with "$python" main.py
says "another kernel, a module less, another block size: the result is the program's" "$(grep '^sum' "$work/bare.out")"
events_say "the edited module is built once" '[.[] | select(.ev == "compile" and .step == "module" and .result == "compiled" and
  .module == "sim.flow")] | length == 1'
lever_says "the module that is gone is said" prebuild failed '.module == "sim.heat" and (.detail | contains("is gone"))'
lever_says "the other block size too" prebuild missed '.module == "sim.grid" and (.detail | contains("block size 1"))'
no_error "a record that does not fit"
cp -R "$KILN_SOURCE/tests/warp/levers/." .
printf '\n\n@wp.kernel\ndef more(x: wp.array(dtype=float)):\n    x[0] = 1.0\n' >>sim/flow.py
cp "$work/recorded.json" "$work/levers.json"
with "$python" main.py
says "a kernel more: the same result" "$answer"
lever_says "is not what was recorded" prebuild missed '.module == "sim.flow" and (.detail | contains("not as recorded"))'
cp "$KILN_SOURCE/tests/warp/levers/sim/flow.py" sim/flow.py

# ---- one core ----
cp "$work/recorded.json" "$work/levers.json"
first=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
with taskset -c "$first" "$python" one.py
says "on one core: the same result" "sum 64.000000"
lever_says "nothing is built ahead there" prebuild failed '.detail | contains("one usable core")'

# ---- the shared header ----
levers '{"id": "shared_pch"}'
with "$python" one.py
says "the header that is there is used" "sum 64.000000"
lever_says "and that is said" shared_pch applied '.detail == "used"'
events_say "none is made" 'all(.ev != "pch")'
header=$(find "$state/headers" -name 'builtin_bd1_*.pch')
equal "it is this user's alone" "400 500" "$(stat -c %a "$header") $(stat -c %a "$(dirname "$header")")"
damage() { # WHAT COMMAND…: do it to the header
  damage_what=$1
  shift
  header=$(find "$state/headers" -name 'builtin_bd1_*.pch')
  chmod 700 "$(dirname "$header")"
  chmod 600 "$header"
  "$@"
  with "$python" one.py
  says "$damage_what: the same result" "sum 64.000000"
  equal "$damage_what: nothing on standard error" "" "$(grep -v -e CUDA -e FutureWarning "$work/err")"
  lever_says "$damage_what: it is made anew" shared_pch applied '.detail == "built"'
}
# shellcheck disable=SC2317 # called by damage
{
  foreign() { printf 'CPCH of somebody else' >"$header"; }
  other_byte() { printf 'x' | dd of="$header" bs=1 seek=100000 conv=notrunc 2>/dev/null; }
  writable() { chmod 666 "$header"; }
}
damage "a foreign header" foreign
[ "${KILN_FULL:-0}" = 1 ] && damage "one wrong byte" other_byte
[ "${KILN_FULL:-0}" = 1 ] && damage "others may write it" writable
chmod 755 "$state"
with "$python" one.py
says "a folder that others read: the same result" "sum 64.000000"
lever_says "a folder that others read is refused" shared_pch failed '.detail | contains("this user alone")'
chmod 700 "$state"

# ---- options ----
levers '{"id": "enable_backward", "value": false}, {"id": "max_unroll", "value": 4}, {"id": "fast_math", "value": true},
  {"id": "shared_pch"}, {"id": "max_magic", "value": 1}, {"id": "optimization_level", "value": "high"}'
with "$python" main.py
says "options: the result is the same here" "$answer"
for option in enable_backward max_unroll fast_math; do
  events_say "$option arrives in each module" '[.[] | select(.ev == "lever" and .id == $id and .state == "applied") | .module] |
    unique | length == 5' --arg id "$option"
done
events_say "and is in each identity" 'all(.ev != "hash" or .options == null or
  (.options.enable_backward == "False" and .options.max_unroll == "4" and .options.fast_math == "True"))'
lever_says "an unknown lever is said" max_magic failed
lever_says "a wrong value too" optimization_level failed '.detail | contains("high")'
printf 'import warp as wp\nwp.config.enable_backward = True\n' | cat - "$KILN_SOURCE/tests/warp/levers/one.py" >own.py
levers '{"id": "enable_backward", "value": false}, {"id": "shared_pch"}'
with "$python" own.py
lever_says "a program that sets it itself is right" enable_backward missed '.module == "__main__"'

# ---- three ranks of one cold program ----
levers '{"id": "one_build"}, {"id": "shared_pch"}'
rm -rf "$cache" "$events"
mkdir -p "$cache" "$events"
ranks=""
for rank in 1 2 3; do
  KILN_LEVERS=$work/levers.json KILN_LEVERS_STATE=$state KILN_EVENTS=$events LD_PRELOAD=$preload \
    "$python" main.py >"$work/rank.$rank" 2>&1 &
  ranks="$ranks $!"
done
for rank in $ranks; do wait "$rank" || fail "a rank failed"; done
cat "$events"/*.jsonl >"$all"
equal "three ranks: three times the result" "$answer
$answer
$answer" "$(grep -h '^sum' "$work"/rank.*)"
once "three ranks" 5
events_say "each rank loads each module" '[.[] | select(.ev == "load")] | length == 15'
check "no lock is left by them" test -z "$(ls "$state/locks")"

# ---- caches ----
levers '{"id": "persistent_cache", "folder": "'"$work/kept"'"}, {"id": "shared_pch"}'
printf 'import warp as wp\nwp.config.kernel_cache_dir = "%s/own"\nwp.init()\nwp.clear_kernel_cache()\n' "$work" |
  cat - "$KILN_SOURCE/tests/warp/levers/one.py" >clears.py
with "$python" clears.py
says "a kept cache: the same result" "sum 64.000000"
lever_says "it arrives" persistent_cache applied
with "$python" clears.py
events_say "a second start finds it, whatever the program clears" 'all(.ev != "compile" or .result == "cached")'
find "$work/kept" -type d -exec chmod 555 {} + -o -type f -exec chmod 444 {} +
find "$work/kept" | sort >"$work/kept.before"
levers '{"id": "readonly_cache", "folder": "'"$work/kept"'"}'
with "$python" one.py
says "a read-only cache: the same result" "sum 64.000000"
lever_says "it arrives" readonly_cache applied '.module == "__main__"'
events_say "nothing is compiled" 'all(.ev != "compile" or .result == "cached")'
equal "nothing is written there" "$(cat "$work/kept.before")" "$(find "$work/kept" | sort)"
chmod -R u+w "$work/kept"
chmod -R o+w "$work/kept"
with "$python" one.py
says "one that others write: the same result" "sum 64.000000"
lever_says "is not read" readonly_cache failed

# ---- a lever file of somebody else ----
levers '{"id": "shared_pch"}'
chmod 666 "$work/levers.json"
with "$python" one.py
says "a lever file that others write: the same result" "sum 64.000000"
events_say "it is not read, and that is said" 'any(.ev == "error" and .hook == "levers") and all(.ev != "lever")'
finish
