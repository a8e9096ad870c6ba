#!/bin/sh
# One of three quick programs that compile when cold: quick.sh gcc|numpy|warp [SPIN SECONDS]
#
# Everything cold lies below TMPDIR or WARP_CACHE_PATH, which `kiln measure` makes fresh for each sample. With SPIN (the
# program bench.spin) a cold run also burns SECONDS of CPU time. KILN_WARP_PYTHON has numpy and Warp.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=$1
[ "$#" -lt 3 ] || [ -e "$TMPDIR/warm" ] || "$2" "$3"
: >"$TMPDIR/warm"

case $program in
gcc) # one large file behind a small cache by content
  source=$here/../../build/bench/large.c
  key=$(cksum <"$source" | tr ' ' '-')
  [ -e "$TMPDIR/$key.o" ] || gcc -O1 -c "$source" -o "$TMPDIR/$key.o"
  ;;
numpy) # fresh bytecode
  PYTHONPYCACHEPREFIX=$TMPDIR/pyc exec "$KILN_WARP_PYTHON" -c 'import numpy'
  ;;
warp) # one kernel on the CPU
  exec "$KILN_WARP_PYTHON" "$here/one_kernel.py"
  ;;
*)
  echo "quick.sh: '$program' is none of gcc, numpy, warp" >&2
  exit 2
  ;;
esac
