#!/bin/sh
# A report file shown again is the page that kiln measure printed.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
report=$work/report.json
numbers='[.arms[].samples[] | .cold.builds, .cold.launches, .cold.exit_code, .warm.processes, .cold.end]'

equal "measure" 0 "$(status_of "$kiln" measure --quiet --warmup 0 --samples 2 -o "$report" -- sh -c 'true; sh -c true')"
cp "$work/out" "$work/page"
equal "report" 0 "$(status_of "$kiln" report "$report")"
check "shows the same page" diff "$work/page" "$work/out"
equal "report --json" 0 "$(status_of "$kiln" report --json "$report")"
equal "the names are the same" "$(jq -c '[paths | map(if type == "number" then 0 else . end)] | unique' "$report")" \
  "$(jq -c '[paths | map(if type == "number" then 0 else . end)] | unique' "$work/out")"
equal "the numbers are the same" "$(jq -c "$numbers" "$report")" "$(jq -c "$numbers" "$work/out")"
equal "other files" 0 "$(status_of "$kiln" report --quiet -o "$work/again.json" --html "$work/page.html" --trace "$work/trace.json" "$report")"
check "are written" test -s "$work/again.json" -a -s "$work/page.html" -a -s "$work/trace.json"

equal "arms" 0 "$(status_of "$kiln" measure --quiet --warmup 0 --max-pairs 2 -o "$report" --arm one=true --arm 'two=sh -c true')"
cp "$work/out" "$work/page"
equal "are read" 0 "$(status_of "$kiln" report "$report")"
check "with pairs and verdicts" diff "$work/page" "$work/out"

equal "a failure" 4 "$(status_of "$kiln" measure --quiet --warmup 0 --samples 1 -o "$report" -- false)"
cp "$work/out" "$work/page"
equal "is a report as any other" 0 "$(status_of "$kiln" report "$report")"
check "with its sentence" diff "$work/page" "$work/out"

echo '{"schema":"kiln-comparison-1"}' >"$work/other.json"
equal "another schema" 2 "$(status_of "$kiln" report "$work/other.json")"
check "is quoted" said "'kiln-comparison-1'"
echo '{"schema":"kiln-report-1","state":"complete","arms":7}' >"$work/other.json"
equal "a report without arms" 2 "$(status_of "$kiln" report "$work/other.json")"
echo 'no json' >"$work/other.json"
equal "no JSON" 2 "$(status_of "$kiln" report "$work/other.json")"
equal "two files" 2 "$(status_of "$kiln" report "$report" "$report")"
equal "none" 2 "$(status_of "$kiln" report)"
equal "a file that cannot be written" 5 "$(status_of "$kiln" report --html "$work/no/such/page.html" "$report")"
# ---- a ledger beside the report ----
"$kiln" measure --quiet --warmup 0 --samples 1 -o "$work/plain.json" -- true >/dev/null
"$kiln" try --quiet --samples 1 -o "$work/ledger.json" -- true >/dev/null 2>&1
equal "with a ledger" 0 "$(status_of "$kiln" report --markdown --ledger "$work/ledger.json" "$work/plain.json")"
check "it is in the Markdown" grep -q '^### What was tried' "$work/out"
equal "a ledger that is not there" 2 "$(status_of "$kiln" report --ledger "$work/none.json" "$work/plain.json")"
check "is quoted" said "$work/none.json"
equal "a ledger without names" 2 "$(status_of "$kiln" report --anonymise --ledger "$work/ledger.json" "$work/plain.json")"
check "there is none" said "do not go together"
finish
