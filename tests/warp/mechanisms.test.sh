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
equal "every mechanism is planted somewhere" 28 \
  "$(grep -v '^#' "$mechanisms/catalogue.table" | cut -d'|' -f5 | tr ',' '\n' | grep -E '^(CS|N)-' | sort -u | wc -l)"
finish
