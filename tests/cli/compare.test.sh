#!/bin/sh
# Two reports; and files that are none.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
good=$work/good.json
"$kiln" measure --warmup 0 --samples 1 --quiet -o "$good" -- true >/dev/null || die "no report to compare"

equal "a report with itself" 0 "$(status_of "$kiln" compare "$good" "$good")"
check "is the same work" grep -q SAME "$work/out"
equal "--json" 0 "$(status_of "$kiln" compare --json "$good" "$good")"
equal "is one JSON value" 1 "$(jq -s length "$work/out")"

size=$(wc -c <"$good")
head -c $((size / 2)) "$good" >"$work/truncated.json"
printf '{"name": "a package", "version": "1.0"}' >"$work/foreign.json"
printf '[1, 2' >"$work/broken.json"
head -c 4096 /dev/urandom >"$work/noise.json"
: >"$work/empty.json"
sed 's/kiln-report-1/kiln-report-99/' "$good" >"$work/later.json"
for bad in truncated foreign broken noise empty later missing; do
  equal "$bad JSON as first report" 2 "$(status_of "$kiln" compare "$work/$bad.json" "$good")"
  check "$bad: quoted" said "$work/$bad.json"
  equal "$bad: nothing on stdout" "" "$(cat "$work/out")"
  equal "$bad JSON as second report" 2 "$(status_of "$kiln" compare "$good" "$work/$bad.json")"
  equal "$bad: one line" 1 "$(wc -l <"$work/err" | tr -d ' ')"
done
equal "a folder is no report" 2 "$(status_of "$kiln" compare "$work" "$good")"
finish
