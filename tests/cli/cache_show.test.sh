#!/bin/sh
# kiln cache show: everything together, and one command that builds the entry again.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/cache_lib.sh"

spec answer answer 'return NUMBER;' ', "flags": ["-O2"], "defines": ["NUMBER=42"], "links": ["-lm"]'
equal "build" built "$(result_of "$work/answer.json")"
key=$(json "$work/out" .key)
short=$(echo "$key" | cut -c1-12)

equal "show" 0 "$(status_of "$kiln" cache show "$short")"
cp "$work/out" "$work/shown"
for part in "$key" "answer.c" "int answer(void) { return NUMBER; }" "-O2" "NUMBER=42" "-lm" "flag = -O2" \
  "toolchain identity" "-shared" "-march=" "Log" "kiln cache show"; do
  check "shows $part" grep -qF -e "$part" "$work/shown"
done
# A printed command is run by a shell as it is.
again=$(tail -n 1 "$work/shown")
PATH=$(dirname "$kiln"):$PATH
equal "the printed command builds" "built $key" "$(sh -c "$again" | head -n 1 | cut -d' ' -f1,2)"
# The compile command too, from a folder that has its sources.
equal "show --json" 0 "$(status_of "$kiln" cache show --json "$short")"
equal "key" "$key" "$(json "$work/out" .key)"
equal "compile command" true "$(json "$work/out" '.command | test("-O2")')"
equal "source" "int answer(void) { return NUMBER; }" "$(json "$work/out" '.sources[0].text')"
equal "sizes" true "$(json "$work/out" '.size > .payload_size and .payload_size > 1000')"
equal "fields" true "$(json "$work/out" '[.fields[].tag] | index("flag") != null')"

equal "show --spec" 0 "$(status_of "$kiln" cache show "$short" --spec)"
cp "$work/out" "$work/again.json"
equal "is a spec of the same key" "hit $key" "$("$kiln" cache build "$work/again.json" | head -n 1)"
jq -S . "$work/answer.json" >"$work/given"
jq -S 'del(.includes, .archs, .supports)' "$work/again.json" >"$work/told"
check "and says what was given" diff "$work/given" "$work/told"

equal "too few digits" 2 "$(status_of "$kiln" cache show abcde)"
check "are quoted" said "'abcde'"
equal "no such key" 2 "$(status_of "$kiln" cache show 000000000000)"
check "is quoted" said "'000000000000'"

# A source file that has changed since: the entry's own copy is given.
printf 'int file(void) { return 1; }\n' >"$work/file.c"
printf '{"name":"file","toolchain":"hostcc","sources":[{"path":"%s"}],"entry_points":["file"]}' "$work/file.c" >"$work/file.json"
equal "a source file" built "$(result_of "$work/file.json")"
key=$(json "$work/out" .key)
equal "is named" "$work/file.c" "$("$kiln" cache show --spec "$key" | jq -r '.sources[0].path')"
printf 'int file(void) { return 2; }\n' >"$work/file.c"
equal "once changed, its text is given" "int file(void) { return 1; }" "$("$kiln" cache show --spec "$key" | jq -r '.sources[0].text')"
finish
