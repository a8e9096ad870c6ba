#!/bin/sh
# Real Warp on an NVIDIA GPU under kiln, on a bare machine without a network. Two steps:
#   warp_cuda.sh take FOLDER      keep what one transfer brought (build/gpu/1, build/gpu/2, ... of pack.sh)
#   warp_cuda.sh run              install, build kiln, run the programs of cases/, compare; log and results.tar.gz in $OUT
# Needs there: gcc, cmake 3.25, make or ninja, python3 with numpy, a driver. KILN_GPU_STORE: where parts are kept.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
store=${KILN_GPU_STORE:-/tmp/kiln-gpu}
out=$store/out
bring=${OUT:-$store} # what comes back: few files, so all but the log goes into one
failed=0

take() {
  mkdir -p "$store" && cp -R "$1"/. "$store"/ && ls "$store"
}

# Warp into $store/site; Debian's development packages into $store/root, found through their own pkg-config.
install_all() {
  mkdir -p "$store/site" "$store/root"
  cat "$store"/part? >"$store/warp.tar.xz" || return 1
  "$python" -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])' \
    "$store/warp.tar.xz" "$store/site" || return 1
  for package in "$store"/debs/*.deb; do dpkg-deb -x "$package" "$store/root" || return 1; done
  libraries=$store/root/usr/lib/x86_64-linux-gnu
  cat >"$store/pkg-config" <<CONFIG
#!/bin/sh
export LD_LIBRARY_PATH=$libraries PKG_CONFIG_LIBDIR=$libraries/pkgconfig PKG_CONFIG_SYSROOT_DIR=$store/root
exec $store/root/usr/bin/pkgconf "\$@"
CONFIG
  chmod +x "$store/pkg-config"
}

build_kiln() {
  cmake -S "$root" -B "$store/build" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DKILN_TESTS=OFF \
    -DPKG_CONFIG_EXECUTABLE="$store/pkg-config" \
    -DCMAKE_PREFIX_PATH="$store/root/usr" -DCMAKE_LIBRARY_PATH="$libraries" -DCMAKE_INCLUDE_PATH="$store/root/usr/include" &&
    cmake --build "$store/build" -j "$(nproc)" --target kiln kiln-spawn kiln-preload
}

# The driver recorder, where CUDA's headers are found; its variable is renamed: kiln's agent has the same.
build_recorder() {
  [ -f "$store/recorder.c" ] || return 1
  cuda=$(find / -name cuda.h -not -path '/proc/*' 2>/dev/null | head -n 1)
  cupti=$(find / -name cupti.h -not -path '/proc/*' 2>/dev/null | head -n 1)
  [ -n "$cuda" ] && [ -n "$cupti" ] || return 1
  KILN_CUPTI=$(find / -name 'libcupti.so.*' -not -path '/proc/*' 2>/dev/null | head -n 1)
  export KILN_CUPTI
  sed 's/"KILN_EVENTS/"DRIVER_EVENTS/' "$store/recorder.c" >"$store/driver.c"
  gcc -std=c11 -O2 -shared -fPIC -I"$(dirname "$cuda")" -I"$(dirname "$cupti")" "$store/driver.c" \
    -o "$store/driver.so" -ldl -pthread
}

# say NAME STATUS WHAT: one line, and the sum of what failed.
say() {
  if [ "$2" -eq 0 ]; then echo "ok: $1: $3"; else
    echo "FAIL: $1: $3 (status $2)"
    failed=$((failed + 1))
  fi
}

# Under the agent alone, so that the cache folder can be looked at; then as a user measures it.
run_case() {
  name=$1
  work=$store/run/$name
  mkdir -p "$work/events" "$work/cache" "$work/driver-cache" "$work/tmp"
  status=0
  env ${injected:+CUDA_INJECTION64_PATH="$injected"} DRIVER_EVENTS="$work/driver.jsonl" KILN_EVENTS="$work/events" \
    LD_PRELOAD="$store/build/lib/libkiln-preload.so" WARP_CACHE_PATH="$work/cache" \
    CUDA_CACHE_PATH="$work/driver-cache" TMPDIR="$work/tmp" KILN_TRUTH="$work/truth" "$python" "$here/cases/$name.py" >"$work/out" 2>"$work/err" || status=$?
  if [ "$name" = ptx ] && [ "$status" -ne 0 ]; then
    echo "skipped: $name: this driver does not take the PTX of Warp's toolkit: $(tail -n 1 "$work/err")"
    return
  fi
  say "$name" "$status" "runs under the agent"
  [ "$status" -eq 0 ] || tail -n 20 "$work/err"
  "$python" "$here/compare.py" "$name" "$work/events" "$work/cache" "$work/truth" "$work/driver.jsonl"
  say "$name" $? "events agree with cache, program and driver"
  measure_case "$name"
}

measure_case() {
  status=0
  KILN_TRUTH=$work/truth2 "$store/build/bin/kiln" measure --warmup 0 --samples 1 -o "$out/$1.json" -- \
    "$python" "$here/cases/$1.py" >"$out/$1.txt" 2>"$work/measure.err" || status=$?
  say "$1" "$status" "kiln measure"
  [ "$status" -eq 0 ] || tail -n 20 "$work/measure.err"
  "$python" - "$out/$1.json" "$work/truth2" <<'CHECK'
import json, sys
report, truth = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
sample = report["arms"][0]["samples"][0]
cold, warm = sample["cold"], sample["warm"]
print("  cold %.2f s, warm %.2f s, builds %d/%d, loads %d/%d, lto %d/%d, launches %d/%d, native %.2f s" % (
    cold["elapsed_s"], warm["elapsed_s"], cold["builds"], warm["builds"], cold["loads"], warm["loads"],
    cold["lto"], warm["lto"], cold["launches"], warm["launches"], cold["native_s"]))
for warning in report["warnings"]:
    print("  warning: " + warning)
wrong = [name for name in ("builds", "loads", "launches") if name in truth and cold[name] != truth[name]]
wrong += ["warm " + name for name in ("builds", "lto") if warm[name] != 0]
wrong += ["warm " + name for name in ("loads", "launches") if name in truth and warm[name] != truth[name]]
print("  report and program: " + ("agree" if not wrong else "DIFFER in " + ", ".join(wrong)))
sys.exit(1 if wrong else 0)
CHECK
  say "$1" $? "the report agrees with the program"
}

run() {
  mkdir -p "$store/run"
  python=$(command -v python3)
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
  if ! install_all >"$out/install.log" 2>&1; then
    tail -n 5 "$out/install.log"
    echo "FAIL: Warp and the packages could not be unpacked; was every part taken?"
    return 1
  fi
  build_kiln >"$out/build.log" 2>&1 || tail -n 30 "$out/build.log"
  [ -x "$store/build/bin/kiln" ]
  say build $? "kiln"
  injected=
  if build_recorder >"$out/recorder.log" 2>&1; then injected=$store/driver.so; else echo "no driver recorder: $(tail -n 1 "$out/recorder.log")"; fi
  export PYTHONPATH="$store/site" PYTHONDONTWRITEBYTECODE=1
  "$python" -c 'import sys, warp; warp.init(); print(sys.version)' || return 1
  for name in ${CASES:-blocks graph condition ptx lto}; do run_case "$name"; done
  # shellcheck disable=SC2046 # a list of names
  tar czf "$bring/results.tar.gz" -C "$store" out $(cd "$store" && echo run/*/events run/*/driver.jsonl) 2>/dev/null
  if [ "$failed" -eq 0 ]; then echo "ALL AGREE"; else echo "$failed FAILED"; fi
  [ "$failed" -eq 0 ]
}

case ${1:-} in
take) take "${2:?usage: warp_cuda.sh take FOLDER}" ;;
run)
  mkdir -p "$out" "$bring"
  {
    run
    echo $? >"$store/status"
  } 2>&1 | tee "$bring/log"
  exit "$(cat "$store/status")"
  ;;
*)
  echo "usage: warp_cuda.sh take FOLDER | run" >&2
  exit 2
  ;;
esac
