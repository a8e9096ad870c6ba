#!/bin/sh
# The deadline of options that modules copy when they are made: set after the imports it arrives nowhere, and kiln says
# so module by module; set before, nothing is said. (As a lever it arrives: try.test.sh.)
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq
need_kiln
need_warp
TMPDIR=$work
export TMPDIR PYTHONDONTWRITEBYTECODE=1
out=$work/report.json
told() { # the remark about sim.py started with $1
  "$kiln" diagnose --warmup 0 --samples 1 --quiet --json -- "$python" "$KILN_SOURCE/tests/warp/try/sim.py" "$1" \
    >"$out" 2>"$work/err" </dev/null
  jq -r '.findings[] | select(.id == "too_late" and .state == "fired") | .sentence, .evidence[], .where[0].line' "$out"
}
line=$(grep -n 'enable_backward = False' "$KILN_SOURCE/tests/warp/try/sim.py" | tail -n 1 | cut -d: -f1)
equal "set after the imports: not arrived, module by module" \
  "\`warp.config.enable_backward\` was set to False at sim.py:$line after 2 modules had copied it: it did not arrive in them.
not arrived in module \`forces\`: it was built with enable_backward True
not arrived in module \`moves\`: it was built with enable_backward True
$line" "$(told late)"
equal "set before the imports: nothing to say" "" "$(told early)"
equal "of modules that were built" 2 "$(json "$out" '.arms[0].samples[0].cold.builds')"
finish
