#!/bin/sh
# kiln cache explain: hit or miss, every field, and for a miss exactly what differs from the nearest entry. It builds nothing.
# shellcheck disable=SC2030,SC2031 # a setting is for one call
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/cache_lib.sh"

spec answer answer 'return 42;' ', "flags": ["-O2"]'
equal "an empty store: a miss" 1 "$(status_of "$kiln" cache explain "$work/answer.json")"
check "says so" grep -q '^miss: answer' "$work/out"
check "and that there is nothing to compare" grep -q 'no entry to compare' "$work/out"
equal "no entry was made" "" "$(find "$KILN_CACHE_DIR/v1/entries" "$KILN_CACHE_DIR/v1/build" -type f 2>/dev/null)"

equal "build" built "$(result_of "$work/answer.json")"
key=$(json "$work/out" .key)
equal "built: a hit" 0 "$(status_of "$kiln" cache explain "$work/answer.json")"
check "says so" grep -q '^hit: answer' "$work/out"
check "with its key" grep -q "$key" "$work/out"
for field in 'abi = ' 'toolchain = hostcc' 'source answer.c = blake2b:' 'flag = -O2' 'entry point = answer' 'toolchain identity = '; do
  check "field $field" grep -qF "  $field" "$work/out"
done
equal "no path of this machine is a field" 0 "$(grep -c "$work" "$work/out" | sed 's/^1$/0/')" # the file itself is named once

# differs SPEC: the differing fields, "tag: here / there" each.
differs() {
  status_of "$kiln" cache explain --json "$1" >/dev/null
  jq -r '.nearest.differs[] | "\(.tag): \(.here) / \(.there)"' "$work/out"
}
spec answer answer 'return 42;' ', "flags": ["-O3"]'
equal "another flag is the whole difference" "flag: -O3 / -O2" "$(differs "$work/answer.json")"
equal "of the entry that is near" "$key" "$(json "$work/out" .nearest.key)"
equal "a miss" miss "$(json "$work/out" .result)"
spec answer answer 'return 42;' ', "flags": ["-O2", "-g"], "defines": ["A=1"]'
equal "two more" "define: A=1 / null
flag: -g / null" "$(differs "$work/answer.json")"
spec answer answer 'return 43;' ', "flags": ["-O2"]'
equal "another text" "source answer.c" "$(differs "$work/answer.json" | sed 's/: blake2b:[0-9a-f]* .*//')"
spec other answer 'return 42;' ', "flags": ["-O2"]'
sed -i 's/other\.c/answer.c/' "$work/other.json"
equal "another name of the spec alone: a hit" 0 "$(status_of "$kiln" cache explain "$work/other.json")"
spec answer answer 'return 42;' ', "flags": ["-O2"]'
equal "a debug build" "debug: on / off" "$(export KILN_DEBUG=1 && differs "$work/answer.json" | grep '^debug')"

# A header that changed: the compiler need not run to know it.
mkdir "$work/tree"
printf '#include "half.h"\nint file(void) { return 2 * HALF; }\n' >"$work/tree/file.c"
printf '#define HALF 21\n' >"$work/tree/half.h"
printf '{"name":"file","toolchain":"hostcc","sources":[{"path":"%s"}],"entry_points":["file"]}' "$work/tree/file.c" >"$work/file.json"
equal "build" built "$(result_of "$work/file.json")"
printf '#define HALF 20\n' >"$work/tree/half.h"
equal "a header that changed is the whole difference" 1 "$(differs "$work/file.json" | wc -l)"
equal "and named" 1 "$(differs "$work/file.json" | grep -c 'half\.h: blake2b')"
printf '#define HALF 21\n' >"$work/tree/half.h"
equal "changed back: a hit" 0 "$(status_of "$kiln" cache explain "$work/file.json")"

equal "nothing was built" 2 "$(entries)"
equal "a bad spec" 2 "$(echo '{' | "$kiln" cache explain - >/dev/null 2>&1; echo $?)"
finish
