#!/bin/sh
# kiln's own ops on a real GPU, in two steps:
#
#   tests/gpu/ops.sh pack      on a machine with a CUDA toolkit and a build with benchmarks (KILN_BUILD): writes
#                              build/gpu/ops, some MB: kiln, kernels/, and a store with every kernel for sm_90a
#   tests/gpu/ops.sh run       on the machine with the GPU, which needs its driver; results in $OUT (or build/gpu/ops/out):
#                              run.json every op, shape, dtype and stride form against its reference; bench-<op>.json
#                              times beside a copy, and beside PyTorch where KILN_BENCH_PYTHON names a Python with it;
#                              host.txt what a call costs on the host beside the driver's bare launch (needs KILN_CUDA);
#                              sanitizer.txt where compute-sanitizer is found; first.json first calls from an empty
#                              store where KILN_CUDA names a toolkit with NVRTC; doctor.txt
#   tests/gpu/ops.sh fake      here, on the stand-in driver: does the script itself work? (kernels do nothing there)
set -eu
cd "$(dirname "$0")/../.."
folder=${KILN_GPU_OUT:-$PWD/build/gpu/ops}
build=${KILN_BUILD:-build/dev}

# Every kernel that the runs below use is compiled by running them on a driver that does nothing.
pack() {
  rm -rf "$folder"
  mkdir -p "$folder/bin" "$folder/lib" "$folder/bench"
  cp "$build/bin/kiln" "$build/bin/kiln-spawn" "$build/bench/bench.op_call" "$folder/bin"
  cp -r kernels "$folder/kernels"
  cp bench/op_torch.py "$folder/bench"
  ldd "$build/bin/kiln" | sed -n 's/^.*\(libcjson\|libyyjson\|libsodium\|libxxhash\|libzstd\)[^ ]* => \([^ ]*\).*/\2/p' |
    while read -r library; do cp -L "$library" "$folder/lib"; done
  KILN_CACHE_DIR=$folder/store
  KILN_DRIVER=$build/tests/fake/libcuda.so
  KILN_FAKE_DEVICES=9.0
  export KILN_CACHE_DIR KILN_DRIVER KILN_FAKE_DEVICES
  "$build/bin/kiln" op run --all --device cuda >/dev/null || true
  "$build/bin/kiln" op list --ahead sm90a --build >/dev/null
  rm -rf "$folder/store/v1/locks" "$folder/store/v1/build"
  du -sh "$folder"
}

kiln() {
  LD_LIBRARY_PATH=$folder/lib "$folder/bin/kiln" "$@"
}

# note NAME COMMAND…: output to a file of that name, exit code said.
note() {
  note_name=$1
  shift
  "$@" >"$results/$note_name" 2>"$results/$note_name.err" && note_code=0 || note_code=$?
  printf '%s: exit %d\n' "$note_name" "$note_code" | tee -a "$results/summary.txt"
}

run() {
  results=${OUT:-$folder/out}
  mkdir -p "$results"
  : >"$results/summary.txt"
  store=$(mktemp -d)
  cp -r "$folder/store/." "$store"
  chmod -R go-w "$store"
  KILN_CACHE_DIR=$store
  KILN_KERNELS=$folder/kernels
  export KILN_CACHE_DIR KILN_KERNELS
  kiln doctor >"$results/doctor.txt" 2>&1 || true # the agent is not packed
  note run.json kiln op run --all --device cuda --json
  for op in $(kiln op list | cut -d' ' -f1); do
    if [ -n "${KILN_BENCH_PYTHON:-}" ]; then
      note "bench-$op.json" kiln op bench "$op" --device cuda --json --vs torch
    else
      note "bench-$op.json" kiln op bench "$op" --device cuda --json
    fi
    if command -v compute-sanitizer >/dev/null 2>&1; then
      LD_LIBRARY_PATH=$folder/lib note "sanitizer-$op.txt" compute-sanitizer --error-exitcode 9 \
        "$folder/bin/kiln" op run "$op" --device cuda --calls 1
    fi
  done
  if [ -n "${KILN_CUDA:-}" ]; then
    LD_LIBRARY_PATH=$folder/lib note host.txt "$folder/bin/bench.op_call" cuda
    KILN_CACHE_DIR=$(mktemp -d)
    for op in $(kiln op list | cut -d' ' -f1); do
      note "first-$op.json" kiln op run "$op" --device cuda --json
      note "stored-$op.json" kiln op run "$op" --device cuda --json
    done
    rm -rf "$KILN_CACHE_DIR"
  fi
  rm -rf "$store"
  ! grep -v ': exit 0$' "$results/summary.txt"
}

case ${1:-} in
pack) pack ;;
run) run ;;
fake)
  KILN_DRIVER=$PWD/$build/tests/fake/libcuda.so
  case $build in /*) KILN_DRIVER=$build/tests/fake/libcuda.so ;; esac
  export KILN_DRIVER
  run
  ;;
*)
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
  exit 2
  ;;
esac
