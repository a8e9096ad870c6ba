#!/bin/sh
# The programs of group "released" in cases.table, measured by kiln and held against what they are known to do.
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq
need_kiln
need_warp
need_x86_64
# shellcheck source=tests/warp/cases.sh
. "$KILN_SOURCE/tests/warp/cases.sh"
run_cases released
finish
