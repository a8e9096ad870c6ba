#!/bin/sh
# The catalogue of mechanisms: program × mechanism, each cell against what was planted. MECHANISMS=PATTERN picks rows.
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq tar
need_kiln
need_warp
need_x86_64
# shellcheck source=tests/mechanisms/matrix.sh
. "$KILN_SOURCE/tests/mechanisms/matrix.sh"
TMPDIR=$work
export TMPDIR
matrix_all "${MECHANISMS:-}"
# Where loads for the CPU must not overlap, alone or beside a GPU: a warning, and no preload.
for name in old_one_after_another old_mixed_devices; do
  [ -f "$work/$name.json" ] || continue
  equal "$name: is warned" 1 \
    "$(jq '[.warnings[] | select(test("loads that may hit the CPU must not overlap"))] | length' "$work/$name.json")"
  equal "$name: no preload is advised" 0 \
    "$(jq '[.findings[] | .remedies[]? | select(test("force_load|max_workers|ahead"))] | length' "$work/$name.json")"
done
equal "every mechanism is planted somewhere" 28 \
  "$(grep -v '^#' "$mechanisms/catalogue.table" | cut -d'|' -f5 | tr ',' '\n' | grep -E '^(CS|N)-' | sort -u | wc -l)"
finish
