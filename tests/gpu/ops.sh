#!/bin/sh
# kiln's own ops on a real GPU, in two steps:
#
#   tests/gpu/ops.sh pack      on a machine with a CUDA toolkit and a build with benchmarks (KILN_BUILD): writes
#                              build/gpu/ops, some MB: kiln, kernels/, and a store with every kernel for sm_90a
#   tests/gpu/ops.sh run [WHAT…]   on the machine with the GPU, which needs its driver; results in $OUT (or
#                              build/gpu/ops/out). WHAT, all of it when nothing is said:
#                                check      run.json: every op, shape, dtype and stride form against its reference
#                                bench      bench.txt: times beside a copy, and beside PyTorch where KILN_BENCH_PYTHON
#                                           names a Python with it; of the ops in KILN_BENCH_OPS, else of all
#                                host       host.txt: what a call costs on the host beside the driver's bare launch
#                                sanitizer  sanitizer.txt: memcheck of the smallest shape of each op
#                                python     python.txt: every op from Python with PyTorch's tensors; a Python with
#                                           torch, and apache-tvm-ffi where KILN_FFI_SITE says
#                                first      first.txt: first calls of processes, from an empty store and a filled one
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
  [ ! -x "$build/bench/bench.op_first" ] || cp "$build/bench/bench.op_first" "$folder/bin"
  cp -r kernels "$folder/kernels"
  cp bench/op_torch.py "$folder/bench"
  cp tests/gpu/python_ffi.py "$folder/bench"
  cp -L "$build/lib/libkiln.so.0.1" "$build/lib/libkiln_ops.so" "$folder/lib"
  ldd "$build/bin/kiln" | sed -n 's/^.*\(libcjson\|libyyjson\|libsodium\|libxxhash\|libzstd\)[^ ]* => \([^ ]*\).*/\2/p' |
    while read -r library; do cp -L "$library" "$folder/lib"; done
  KILN_CACHE_DIR=$folder/cpu "$build/bin/kiln" op run --all --save "$folder/calls" >/dev/null
  rm -rf "$folder/cpu"
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

names() {
  kiln op list | cut -d' ' -f1
}

bench() {
  [ -n "${KILN_BENCH_OPS:-}" ] || {
    kiln op bench --all --device cuda ${KILN_BENCH_PYTHON:+--vs torch}
    return
  }
  for op in $KILN_BENCH_OPS; do
    kiln op bench "$op" --device cuda ${KILN_BENCH_PYTHON:+--vs torch} || return 1
  done
}

python() {
  LD_LIBRARY_PATH=$folder/lib PYTHONPATH=${KILN_FFI_SITE:-} "${KILN_BENCH_PYTHON:-python3}" "$folder/bench/python_ffi.py" \
    "$folder/lib/libkiln_ops.so" "$folder/kernels" "$folder/calls" cuda
}

# One op of several at a time: a sanitizer takes seconds to start.
sanitizer() {
  sanitizer_of() {
    LD_LIBRARY_PATH=$folder/lib timeout 120 compute-sanitizer --error-exitcode 9 "$folder/bin/kiln" op run "$1" \
      --device cuda --calls 1 >"$results/sanitizer-$1" 2>&1 && sanitizer_code=0 || sanitizer_code=$?
    printf '%s: exit %d, %s\n' "$1" "$sanitizer_code" "$(grep 'ERROR SUMMARY' "$results/sanitizer-$1")"
    [ "$sanitizer_code" -eq 0 ] || tail -n 30 "$results/sanitizer-$1"
    rm "$results/sanitizer-$1"
  }
  for op in $(names); do
    sanitizer_of "$op" &
    sanitizer_count=$((${sanitizer_count:-0} + 1))
    [ $((sanitizer_count % 6)) -ne 0 ] || wait
  done
  wait
}

first() {
  LD_LIBRARY_PATH=$folder/lib "$folder/bin/bench.op_first" cuda
}

run() {
  results=${OUT:-$folder/out}
  what=${*:-check bench host python sanitizer first}
  mkdir -p "$results"
  : >"$results/summary.txt"
  store=$(mktemp -d)
  cp -r "$folder/store/." "$store"
  chmod -R go-w "$store"
  KILN_CACHE_DIR=$store
  KILN_KERNELS=$folder/kernels
  export KILN_CACHE_DIR KILN_KERNELS
  kiln doctor >"$results/doctor.txt" 2>&1 || true # the agent is not packed
  for part in $what; do
    case $part in
    check) note run.json kiln op run --all --device cuda --json ;;
    bench) note bench.txt bench ;;
    host) LD_LIBRARY_PATH=$folder/lib note host.txt "$folder/bin/bench.op_call" cuda ;;
    python) note python.txt python ;;
    sanitizer) note sanitizer.txt sanitizer ;;
    first) note first.txt first ;;
    *) echo "ops.sh: there is no part '$part'" >&2 && return 2 ;;
    esac
  done
  rm -rf "$store"
  ! grep -v ': exit 0$' "$results/summary.txt"
}

case ${1:-} in
pack) pack ;;
run)
  shift
  run "$@"
  ;;
fake)
  KILN_DRIVER=$PWD/$build/tests/fake/libcuda.so
  case $build in /*) KILN_DRIVER=$build/tests/fake/libcuda.so ;; esac
  export KILN_DRIVER
  shift
  run "$@"
  ;;
*)
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
  exit 2
  ;;
esac
