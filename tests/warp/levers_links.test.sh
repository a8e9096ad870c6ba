#!/bin/sh
# Link-time objects without a GPU: built ahead from recorded calls, brought from a read-only cache, or not needed because
# the library is switched off.
# shellcheck disable=SC2016 # jq's own variables
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq
need_kiln
need_warp
# shellcheck source=tests/warp/agent.sh
. "$KILN_SOURCE/tests/warp/agent.sh"
version_is 1.14 || skip "Warp $warp_version has no options for transforms and solvers"
cp "$KILN_SOURCE/tests/warp/levers/tiles.py" "$work/tiles.py" || exit 1
cd "$work" || exit 1
state=$work/state
mkdir -m 700 "$state"

# with COMMAND…: a run with the lever file; the cache is as it is.
with() {
  KILN_LEVERS=$work/levers.json KILN_LEVERS_STATE=$state observed "$@"
}
says() { # WHAT EXPECTED
  equal "$1: the program ends well" 0 "$observed_rc"
  equal "$1: the same output" "$2" "$(grep '^built' "$work/out")"
  equal "$1: nothing on standard error" "" "$(grep -v -e CUDA -e FutureWarning "$work/err")"
  events_say "$1: no hook failed" 'all(.ev != "error")'
}
# Objects that were made, by whichever process.
made='[.[] | select(.ev == "link" and .result == "compiled") | .symbol]'
program='(map(select(.ev == "compile" and .step == "module"))[0].pid) as $program |'
lever='[.[] | select(.ev == "lever" and .id == "lto_ahead")]'

# ---- a run to learn from ----
observed "$python" tiles.py fft solver
says "without levers" "built 2"
jq -s '{schema: "kiln-levers-1", levers: [{id: "lto_ahead", jobs: 2, calls:
  [.[] | select(.ev == "link" and .result == "compiled") | {symbol, function, arguments}]}]}' "$all" >recorded.json
equal "three calls are recorded" "build_lto_fft build_lto_solver build_lto_solver" \
  "$(jq -r '[.levers[0].calls[].function] | sort | join(" ")' recorded.json)"

# ---- built ahead; what is no call is refused ----
jq '.levers[0].calls += [{symbol: "x", function: "clear_lto_cache", arguments: {}}, {symbol: "y", function: "build_lto_fft",
  arguments: {size: "(__import__)"}}, {function: "build_lto_fft"}]' recorded.json >levers.json
rm -rf "$cache"
with "$python" tiles.py fft solver
says "built ahead" "built 2"
events_say "each object is made once" "$made"' | length == 3 and length == (unique | length)'
events_say "some of them by others than the program" "$program"' any(.ev == "link" and .result == "compiled" and .pid != $program)'
for call in x y; do
  events_say "call $call is refused" '[.[] | select(.ev == "lever" and .state == "failed" and .module == $call)] | length == 1' --arg call "$call"
done
events_say "and so is one without a symbol" '[.[] | select(.ev == "lever" and .state == "failed" and .module == null and
  (.detail | contains("is no recorded call")))] | length == 1'
events_say "of each other it is said whether it arrived" "$lever"' | map(select(.state != "failed") | .module) | length == 3 and length == (unique | length)'
events_say "and that is so" "$program"' ([.[] | select(.ev == "link" and .result == "compiled" and .pid == $program) | .symbol] | sort) ==
  ([.[] | select(.ev == "lever" and .state == "missed" and .detail == "the program built it itself") | .module] | sort)'
events_say "the others were found" "$lever"' | map(select(.state == "applied")) | length >= 1'
check "no lock is left" test -z "$(ls "$state/locks")"

with "$python" tiles.py fft solver
says "a second start" "built 2"
events_say "finds them all" "$lever"' | length == 0 or all(.state == "applied")'
events_say "and has no builder" 'map(select(.name == "boot")) | length == 1'

# ---- an object that is gone is built ahead again ----
rm -rf "$cache"/*/wp_tiles.solver_* # else it is not asked for
gone=$(jq -r '.levers[0].calls[] | select(.symbol | startswith("potrs")) | .symbol' recorded.json)
key=$("$python" -c 'import sys, warp._src.build as b; print(b.hash_symbol(sys.argv[1])[: b.LTO_CACHE_KEY_LENGTH])' "$gone")
check "the object is in the cache" test -f "$(echo "$cache"/*/lto/"$key.lto")"
rm -f "$cache"/*/lto/"$key"*
with "$python" tiles.py fft solver
says "an object is gone" "built 2"
events_say "there is a builder again" 'map(select(.name == "boot")) | length > 1'
events_say "it is made once" "$made"' == [$gone]' --arg gone "$gone"

# ---- a read-only cache brings objects for a module that it does not have ----
rm -rf kept
mv "$cache" kept
rm -rf kept/*/wp_*
chmod -R go-w kept
echo '{"schema": "kiln-levers-1", "levers": [{"id": "readonly_cache", "folder": "'"$work/kept"'"}]}' >levers.json
with "$python" tiles.py solver
says "a read-only cache" "built 1"
events_say "brings both objects" '[.[] | select(.ev == "lever" and .id == "readonly_cache" and .state == "applied" and
  (.detail | endswith(".lto")))] | length == 2'
events_say "and none is made" 'all(.ev != "link" or .result == "cached")'

# ---- the library switched off ----
echo '{"schema": "kiln-levers-1", "levers": [{"id": "enable_mathdx_gemm", "value": false},
  {"id": "enable_mathdx_fft", "value": false}, {"id": "enable_mathdx_solver", "value": false}]}' >levers.json
rm -rf "$cache"
with "$python" tiles.py gemm fft solver
says "without MathDx" "built 3"
events_say "no object is made or looked for" 'all(.ev != "link")'
for option in gemm fft solver; do
  events_say "enable_mathdx_$option arrives in each module" '[.[] | select(.ev == "lever" and .id == $id) |
    [.module, .state]] | unique | length == 3 and all(.[1] == "applied")' --arg id "enable_mathdx_$option"
done
events_say "and is in each identity" '[.[] | select(.ev == "hash" and .options != null)] | length >= 3 and
  all(.options | .enable_mathdx_gemm == "False" and .enable_mathdx_fft == "False" and .enable_mathdx_solver == "False")'
with "$python" tiles.py plain keeps
says "a program that decides for itself" "built 1"
events_say "is right" 'any(.ev == "lever" and .id == "enable_mathdx_gemm" and .state == "missed" and .module == "tiles.plain")'
finish
