#!/bin/sh
# Cleaning up while others load; a fork while a thread holds a key.
. "$KILN_SOURCE/tests/proc/store_lib.sh"
stub cc
store busy
names=''
for i in $(seq 1 24); do
  spec "gc$i" $((7000 + i))
  names="$names gc$i"
done

# until_done COMMAND…: again and again until $work/stop is there; its failures are in $work/failures.
until_done() {
  rm -f "$work/stop" "$work/failures"
  while [ ! -e "$work/stop" ]; do
    "$@" >"$work/clean.out" 2>&1 || {
      echo "$*: $?"
      cat "$work/clean.out"
    } >>"$work/failures"
  done
}
# while_cleaning WHAT COMMAND…: three rounds of 8 loaders over 24 keys meanwhile.
while_cleaning() {
  what=$1
  shift
  until_done "$@" &
  cleaner=$!
  for round in 1 2 3; do
    # shellcheck disable=SC2086 # a list of names
    check "$what, round $round: no hang" run_herd 8 -- --shuffle '{i}' --again $names
    check "$what, round $round: no failure" no_herd_errors
    equal "$what, round $round: all right" 0 \
      "$(cat "$work"/herd/*.out | awk '{ sub("gc", "", $2); if ($4 != 7000 + $2) n++ } END { print n + 0 }')"
  done
  touch "$work/stop"
  wait "$cleaner"
  check "$what: no failure of the cleaner" [ ! -e "$work/failures" ]
  [ ! -e "$work/failures" ] || head -n 5 "$work/failures" | sed 's/^/   /'
}
while_cleaning "gc" "$kiln" cache gc
while_cleaning "gc of everything" "$kiln" cache gc --limit 1 --young
while_cleaning "clear" "$kiln" cache clear
equal "everything that is there is good" 0 "$(status_of "$kiln" cache verify)"

# ---- code in use survives ----

# shellcheck disable=SC2086 # a list of names
load $names
"$loader" --hold "$work/held" "$work/specs/gc1" >"$work/held.out" 2>&1 &
holder=$!
in_time test -e "$work/held"
"$kiln" cache clear >/dev/null 2>&1
check "a module stays mapped when its entry is cleared" grep -q 'deleted' "/proc/$holder/maps"
kill -KILL "$holder"
wait "$holder" 2>/dev/null

# ---- a size limit ----

store limited
# shellcheck disable=SC2086
load $names
before=$(entries)
equal "gc removes nothing young" "0 $before" "$(status_of "$kiln" cache gc --limit 1) $(entries)"
find "$KILN_CACHE_DIR/v1/entries" -type f -exec touch -d '10 days ago' {} +
load gc3
equal "a limit removes what is old" 0 "$(status_of "$kiln" cache gc --limit 1)"
check "but not what was used lately ($(entries) of $before are left)" [ "$(entries)" -lt "$before" ]
forget_compiles
load gc3
equal "a hit refreshes an old entry, so it is still there" "hit 0" "$(got result) $(compiles)"

# ---- fork ----

store forked
forget_compiles
stub_is sleep_ms=1500
equal "fork while a thread compiles: parent and child finish" 0 "$(status_of timeout 60 "$loader" --fork "$work/specs/gc1")"
equal "both with the right result" 2 "$(grep -c '^ok gc1 [a-z]* 7001 ' "$work/out")"
equal "one compile: the child did not break the parent's lock" 1 "$(compiles)"
equal "one entry" 1 "$(entries)"
finish
