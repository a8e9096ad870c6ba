#!/bin/sh
# No false verdicts: 300 complete runs of a fake program against itself.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
. "$KILN_SOURCE/tests/cli/aa.sh"
need_full
[ -x "$aa_program" ] || die "$aa_program is missing; build with KILN_BENCH=ON"
aa_check 300 7
finish
