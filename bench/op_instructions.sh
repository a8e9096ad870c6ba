#!/bin/sh
# op_instructions.sh BUILD: instructions of one warm call of an op (check, dispatch, packing; nothing is started), by
# valgrind's callgrind: the difference between 30000 and 10000 calls. Needs valgrind and a built bench.op_call.
set -eu
build=${1:-build/dev}
program=$build/bench/bench.op_call
[ -x "$program" ] || { echo "$program is missing; run ./dev build" >&2 && exit 1; }
command -v valgrind >/dev/null || { echo "valgrind is missing" >&2 && exit 1; }

# collected CALLS: instructions of the whole process.
collected() {
  KILN_LIBEXEC=$build/bin valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$1" 2>&1 |
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}
few=$(collected 10000)
many=$(collected 30000)
echo "instructions of one call of rmsnorm, checked and packed: $(((many - few) / 20000))"
