#!/bin/sh
# kiln cache ls, stats, verify, gc, clear: what is there, whether it is sound, and making room.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/cache_lib.sh"

equal "ls of nothing" 0 "$(status_of "$kiln" cache ls)"
equal "says nothing" "" "$(cat "$work/out")"
equal "verify of nothing" "0 good, 0 damaged" "$("$kiln" cache verify)"
equal "gc of nothing" "removed 0 entries, 0 B" "$("$kiln" cache gc)"
equal "clear of nothing" "removed 0 entries" "$("$kiln" cache clear)"
check "nothing was made" test ! -e "$KILN_CACHE_DIR/v1/entries"

for name in one two three; do
  spec "$name" "$name" "return 1;"
  equal "build $name" built "$(result_of "$work/$name.json")"
  json "$work/out" .path >"$work/$name.path"
done
path_one=$(cat "$work/one.path")
path_two=$(cat "$work/two.path")
equal "ls" 0 "$(status_of "$kiln" cache ls)"
equal "a head and three entries" 4 "$(wc -l <"$work/out")"
equal "names" "one three two" "$("$kiln" cache ls --json | jq -r '[.[].name] | sort | join(" ")')"
equal "built by" hostcc "$("$kiln" cache ls --json | jq -r '.[0].toolchain')"
equal "a date of today" true "$("$kiln" cache ls --json | jq "now - .[0].built < 3600")"
touch -d '3 days ago' "$path_one"
equal "the last used first" one "$("$kiln" cache ls --json | jq -r '.[2].name')"

equal "stats" 0 "$(status_of "$kiln" cache stats)"
check "name the place and its setting" grep -qF "$KILN_CACHE_DIR (from KILN_CACHE_DIR)" "$work/out"
equal "stats as JSON" "3 0 true" "$("$kiln" cache stats --json | jq -r '"\(.entries) \(.quarantined) \(.writable)"')"

equal "gc: only what is old" "1 true" "$("$kiln" cache gc --limit 1K --json | jq -r '"\(.removed) \(.freed_bytes > 1000)"')"
check "the old one" test ! -e "$path_one"
equal "it is built again" built "$(result_of "$work/one.json")"

equal "verify" "3 good, 0 damaged" "$("$kiln" cache verify)"
chmod u+w "$path_two"
printf 'X' | dd of="$path_two" bs=1 seek=100 conv=notrunc 2>/dev/null
equal "verify sees damage" 1 "$(status_of "$kiln" cache verify)"
equal "and counts it" "2 good, 1 damaged; those of the store were moved to quarantine" "$(cat "$work/out")"
check "and names it" said "$path_two"
equal "in quarantine" 1 "$("$kiln" cache stats --json | jq .quarantined)"
equal "it is built again" built "$(result_of "$work/two.json")"

equal "a layer is read" hit "$(export KILN_CACHE_LAYERS="$KILN_CACHE_DIR" && result_of --cache "$work/above" "$work/one.json")"
equal "and counted apart" "0 3" \
  "$(KILN_CACHE_LAYERS=$KILN_CACHE_DIR "$kiln" cache stats --cache "$work/above" --json | jq -r '"\(.entries) \(.layer_entries)"')"
equal "and never cleared" "removed 0 entries" "$(KILN_CACHE_LAYERS=$KILN_CACHE_DIR "$kiln" cache clear --cache "$work/above")"

equal "gc: also what is young" 3 "$("$kiln" cache gc --limit 1 --young --json | jq .removed)"
equal "build" built "$(result_of "$work/one.json")"
equal "clear" "removed 1 entry" "$("$kiln" cache clear)"
equal "nothing is left" 0 "$(entries)"
equal "it is built again" built "$(result_of "$work/one.json")"
nothing_left "all of it"
finish
