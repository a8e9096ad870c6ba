#!/bin/sh
# One source of the version: the file VERSION. The change log and the program agree with it.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_kiln
version=$(cat "$KILN_SOURCE/VERSION")
equal "CHANGELOG.md begins with this version" "$version" \
  "$(sed -n 's/^## \([0-9][0-9.]*\).*/\1/p' "$KILN_SOURCE/CHANGELOG.md" | head -n 1)"
equal "kiln version prints it" "kiln $version" "$("$kiln" version | head -n 1)"
equal "it is three numbers" "$version" "$(echo "$version" | grep -E '^[0-9]+\.[0-9]+\.[0-9]+$')"
finish
