#!/bin/sh
# shellcheck disable=SC2016 # awk
# The rule on recorded pairs: at least 10000 series of each program with random labels, and power at +5 %.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_full
aa=$KILN_BUILD/bench/bench.aa
[ -x "$aa" ] || die "$aa is missing; build with KILN_BENCH=ON"
recordings=$KILN_SOURCE/bench/results/pairs
status_of "$aa" 10000 "$recordings" >/dev/null
cat "$work/out"
for program in gcc numpy warp; do
  check "$program has at least 100 pairs" awk -v name="$program.json:" '$1 == name && $2 >= 100 { found = 1 } END { exit !found }' "$work/out"
done
# Of cold CPU, the metric that decides.
check "at most 1.26 % of verdicts are false" awk '
  $1 == "cold_cpu_s" && $2 == "A/A" { n++; for (i = 1; i < NF; i++) if ($i == "false" && $(i + 1) + 0 > 1.26) bad = 1 }
  END { exit n < 3 || bad }' "$work/out"
check "at least 95 % of +5 % are found" awk '
  $1 == "cold_cpu_s" { n++; for (i = 1; i < NF; i++) if ($i == "found" && $(i + 1) + 0 < 95) bad = 1 }
  END { exit n < 3 || bad }' "$work/out"
finish
