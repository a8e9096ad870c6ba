#!/bin/sh
# No false verdicts while two other programs load the machine for half of the time.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
. "$KILN_SOURCE/tests/cli/aa.sh"
need_full
[ -x "$aa_program" ] || die "$aa_program is missing; build with KILN_BENCH=ON"

# Each burns a second of CPU time, then sleeps about as long as that took.
load() {
  while [ -e "$work/load" ]; do
    "$aa_program" 1 0.5
    sleep 1
  done
}
cleanup() {
  rm -f "$work/load"
  wait
}
: >"$work/load"
load &
load &
aa_check 300 7
cleanup
finish
