#!/bin/sh
# Results on stdout, talk on stderr, the report where it was asked for.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
report=$work/report.json
quick="--warmup 0 --samples 1"
# shellcheck disable=SC2086
run() { status_of "$kiln" measure $quick "$@"; }

equal "--json" 0 "$(run --json -- sh -c 'echo noise; echo noise >&2')"
equal "is one JSON value, whatever the command prints" kiln-report-1 "$(json "$work/out" .schema)"
equal "and nothing else" 1 "$(jq -s length "$work/out")"
equal "--quiet" 0 "$(run --quiet -o "$report" -- echo noise)"
equal "says nothing" "" "$(cat "$work/err")"
check "but gives the result" test -s "$work/out"
equal "the report is written" complete "$(json "$report" .state)"
equal "the command is in it" '["echo","noise"]' "$(jq -c .command "$report")"
equal "without --quiet" 0 "$(run -o "$report" -- true)"
check "each run has a line, as this is no terminal" said "kiln: cold 1/1 begins"
check "and one at its end" said "kiln: warm 1/1 · "
# shellcheck disable=SC2016 # expanded by the inner shell
check "no cursor is moved" sh -c '! grep -q "$(printf "\033")" "$1" "$2"' sh "$work/err" "$work/out"
equal "--output=FILE is the same option" 0 "$(run --output="$report" -- true)"
equal "--color always" 0 "$(run --color always -- true)"
check "colours" grep -q "$(printf '\033')" "$work/out"

equal "a report path in a missing folder" 5 "$(run -o "$work/no/where/r.json" -- touch "$work/touched")"
check "is quoted" said "'$work/no/where/r.json'"
check "before anything runs" test ! -e "$work/touched"
equal "a folder as report path" 5 "$(run -o "$work" -- touch "$work/touched")"
check "is refused before anything runs" test ! -e "$work/touched"
printf 'old' >"$work/old.json"
run -o "$work/old.json" -- no-such-program >/dev/null
equal "a failed command replaces the report with one that says so" failed "$(json "$work/old.json" .state)"

# The reader of stdout is gone before the result is there.
rm -f "$report"
{ "$kiln" measure --warmup 0 --samples 1 -o "$report" -- sleep 0.2; echo "$?" >"$work/code"; } 2>"$work/err" | true
equal "a reader that went away" 0 "$(cat "$work/code")"
equal "loses no report" complete "$(json "$report" .state)"
{ "$kiln" measure --warmup 0 --samples 2 -o "$report" -- sleep 0.2 2>&1; echo "$?" >"$work/code"; } | head -n 1 >/dev/null
equal "nor does one that read the progress" complete "$(json "$report" .state)"
if [ -c /dev/full ]; then
  "$kiln" measure --warmup 0 --samples 1 --quiet -o "$report" -- true >/dev/full 2>"$work/err"
  equal "a full stdout is an error of the environment" 5 "$?"
  check "that is said" said "could not be written to standard output"
fi

equal "stdin of the command is empty" 0 "$(echo text | "$kiln" measure --warmup 0 --samples 1 --quiet -- sh -c '! read -r line' >/dev/null 2>&1; echo $?)"
equal "--tty keeps it" 0 "$(yes | "$kiln" measure --warmup 0 --samples 1 --quiet --tty -- sh -c 'read -r line' >/dev/null 2>&1; echo $?)"
nothing_left "a measurement"
finish
