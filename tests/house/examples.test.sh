#!/bin/sh
# The repaired example is the example with a few added lines, so that a comparison compares the same program.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
cd "$KILN_SOURCE/examples/warp" || exit 1

equal "the same files" "$(ls ./*.py)" "$(cd repaired && ls ./*.py)"
changed=$(for file in *.py; do cmp -s "$file" "repaired/$file" || echo "$file"; done)
equal "one file differs" forces.py "$changed"
diff forces.py repaired/forces.py >"$work/diff"
equal "no line was taken away" 0 "$(grep -c '^<' "$work/diff")"
check "at most six lines were added" test "$(grep -c '^>' "$work/diff")" -le 6
finish
