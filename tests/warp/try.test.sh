#!/bin/sh
# Levers on real Warp: what comes too late in the program arrives from outside; a gradient is not given up. Time verdicts
# in ./dev test-full.
# shellcheck disable=SC2016 # jq's own variables
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq
need_kiln
need_warp
# shellcheck source=tests/warp/agent.sh
. "$KILN_SOURCE/tests/warp/agent.sh"
version_is 1.13 || skip "levers of the CPU's header need Warp 1.13, this is $warp_version"
programs=$KILN_SOURCE/tests/warp/try
out=$work/ledger.json
unset KILN_LEVERS
# try NAME CODE ARGUMENT…: the ledger in $out.
try() {
  try_name=$1 try_code=$2
  shift 2
  equal "$try_name" "$try_code" "$(status_of "$kiln" try --samples 1 --max-pairs 1 -o "$out" "$@")"
}
entry() { jq -r --arg lever "$1" ".entries[] | select(.lever == \$lever) | $2" "$out"; }

# Set by the program after its imports it reaches neither module; as a lever it reaches both.
try "an option that the program sets too late" 3 --lever enable_backward -- "$python" "$programs/sim.py" late
equal "arrives as a lever in every module" "forces true
moves true" "$(entry enable_backward '.modules[] | "\(.module) \(.arrived)"' | sort)"
equal "whose identities moved" 2 "$(entry enable_backward '[.modules[] | select(.before != .after)] | length')"
equal "the work is less" "FEWER source_bytes" "$(entry enable_backward '"\(.work) \(.decided_by)"')"
equal "launches and output are the same" "same same" "$(entry enable_backward '"\(.launches) \(.output)"')"
check "the ceiling is printed before the trial" awk '/The ceiling of building ahead: .* .builds: 2., the largest/ { seen = 1 }
  /Checking enable_backward/ { exit !seen }' "$work/err"

# A tape runs through both modules.
try "a program whose gradient needs backward code" 1 --lever enable_backward -- "$python" "$programs/tape.py"
equal "is refused the lever" refused "$(entry enable_backward .state)"
check "and told why" grep -q 'A tape ran backward' "$work/out"
equal "which was not even run" null "$(entry enable_backward .output)"
# shellcheck disable=SC2016 # for the check's shell
try "forced, with a check" 1 --force --lever enable_backward --check \
  'grep -q "^gradient" "$KILN_CHECK_STDOUT" && ! grep -q "^gradient 0.0000 0.0000 0.0000" "$KILN_CHECK_STDOUT"' \
  -- "$python" "$programs/tape.py"
equal "the wrong gradient is caught" "refused differs" "$(entry enable_backward '"\(.state) \(.output)"')"
check "by the check" grep -q 'says no (exit code 1)' "$work/out"

if [ "${KILN_FULL:-0}" = 1 ]; then
  # The gain of the lever is that of the repair: its estimate lies in the interval of the other, two per cent wider.
  equal "all levers that the run supports" 0 "$(status_of "$kiln" try --samples 3 --max-pairs 64 -o "$out" \
    -- "$python" "$programs/sim.py" late)"
  cat "$work/out"
  equal "backward code costs" applied "$(entry enable_backward .state)"
  equal "so does the header of every start" applied "$(entry shared_pch .state)"
  equal "both were measured together" 1 "$(jq '[.entries[] | select(.combination)] | length' "$out")"
  gain=$(entry enable_backward '.effects[0].percent')
  equal "the repaired program is measured" 0 "$(status_of "$kiln" measure --quiet --max-pairs 64 -o "$work/arms.json" \
    --arm "base='$python' '$programs/sim.py' late" --arm "repaired='$python' '$programs/sim.py' early")"
  equal "the repair helps" IMPROVED "$(json "$work/arms.json" .time.verdict)"
  check "as much as the lever" jq -e --argjson gain "$gain" \
    '.time | $gain > 100 * .lo - 2 and $gain < 100 * .hi + 2' "$work/arms.json"
fi
finish
