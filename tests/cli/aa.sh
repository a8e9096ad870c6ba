# shellcheck shell=sh disable=SC2154 # lib.sh sets them
# Complete runs of the real command on a fake program against itself; used by aa_*.test.sh.
#
# aa_runs COUNT: make them and print "false N, SAME N, INCONCLUSIVE N, pairs N". A run costs about 4 ms of CPU time,
# scattered by 8 % to each side, so that verdicts come after some 20 pairs.
aa_program="$KILN_BUILD/bench/bench.spin"

aa_runs() {
  aa_left=$1
  : >"$work/verdicts"
  while [ "$aa_left" -gt 0 ]; do
    aa_left=$((aa_left - 1))
    "$kiln" measure --quiet --warmup 0 --json --arm "a='$aa_program' 0.004 0.08" --arm "b='$aa_program' 0.004 0.08" \
      2>>"$work/err" | jq -r '"\(.state) \(.time.verdict) \(.time.pairs)"' >>"$work/verdicts"
  done
  awk '$1 != "complete" { broken++ } { n[$2]++; pairs += $3 }
    END { printf "runs %d broken %d false %d SAME %d INCONCLUSIVE %d pairs %.1f\n", NR, broken,
          n["IMPROVED"] + n["REGRESSED"], n["SAME"], n["INCONCLUSIVE"], pairs / NR }' "$work/verdicts"
}

# aa_field NAME LINE: the number behind a name.
aa_field() {
  echo "$2" | awk -v name="$1" '{ for (i = 1; i < NF; i++) if ($i == name) print $(i + 1) }'
}

# aa_check COUNT MOST_FALSE: a true rate of 0.96 % passes 7 of 300 in 99 of 100 cases.
aa_check() {
  aa_line=$(aa_runs "$1")
  printf '%s\n' "$aa_line"
  equal "all runs were made" "$1" "$(aa_field runs "$aa_line")"
  equal "all are complete" 0 "$(aa_field broken "$aa_line")"
  check "at most $2 of $1 verdicts are false" test "$(aa_field false "$aa_line")" -le "$2"
  check "most verdicts are SAME" test "$(aa_field SAME "$aa_line")" -ge $(($1 / 2))
}
