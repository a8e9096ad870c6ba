#!/bin/sh
# What kiln itself costs beside the compilers that it starts: figures, and no failure by time.
. "$KILN_SOURCE/tests/proc/store_lib.sh"
count=200
[ "${KILN_FULL:-0}" = 1 ] || count=40
stub cc template= "cost=$work/compilers"
store cost
paths=''
for i in $(seq 1 "$count"); do
  spec "c$i" "$i"
  paths="$paths $work/specs/c$i"
done

# What the compilers take they say themselves; the rest of the tree is kiln, its supervisor and its questions about the
# toolchain included.
half=$((count / 2))
# shellcheck disable=SC2086 # lists of paths without blanks
{
  set -- $paths
  first='' second='' i=0
  for path in "$@"; do
    i=$((i + 1))
    if [ "$i" -le "$half" ]; then first="$first $path"; else second="$second $path"; fi
  done
  "$KILN_BUILD/tests/proc.cost" "$loader" $first >"$work/one.out" 2>"$work/one.cost" &
  one=$!
  "$KILN_BUILD/tests/proc.cost" "$loader" $second >"$work/two.out" 2>"$work/two.cost"
  wait "$one"
}
equal "$count small specs, cold, two at a time" "$count" "$(cat "$work/one.out" "$work/two.out" | grep -c '^ok .* built ')"
equal "each entry is there" "$count" "$(entries)"
cat "$work/one.cost" "$work/two.cost" | awk -v compilers="$(awk '{ sum += $1 } END { print sum }' "$work/compilers")" '
  { tree += $1 }
  END {
    printf "   kiln itself: %.0f ms of CPU beside %.0f ms of compilers: %.1f %% (goal: below 3 %%)\n", tree - compilers, compilers,
      100 * (tree - compilers) / tree
    exit !((tree - compilers) / tree < 0.10)
  }'
equal "kiln's own share is small (never 10 %)" 0 "$?"

# Starting a compiler from a large process must not copy its memory map.
"$KILN_BUILD/tests/proc.cost" --spawn 0 >"$work/small"
"$KILN_BUILD/tests/proc.cost" --spawn 4096 >"$work/large"
if [ -s "$work/large" ]; then
  printf '   starting a process: %s us from a small one, %s us from one of 4 GiB\n' "$(cat "$work/small")" "$(cat "$work/large")"
  check "less than twice as long" awk "BEGIN { exit !($(cat "$work/large") < 2 * $(cat "$work/small") + 200) }"
else
  echo "   (no 4 GiB of memory here: not tried)"
fi
finish
