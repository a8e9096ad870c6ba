#!/bin/sh
# A command that prints 1 GB in each run gets no back-pressure and no error; kiln keeps a bounded part.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
report=$work/report.json
space=$(df -Pk "$work" | awk 'NR == 2 { print $4 }')
[ "$space" -gt 400000 ] || skip "less than 400 MB free for a test of large output"

equal "1 GB on stdout" 0 "$(status_of "$kiln" measure --warmup 0 --samples 1 -o "$report" -- head -c 1000000000 /dev/zero)"
check "is cut, and that is said" grep -q 'printed more than is kept' "$report"
equal "all of it was read" 1000000000 "$(json "$report" '[.. | objects | .stdout_bytes? // empty] | max')"
# shellcheck disable=SC2016
equal "a failure after much output" 4 "$(status_of "$kiln" measure --warmup 0 --samples 1 -- \
  sh -c 'head -c 200000000 /dev/zero; printf "\nthe reason\n"; exit 1')"
check "still shows its end" said "the reason"
check "and not much more" test "$(wc -c <"$work/err")" -lt 40000
nothing_left "large output"
finish
