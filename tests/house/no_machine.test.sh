#!/bin/sh
# Nothing in the tree belongs to one machine: no absolute path of the checkout or of a home, no package index.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool git
cd "$KILN_SOURCE" || exit 1
git rev-parse --git-dir >/dev/null 2>&1 || skip "not a git checkout"

# Only where a path begins: "$store/root/" is no home.
tracked_with() {
  escaped=$(printf '%s' "$1" | sed 's/[][\.*^$+?(){}|]/\\&/g')
  git grep -InE -e "(^|[^[:alnum:]_.}-])$escaped" -- . | head -n 5
}
# A short root (/src) would be found everywhere by chance.
for place in "$KILN_SOURCE" "$(dirname "$KILN_SOURCE")" "${HOME:-/}"; do
  [ "${#place}" -ge 5 ] || continue
  case $place in /home | /tmp | /usr | /usr/* | /opt) continue ;; esac
  equal "the path of this machine is in no file" "" "$(tracked_with "$place/")"
done
for word in index-url= index_url= /simple/; do
  equal "no package index is named ($word)" "" "$(git grep -In -e "$word" -- . ':!tests/house/no_machine.test.sh')"
done
finish
