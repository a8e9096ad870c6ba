#!/bin/sh
# At most 5 % of a cold run is in no phase, phases add up, and the program's own time is the same cold and warm.
# fem is held to the same in its case (cases/fem_diffusion.jq), Newton in newton.test.sh.
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq
need_kiln
need_warp
here=$KILN_SOURCE/tests/warp
export PYTHONDONTWRITEBYTECODE=1

measure() { # NAME SAMPLES COMMAND…
  name=$1 samples=$2
  shift 2
  "$kiln" measure --warmup 0 --samples "$samples" --quiet --json -- "$python" "$@" >"$work/$name.json" \
    2>"$work/err" </dev/null || die "$name: $(tail -n 3 "$work/err")"
  jq -r -f "$here/phases.jq" "$work/$name.json" >"$work/said"
  check "$name: phases are disjoint and add up" test ! -s "$work/said"
  sed 's/^/    /' "$work/said"
  jq -r -f "$here/rest.jq" "$work/$name.json" >"$work/said"
  check "$name: at most 5 % of the cold run is unexplained" test ! -s "$work/said"
  sed 's/^/    /' "$work/said"
}

measure trivial 2 "$here/cases/os_exit.py"
measure sph 1 -m warp.examples.core.example_sph --stage-path None --num-frames 1 --device cpu
# shellcheck disable=SC2016 # jq's own variables
# CPU time, 10 % and 30 ms: the simulation of sph takes seconds, so a phase that leaks into it shows.
check "sph: its own time is the same cold and warm" jq -e '
  .arms[0].samples[0] | .cold.phases.program.cpu_s as $c | .warm.phases.program.cpu_s as $w
  | $w > 0.2 and ($c - $w | fabs) <= 0.03 + 0.1 * $w' "$work/sph.json"
finish
