#!/bin/sh
# Records the programs of tests/mechanisms/catalogue.table that need a GPU (rows `gpu`). After `warp_cuda.sh run`, or with
# KILN_BUILD naming a build folder and KILN_WARP_PYTHON a Python with Warp. The records come back in $OUT/recorded; copy
# them to tests/mechanisms/recorded/, then `MECHANISMS='.*gpu_.*' ctest -R warp.mechanisms` holds them against the table.
#   mechanisms.sh [NAME…]
# gpu_driver_jit needs a driver that knows the PTX of Warp's toolkit; with an older driver, give it an older Warp.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
store=${KILN_GPU_STORE:-/tmp/kiln-gpu}
out=${OUT:-$store}
[ -n "${KILN_WARP_PYTHON:-}" ] || export PYTHONPATH="$store/site"
KILN_BUILD=${KILN_BUILD:-$store/build}
KILN_WARP_PYTHON=${KILN_WARP_PYTHON:-$(command -v python3)}
RECORDED=$out/recorded
export KILN_BUILD KILN_WARP_PYTHON RECORDED
[ -x "$KILN_BUILD/bin/kiln" ] || { echo "mechanisms.sh: $KILN_BUILD/bin/kiln is missing; run warp_cuda.sh run first" >&2; exit 2; }
# shellcheck disable=SC2046 # names
[ $# -gt 0 ] || set -- $(grep '|gpu|' "$root/tests/mechanisms/catalogue.table" | cut -d'|' -f1)
status=0
for name; do
  sh "$root/tests/mechanisms/record.sh" "$name" || status=1
  [ ! -f "$RECORDED/$name.tar.gz" ] || {
    (cd "$out" && tar xzf "recorded/$name.tar.gz" && "$KILN_BUILD/bin/kiln" diagnose "$name" | grep -E '^ *(CS|N)-' | head -n 5)
    rm -rf "${out:?}/$name"
  }
done
exit "$status"
