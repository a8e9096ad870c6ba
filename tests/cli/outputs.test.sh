#!/bin/sh
# The page and the trace are written where they were asked for; --anonymise leaves no name in any output.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
run() { status_of "$kiln" measure --warmup 0 --samples 1 "$@"; }
page=$work/page.html trace=$work/trace.json report=$work/report.json

equal "all three at once" 0 "$(run --html "$page" --trace "$trace" -o "$report" -- true)"
check "each is named" said "The page is in '$page'"
check "the page is one" grep -q '^<!doctype html>' "$page"
check "it ends" grep -q '</body></html>$' "$page"
equal "the trace is one JSON value" 1 "$(jq -s length "$trace")"
equal "its events have what a reader needs" true \
  "$(json "$trace" '.traceEvents | length > 0 and all(has("name") and has("ph") and has("pid") and has("tid") and has("ts"))')"
equal "spans have a length" true "$(json "$trace" '[.traceEvents[] | select(.ph == "X")] | length > 0 and all(.dur >= 0)')"
equal "the page goes through a pipe" 0 "$(run --quiet --html /dev/stderr -- true)"
check "to where it was sent" grep -q '^<!doctype html>' "$work/err"

equal "a page in a missing folder" 5 "$(run --html "$work/no/where.html" -- touch "$work/touched")"
check "is quoted" said "'$work/no/where.html'"
equal "a trace in a missing folder" 5 "$(run --trace "$work/no/where.json" -- touch "$work/touched")"
equal "one file for two" 2 "$(run --html "$page" --trace "$page" -- touch "$work/touched")"
check "is quoted too" said "'$page'"
check "all before anything runs" test ! -e "$work/touched"

# A failing command with names in its path, its words and its failure.
mkdir "$work/secretplace"
printf '#!/bin/sh\necho secretoutput >&2\nexit 3\n' >"$work/secretplace/secretprogram"
chmod +x "$work/secretplace/secretprogram"
# names_in FILE…: lines that hold a secret or the work folder.
names_in() {
  cat "$@" | grep -cE "secret|$work"
}
set -- "$work/secretplace/secretprogram" --secretoption secretvalue
equal "without --anonymise" 4 "$(run --quiet --html "$page" --trace "$trace" -o "$report" -- "$@")"
check "names are in the outputs" test "$(names_in "$page" "$report" "$work/out")" -gt 2
equal "with --anonymise" 4 "$(run --quiet --anonymise --html "$page" --trace "$trace" -o "$report" -- "$@")"
equal "no name is in the page" 0 "$(names_in "$page")"
equal "nor in the trace" 0 "$(names_in "$trace")"
equal "nor in the report" 0 "$(names_in "$report")"
equal "nor on the terminal" 0 "$(names_in "$work/out" "$work/err")"
"$kiln" report --markdown "$report" >"$work/report.md"
equal "nor in the Markdown of it" 0 "$(names_in "$work/report.md")"
check "which is some" grep -q '^## Cold start of `word-1 ' "$work/report.md"
check "what failed is said all the same" said "word-1"
check "and that its output is not shown" said "is not shown, because of --anonymise"
equal "the same with progress and notes" 4 "$(run --anonymise --html "$page" -- "$@")"
equal "no name either" 0 "$(names_in "$work/err")"
check "a file is not named" said "The page was written."
equal "two things on standard output" 2 "$(run --json --markdown -- true)"
equal "words have pseudonyms" '["word-1","word-2","word-3"]' "$(json "$report" '.command | tojson')"
equal "numbers stay" 3 "$(json "$report" '.arms[0].samples[0].cold.exit_code')"
nothing_left "measuring"
finish
