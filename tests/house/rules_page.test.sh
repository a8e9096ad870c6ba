#!/bin/sh
# docs/rules.md answers for every rule: R1…R65 and S1…S11, one row each, and what a row names exists.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
cd "$KILN_SOURCE" || exit 1
page=docs/rules.md

rows() {
  sed -n 's/^| *\([RS][0-9][0-9]*\) *|.*/\1/p' "$page"
}
expected() {
  seq 65 | sed 's/^/R/'
  seq 11 | sed 's/^/S/'
}
rows >"$work/rows"
expected >"$work/expected"
check "every rule has one row, in order" cmp -s "$work/rows" "$work/expected"

# Places and tests are written in backquotes; those that are paths must be there.
# shellcheck disable=SC2016 # a pattern with backquotes
missing=$(grep '^| *[RS][0-9]' "$page" | grep -o '`[a-z.][A-Za-z0-9_./-]*/[A-Za-z0-9_.*/-]*`' | tr -d '`' | sort -u |
  while read -r path; do
    # shellcheck disable=SC2086 # a pattern may stand for several files
    ls -d $path >/dev/null 2>&1 || echo "$path"
  done)
equal "paths that the page names and that are not there" "" "$missing"
finish
