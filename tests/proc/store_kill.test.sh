#!/bin/sh
# Eight loaders and a SIGKILL at a random moment, round after round: never a wrong result, a visible part of an entry, a
# hang, or a child that is left over. KILN_SEED repeats a run.
. "$KILN_SOURCE/tests/proc/store_lib.sh"
rounds=20
[ "${KILN_FULL:-0}" = 1 ] && rounds=500
seed=${KILN_SEED:-$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}
echo "seed $seed, $rounds rounds (KILN_SEED=$seed repeats them)"
stub cc
store killed
round=0
while [ "$round" -lt "$rounds" ]; do
  spec "r$round" $((5000 + round))
  round=$((round + 1))
done

# watch: until it is told to stop, no reader ever sees a part of an entry.
watch_entries() {
  while [ ! -e "$work/stop" ]; do
    "$kiln" cache verify >"$work/verify.now" 2>&1 || cp "$work/verify.now" "$work/verify.bad"
    sleep 0.05
  done
}

# rounds_of WHAT MILLISECONDS COMPILER-SETTING…: the kill comes within so many milliseconds.
rounds_of() {
  what=$1 window=$2
  shift 2
  stub_is "$@"
  rm -f "$work/stop" "$work/verify.bad"
  forget_compiles
  store "killed-$what"
  watch_entries &
  watcher=$!
  rm -rf "$work"/herd.*
  "$herd" --processes 8 --rounds "$rounds" --out "$work/herd.ROUND" --barrier "$work/barrier" --kill "$seed" "$window" -- \
    "$loader" --barrier "$work/barrier" "$work/specs/rROUND" >"$work/summary"
  rc=$?
  touch "$work/stop"
  wait "$watcher"
  echo "   $what: $(cat "$work/summary") compiles=$(compiles)"
  equal "$what: no hang and no child is left" 0 "$rc"
  equal "$what: no loader that was left alone fails" 0 "$(sed 's/.*failed=\([0-9]*\).*/\1/' "$work/summary")"
  cat "$work"/herd.*/*.out | grep -v '^ok ' >"$work/not_ok"
  head -n 5 "$work/not_ok"
  check "$what: no error is printed" [ ! -s "$work/not_ok" ]
  equal "$what: no wrong result" 0 \
    "$(cat "$work"/herd.*/*.out | awk '{ sub("r", "", $2); if ($4 != 5000 + $2) n++ } END { print n + 0 }')"
  equal "$what: an entry per round" "$rounds" "$(entries)"
  check "$what: nobody saw a part of an entry" [ ! -e "$work/verify.bad" ]
  [ ! -e "$work/verify.bad" ] || sed 's/^/   verify: /' "$work/verify.bad"
  equal "$what: all entries are good" 0 "$(status_of "$kiln" cache verify)"
  check "$what: somebody was killed" [ "$(sed 's/.*killed=\([0-9]*\).*/\1/' "$work/summary")" -gt 0 ]
  # A folder whose maker died before it could sign it is left alone for a minute.
  find "$KILN_CACHE_DIR/v1/build" -mindepth 1 -maxdepth 1 -exec touch -d '2 minutes ago' {} +
  spec after 77
  load after
  equal "$what: the next build reclaims all build folders" 0 "$(build_folders)"
}
rounds_of quick 50
rounds_of slow 150 sleep_ms=60 chunks=4
rounds=$((rounds / 4))
rounds_of real 150 template=
finish
