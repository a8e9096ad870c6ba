#!/bin/sh
# A program that never ends is ready when so many kernels were launched, in all its processes together.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need_warp
need_x86_64
report=$work/report.json
cat >"$work/serve.py" <<'PROGRAM'
import os, sys, time
import warp as wp

@wp.kernel
def step(a: wp.array(dtype=float)):
    a[wp.tid()] += 1.0

pid = os.fork() if "fork" in sys.argv else 1
a = wp.zeros(8, dtype=float, device="cpu")
for _ in range(25):
    wp.launch(step, dim=8, inputs=[a], device="cpu")
if "end" in sys.argv:
    sys.exit(0)
time.sleep(600)
PROGRAM
# measure N ARGUMENT…
measure() {
  wanted=$1
  shift
  status_of "$kiln" measure --quiet --warmup 0 --samples 1 --timeout 120 -o "$report" --until-launches "$wanted" -- "$python" "$work/serve.py" "$@"
}
cold='.arms[0].samples[0].cold'

equal "20 launches of an endless program" 0 "$(measure 20)"
equal "end it" ready "$(json "$report" "$cold.end")"
equal "they were made" true "$(json "$report" "$cold.launches >= 20")"
equal "its build is there" 1 "$(json "$report" "$cold.builds")"
equal "the warm run builds nothing" 0 "$(json "$report" '.arms[0].samples[0].warm.builds')"
equal "launches of two processes" 0 "$(measure 50 fork)"
equal "are summed" 50 "$(json "$report" "$cold.launches")"
nothing_left "an endless program"
equal "a program that ends with enough of them" 0 "$(measure 25 end)"
equal "was ready" true "$(json "$report" "$cold.ready_s > 0")"
equal "one that ends with too few" 4 "$(measure 26 end)"
finish
