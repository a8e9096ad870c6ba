#!/bin/sh
# bench/record_pairs.sh [-n PAIRS] [-s PERCENT] [PROGRAM…]: record real pairs, side by side, with their conditions.
#
# For each of gcc, numpy and warp (or those named): PAIRS pairs (default 110) of the same command, into
# bench/results/pairs/PROGRAM.json. With -s the candidate burns PERCENT of the cold CPU time more in its cold run, and the
# file is PROGRAM-slow.json. A measurement of 10 pairs reaches no look, so nothing is left out by a verdict.
# Needs jq, gcc, build/dev and KILN_WARP_PYTHON (./dev setup). Takes about ten minutes on an idle machine of two cores.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "${KILN_BUILD:-build/dev}" && pwd)
pairs=110 slow=''
while getopts n:s: option; do
  case $option in
  n) pairs=$OPTARG ;;
  s) slow=$OPTARG ;;
  *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[ "$#" -gt 0 ] || set -- gcc numpy warp
: "${KILN_WARP_PYTHON:?names a Python with numpy and warp-lang; ./dev setup makes one}"
export KILN_WARP_PYTHON
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p bench/results/pairs build/bench
awk -f bench/programs/large_c.awk >build/bench/large.c

# cold_cpu PROGRAM: seconds; of the recorded pairs, which share the machine, else the median of five runs alone.
cold_cpu() {
  if [ -e "bench/results/pairs/$1.json" ]; then
    jq '[.pairs[].cold_cpu_s[]] | sort | .[length / 2 | floor]' "bench/results/pairs/$1.json"
    return
  fi
  "$build/bin/kiln" measure --quiet --samples 5 --json -- sh "$PWD/bench/programs/quick.sh" "$1" |
    jq -r '.arms[0].summary.cold.cpu_s.median'
}

# one_block PROGRAM SPIN_SECONDS FILE: ten pairs.
one_block() {
  base="sh '$PWD/bench/programs/quick.sh' $1"
  cand=$base
  [ -z "$2" ] || cand="$base '$build/bench/bench.spin' $2"
  "$build/bin/kiln" measure --quiet --max-pairs 10 --arm "base=$base" --arm "cand=$cand" -o "$3" >/dev/null ||
    failed=$((failed + 1)) # another program wrote a cache meanwhile: the pairs before that stand
  [ "$failed" -lt 20 ]
}

# What is kept of a block: each valid pair's times, who was first, and the conditions of its cold runs.
# shellcheck disable=SC2016 # jq's own variables
pick='def sample($r; $arm; $i): $r.arms[$arm].samples[] | select(.index == $i);
  . as $r | [.pairs[] | select(.valid) | .index as $i | {first,
    cold_cpu_s: [sample($r; 0; $i).cold.cpu_s, sample($r; 1; $i).cold.cpu_s],
    warm_cpu_s: [sample($r; 0; $i).warm.cpu_s, sample($r; 1; $i).warm.cpu_s],
    cold_elapsed_s: [sample($r; 0; $i).cold.elapsed_s, sample($r; 1; $i).cold.elapsed_s],
    warm_elapsed_s: [sample($r; 0; $i).warm.elapsed_s, sample($r; 1; $i).warm.elapsed_s],
    conditions: .cold}]'

for program in "$@"; do
  spin='' name=$program
  if [ -n "$slow" ]; then
    name=$program-slow
    spin=$(cold_cpu "$program" | awk -v percent="$slow" '{ printf "%.4f", $1 * percent / 100 }')
  fi
  : >"$work/$name"
  made=0 failed=0
  while [ "$made" -lt "$pairs" ]; do
    one_block "$program" "$spin" "$work/block.json"
    jq -c "$pick" "$work/block.json" >>"$work/$name"
    made=$(jq -s 'map(length) | add' "$work/$name")
    printf '%s: %s pairs, load %s\n' "$name" "$made" "$(cut -d' ' -f1 /proc/loadavg)"
  done
  jq -s --slurpfile last "$work/block.json" --arg program "$program" --arg spin "${spin:-0}" \
    '{program: $program, mode: "side_by_side", injected_s: ($spin | tonumber), date: $last[0].date,
      kiln_version: $last[0].kiln_version, environment: ($last[0].environment | del(.load_1m)), pairs: add}' \
    "$work/$name" >"bench/results/pairs/$name.json"
done
