#!/bin/sh
# Options as levers: the lines that the ledger gives for a program's own files do what the lever does; levels of
# optimisation have headers of their own; a kept cache is kept whatever the program does to it.
# shellcheck disable=SC2016 # jq's own variables
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq
need_kiln
need_warp
# shellcheck source=tests/warp/agent.sh
. "$KILN_SOURCE/tests/warp/agent.sh"
version_is 1.13 || skip "levers of the CPU's header need Warp 1.13, this is $warp_version"
cp -R "$KILN_SOURCE/tests/warp/try" "$work/try" && cp "$KILN_SOURCE/tests/warp/levers/one.py" "$work/try/one.py" || exit 1
cd "$work/try" || exit 1
state=$work/state
mkdir -m 700 "$state"
one="sum 64.000000"
unset KILN_LEVERS

levers() {
  printf '{"schema": "kiln-levers-1", "levers": [%s]}\n' "$1" >"$work/levers.json"
}
with() {
  rm -rf "$cache"
  KILN_LEVERS=$work/levers.json KILN_LEVERS_STATE=$state observed "$@"
}
identities() {
  jq -rs '[.[] | select(.ev == "compile" and .step == "module") | "\(.module) \(.identity)"] | sort | join("\n")' "$all"
}
says() { # WHAT EXPECTED
  equal "$1: the same result" "$2" "$(grep -e '^sum' -e '^energy' "$work/out")"
  events_say "$1: no hook failed, and nothing was built twice" 'all(.ev != "error") and ([.[] |
    select(.ev == "compile" and .step == "module") | [.module, .identity]] | length == (unique | length) and length > 0)'
}

# ---- the lever, and the same by the program's own lines ----
levers '{"id": "shared_pch"}'
with "$python" sim.py
energy=$(grep '^energy' "$work/out")
before=$(identities)
levers '{"id": "shared_pch"}, {"id": "enable_backward", "value": false}, {"id": "max_unroll", "value": 4},
  {"id": "optimization_level", "value": 1}, {"id": "enable_mathdx_gemm", "value": false}, {"id": "fast_math", "value": true}'
with "$python" sim.py
says "five options" "$energy"
lever=$(identities)
for option in enable_backward max_unroll optimization_level enable_mathdx_gemm fast_math; do
  events_say "$option arrives in both modules" '[.[] | select(.ev == "lever" and .id == $id) | [.module, .state]] | unique |
    . == [["forces", "applied"], ["moves", "applied"]]' --arg id "$option"
done
check "no identity stayed" test -z "$(printf '%s\n%s\n' "$before" "$lever" | sort | uniq -d)"
equal "two modules" 2 "$(echo "$lever" | wc -l)"
events_say "another level has a header of its own" 'any(.ev == "lever" and .id == "shared_pch" and .detail == "built")'
mkdir lines
cp ./*.py lines
sed -i 's/^import warp as wp$/&\nwp.config.enable_backward = False\nwp.config.max_unroll = 4\nwp.config.optimization_level = 1\nwp.config.enable_mathdx_gemm = False/' lines/sim.py
sed -i 's/^import warp as wp$/&\nwp.set_module_options({"fast_math": True})/' lines/forces.py lines/moves.py
levers '{"id": "shared_pch"}'
with "$python" lines/sim.py
says "the lines of the ledger" "$energy"
equal "have the identities of the levers" "$lever" "$(identities)"
events_say "and use the header that the lever had made" 'any(.ev == "lever" and .id == "shared_pch" and .detail == "used")'

levers '{"id": "shared_pch"}, {"id": "optimization_level", "value": 7}, {"id": "max_unroll", "value": true},
  {"id": "fast_math", "value": "yes"}, {"id": "enable_backward"}'
with "$python" sim.py
says "values that no option has" "$energy"
equal "leave the program as it was" "$before" "$(identities)"
for option in optimization_level max_unroll fast_math enable_backward; do
  events_say "and $option is said" '[.[] | select(.ev == "lever" and .id == $id) | .state] == ["failed"]' --arg id "$option"
done

# ---- what the ledger says of them ----
if [ "${KILN_FULL:-0}" = 1 ]; then
  equal "kiln try" 3 "$(status_of "$kiln" try --samples 1 --max-pairs 1 --allow-kernel-changes --lever optimization_level=0 \
    --lever fast_math -o "$work/ledger.json" -- "$python" sim.py)"
  entry() { jq -r --arg lever "$1" ".entries[] | select(.lever == \$lever) | $2" "$work/ledger.json"; }
  for lever in optimization_level fast_math; do
    equal "$lever arrived in both modules" "forces true
moves true" "$(entry "$lever" '.modules[] | "\(.module) \(.arrived)"' | sort)"
    equal "$lever: launches and output are the same" "same same" "$(entry "$lever" '"\(.launches) \(.output)"')"
    equal "$lever: what the kernels then cost was measured" 1 "$(entry "$lever" '[.effects[] | select(.metric == "program")] | length')"
  done
  check "fast_math belongs in both files" grep -q "in each file that declares kernels, before its first launch: 'forces.py', 'moves.py'" \
    "$work/ledger.json"
  equal "without consent" 1 "$(status_of "$kiln" try --samples 1 --max-pairs 1 --lever fast_math -o "$work/ledger.json" -- "$python" sim.py)"
  check "none is tried" grep -q 'needs your consent' "$work/out"
fi

# ---- a kept cache ----
levers '{"id": "persistent_cache", "folder": "'"$work/kept"'"}, {"id": "shared_pch"}'
twice() { # WHAT: program.py finds its builds in a second start
  rm -rf "$work/kept"
  with "$python" program.py
  says "$1" "$one"
  with "$python" program.py
  says "$1, again" "$one"
  events_say "$1: the second start finds all" 'all(.ev != "compile" or .result == "cached")'
}
{
  cat one.py
  printf 'import shutil\nshutil.rmtree(wp.config.kernel_cache_dir)\n'
} >program.py
twice "a program that removes its cache when it ends"
events_say "is told" 'any(.ev == "lever" and .id == "persistent_cache" and (.detail // "" | contains("removed its cache")))'
printf 'import shutil, tempfile\nimport warp as wp\nown = tempfile.mkdtemp()\nwp.config.cache_kernels = False\nwp.config.kernel_cache_dir = own\nopen(own + "/file", "w").close()\n' |
  cat - one.py >program.py
printf 'shutil.rmtree(own)\nimport os\nassert not os.path.exists(own)\n' >>program.py
twice "a fresh folder, and no kernels cached"
equal "what is the program's own is removed" 0 "$observed_rc"
printf 'import os\nos.environ["WARP_CACHE_PATH"] = "%s/own"\nos.environ["CUDA_CACHE_PATH"] = "%s/own"\nos.environ["CUDA_CACHE_DISABLE"] = "1"\n' "$work" "$work" |
  cat - one.py >program.py
printf 'print(os.environ.get("CUDA_CACHE_DISABLE"), os.environ["CUDA_CACHE_PATH"])\n' >>program.py
twice "a program that sets the variables itself"
check "the driver's cache is kept too" grep -qx "None $work/kept/driver" "$work/out"
printf 'import warp as wp\nwp.init()\nwp.config.kernel_cache_dir = "%s/late"\n' "$work" | cat - one.py >program.py
with "$python" program.py
says "a folder that is named too late for the lever" "$one"
events_say "is said" 'any(.ev == "lever" and .id == "persistent_cache" and .state == "missed" and (.detail | contains("/late")))'
finish
