#!/bin/sh
# kiln cache build: hit, built, failed; what each says and its exit code.
# shellcheck disable=SC2030,SC2031 # a setting is for one call
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/cache_lib.sh"

spec answer answer 'return 42;'
equal "build" 0 "$(status_of "$kiln" cache build --json "$work/answer.json")"
equal "one line" 1 "$(wc -l <"$work/out")"
equal "its members, in order" "result key path ms error" "$(jq -r 'keys_unsorted | join(" ")' "$work/out")"
equal "built" built "$(json "$work/out" .result)"
key=$(json "$work/out" .key)
path=$(json "$work/out" .path)
equal "a key is 64 hex digits" "$key" "$(echo "$key" | grep -xE '[0-9a-f]{64}')"
check "the entry lies where it says" test -f "$path"
equal "and in the store" "$path" "$(echo "$path" | grep -F "$KILN_CACHE_DIR/")"
check "it took time" test "$(json "$work/out" '.ms > 0')" = true
equal "no error" null "$(jq .error "$work/out")"

equal "again" 0 "$(status_of "$kiln" cache build "$work/answer.json" --json)"
equal "is a hit" hit "$(json "$work/out" .result)"
equal "of the same key" "$key" "$(json "$work/out" .key)"
equal "for people" 0 "$(status_of "$kiln" cache build "$work/answer.json")"
equal "hit and key" "hit $key" "$(head -n 1 "$work/out")"
equal "path" "$path" "$(sed -n 2p "$work/out")"
equal "from standard input" hit "$("$kiln" cache build --json - <"$work/answer.json" | jq -r .result)"
equal "another folder by option" built "$(result_of --cache "$work/other" "$work/answer.json")"
cd "$work" || exit 1
equal "a relative folder" hit "$(result_of --cache other answer.json)"

# ---- the compiler refuses ----

spec broken broken 'return nowhere;'
equal "a program that is wrong" 4 "$(status_of "$kiln" cache build --json "$work/broken.json")"
equal "failed" failed "$(json "$work/out" .result)"
check "with the compiler's message" grep -q nowhere "$work/out"
check "also on stderr" said nowhere
equal "an entry point that is not there" 4 "$(spec missing one 'return 1;' && sed -i 's/"one"\]/"two"]/' "$work/missing.json" &&
  status_of "$kiln" cache build --json "$work/missing.json")"
check "is named" grep -q two "$work/out"

# ---- the spec is wrong ----

# refused WHAT TEXT QUOTED: exit code 2, and the sentence quotes.
refused() {
  printf '%s' "$2" >"$work/bad.json"
  equal "$1" 2 "$(status_of "$kiln" cache build --json "$work/bad.json")"
  equal "$1: failed" failed "$(json "$work/out" .result)"
  check "$1: quoted" said "$3"
}
refused "no JSON" '{"name"' "JSON"
refused "an unknown member" '{"name":"a","toolchain":"hostcc","flagz":[]}' flagz
refused "a wrong type" '{"name":"a","toolchain":"hostcc","sources":[{"name":"a.c","text":""}],"flags":3}' flags
refused "no such toolchain" '{"name":"a","toolchain":"cobol"}' cobol
refused "no entry point" '{"name":"a","toolchain":"hostcc","sources":[{"name":"a.c","text":""}]}' "entry point"
refused "no such source" '{"name":"a","toolchain":"hostcc","sources":[{"path":"/no/such.c"}],"entry_points":["a"]}' /no/such.c
refused "no such folder" '{"name":"a","toolchain":"hostcc","sources":[{"name":"a.c","text":""}],"includes":["/no/such/folder"],"entry_points":["a"]}' /no/such/folder
refused "a flag that chooses the output" '{"name":"a","toolchain":"hostcc","sources":[{"name":"a.c","text":""}],"flags":["-o"],"entry_points":["a"]}' "-o"
equal "no such spec" 2 "$(status_of "$kiln" cache build /no/such.json)"
check "is quoted" said /no/such.json

# ---- the machine does not allow it ----

spec fresh fresh 'return 1;'
equal "KILN_JIT=off, not built" 5 "$(export KILN_JIT=off && status_of "$kiln" cache build "$work/fresh.json")"
equal "no such compiler" 5 "$(export KILN_CC=/no/such/cc && status_of "$kiln" cache build "$work/fresh.json")"
check "is named" said /no/such/cc
equal "KILN_JIT=off, built" hit "$(export KILN_JIT=off && result_of "$work/answer.json")"
equal "no compiler, built" "hit $key" "$(env PATH=/nowhere "$kiln" cache build "$work/answer.json" | head -n 1)"
equal "a malformed setting" 2 "$(export KILN_CACHE=perhaps && status_of "$kiln" cache build "$work/answer.json")"
check "is quoted with its variable" said perhaps
check "with its variable" said KILN_CACHE

# ---- what is and is not reused ----

equal "KILN_CACHE=off builds" built "$(export KILN_CACHE=off && result_of "$work/answer.json")"
equal "a debug build is its own" built "$(export KILN_DEBUG=1 && result_of "$work/answer.json")"
equal "and found again" hit "$(export KILN_DEBUG=1 && result_of "$work/answer.json")"

equal "KILN_KEEP" 0 "$(export KILN_KEEP=1 KILN_CACHE=off && status_of "$kiln" cache build "$work/answer.json")"
kept=$(sed -n "s/.* are kept in '\(.*\)'$/\1/p" "$work/err")
check "names a folder" test -d "$kept"
check "with the source" grep -rq 'return 42;' "$kept"
equal "--quiet says nothing" 0 "$(export KILN_CACHE=off && status_of "$kiln" cache build --quiet "$work/answer.json")"
equal "nothing" "" "$(cat "$work/err")"

mkdir "$work/tree" && printf '#include "half.h"\nint file(void) { return 2 * HALF; }\n' >"$work/tree/file.c"
printf '#define HALF 21\n' >"$work/tree/half.h"
printf '{"name":"file","toolchain":"hostcc","sources":[{"path":"tree/file.c"}],"entry_points":["file"]}' >"$work/file.json"
equal "a source file with a header" built "$(result_of "$work/file.json")"
equal "again" hit "$(result_of "$work/file.json")"
equal "nothing is written beside the sources" "file.c half.h" "$(cd tree && echo *)"
printf '#define HALF 20\n' >"$work/tree/half.h"
equal "a header that changed" built "$(result_of "$work/file.json")"
nothing_left "building"
finish
