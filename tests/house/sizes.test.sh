#!/bin/sh
# No function over 100 lines, no file over 800; median and 95th percentile are printed.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool ctags
cd "$KILN_SOURCE" || exit 1

percentile() {
  awk -v p="$1" '{ v[NR] = $1 } END { i = int(NR * (100 - p) / 100) + 1; if (i > NR) i = NR; print v[i] }' "$work/lengths"
}

# measure WHAT FILE…
measure() {
  what=$1
  shift
  sh tools/function-lengths.sh "$@" >"$work/lengths"
  long=$(awk '$1 > 100' "$work/lengths")
  equal "no function of $what is longer than 100 lines" "" "$long"
  printf '   %s: %d functions, median %s lines, 95 %% up to %s, longest %s\n' "$what" \
    "$(wc -l <"$work/lengths")" "$(percentile 50)" "$(percentile 95)" "$(head -n 1 "$work/lengths")"
  big=$(wc -l "$@" | awk '$2 != "total" && $1 > 800')
  equal "no file of $what is longer than 800 lines" "" "$big"
}

# shellcheck disable=SC2046 # file names of this project have no spaces
{
  measure "the product" $(find src cli agents libexec \( -name '*.c' -o -name '*.py' \) | sort)
  measure "the tests" $(find tests bench \( -name '*.c' -o -name '*.py' \) | sort)
}

# The measuring itself: a function of 101 lines is seen.
{
  echo 'int'
  echo 'long_one(void)'
  echo '{'
  i=0
  while [ $i -lt 98 ]; do
    echo '  ;'
    i=$((i + 1))
  done
  echo '}'
} >"$work/long.c"
equal "a function's lines are counted from its name to its brace" 101 \
  "$(sh tools/function-lengths.sh "$work/long.c" | cut -d' ' -f1)"
finish
