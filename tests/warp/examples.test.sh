#!/bin/sh
# The demo's two programs: five builds cold, three when repaired, the same output, the same launches; kiln says so.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_warp
need_tool jq
need_kiln
cd "$KILN_SOURCE" || exit 1
export PYTHONDONTWRITEBYTECODE=1

# built FOLDER CACHE OUTPUT: run it on a fresh cache; print how many module folders it left: the truth, without kiln.
built() {
  WARP_CACHE_PATH=$2 "$python" "$1/app.py" >"$3" 2>/dev/null || echo "failed"
  find "$2" -maxdepth 2 -name 'wp_*' -type d | wc -l
}
equal "the example builds five times" 5 "$(built examples/warp "$work/cache-a" "$work/output-a")"
equal "the repaired one three times" 3 "$(built examples/warp/repaired "$work/cache-b" "$work/output-b")"
check "both print the same" cmp -s "$work/output-a" "$work/output-b"
equal "four lines" 4 "$(wc -l <"$work/output-a")"

measure() {
  status_of "$kiln" measure --warmup 0 --samples 1 -o "$1" -- "$python" "$2/app.py"
}
equal "kiln measures the example" 0 "$(measure "$work/report.json" examples/warp)"
equal "kiln measures the repaired one" 0 "$(measure "$work/repaired.json" examples/warp/repaired)"
equal "fewer is no failure" 0 "$(status_of "$kiln" compare "$work/report.json" "$work/repaired.json")"
check "the verdict has both counts" grep -qF 'work: FEWER (5 → 3 builds)' "$work/out"
equal "the other way round is the answer no" 1 "$(status_of "$kiln" compare "$work/repaired.json" "$work/report.json")"
check "and says more" grep -qF 'work: MORE (3 → 5 builds)' "$work/out"
finish
