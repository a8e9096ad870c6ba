#!/bin/sh
# A recorded run of real Warp: counts, findings, and builds of each process.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need_warp
need_x86_64
WARP_CACHE_PATH=$work/cache
export WARP_CACHE_PATH
cat >"$work/two.py" <<'PROGRAM'
import os, subprocess, sys
import warp as wp

@wp.kernel
def one(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0

a = wp.zeros(8, dtype=float, device="cpu")
wp.launch(one, dim=8, inputs=[a], device="cpu")
if len(sys.argv) == 1:
    @wp.kernel
    def two(a: wp.array(dtype=float)):
        a[wp.tid()] = 2.0
    wp.launch(two, dim=8, inputs=[a], device="cpu")
    subprocess.run([sys.executable, __file__, "child"], check=True)
PROGRAM

equal "record" 0 "$(status_of "$kiln" record --quiet -o "$work/rec" -- "$python" "$work/two.py")"
equal "report" 0 "$(status_of "$kiln" report --json "$work/rec")"
report=$work/report.json
cp "$work/out" "$report"
equal "two builds, and the child finds the first" 2 "$(json "$report" '.arms[0].samples[0].cold.builds')"
equal "three loads" 3 "$(json "$report" '.arms[0].samples[0].cold.loads')"
equal "builds of each process" "[0,2]" "$(jq -c '[.processes[] | select(.loads > 0) | .builds] | sort' "$report")"
equal "launches of each process" "[1,2]" "$(jq -c '[.processes[] | select(.loads > 0) | .launches] | sort' "$report")"
equal "the cause is found" true "$(json "$report" '[.findings[].id] | index("CS-1") != null')"
check "in the user's own cache" test -n "$(ls "$work/cache")"
equal "a report of the record" 0 "$(status_of "$kiln" report "$report")"
cp "$work/out" "$work/again"
equal "is the page of the record" 0 "$(status_of "$kiln" report "$work/rec")"
check "word for word" diff "$work/out" "$work/again"
finish
