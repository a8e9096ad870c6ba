#!/bin/sh
# Entries of both toolchains on a real GPU (driver.c), in two steps:
#
#   tests/gpu/driver.sh pack     on a machine with a CUDA toolkit (./dev setup): writes build/gpu/driver, about 2 MB: the
#                                program, and a store that both toolchains have filled
#   tests/gpu/driver.sh run      on the machine with the GPU, which needs its driver and nothing else; results in
#                                $OUT/driver.txt, when OUT is set
#   tests/gpu/driver.sh fake     here, on the stand-in driver: does the program itself work?
set -eu
cd "$(dirname "$0")/../.."
out=${KILN_GPU_OUT:-$PWD/build/gpu/driver}
build=${KILN_BUILD:-build/dev}

pack() {
  libraries=''
  for part in jit device store event os base; do libraries="$libraries $build/lib/libkiln_$part.a"; done
  rm -rf "$out"
  mkdir -p "$out"
  # shellcheck disable=SC2086,SC2016 # a list of libraries; the loader's word
  cc -std=c11 -O2 -D_GNU_SOURCE -Isrc -Iinclude -I"$build/generated" tests/gpu/driver.c -o "$out/driver" \
    -Wl,--start-group $libraries -Wl,--end-group -Wl,-rpath,'$ORIGIN/lib' -lcjson -lsodium -lxxhash -ldl -lpthread -lm
  mkdir "$out/lib"
  ldd "$out/driver" | sed -n 's/^.*\(libcjson\|libsodium\|libxxhash\)[^ ]* => \([^ ]*\).*/\2/p' |
    while read -r library; do cp -L "$library" "$out/lib"; done
  [ -n "${KILN_CUDA:-}" ] || for KILN_CUDA in "$PWD"/.venv/cuda/lib/python3*/site-packages/nvidia/cu13; do :; done
  export KILN_CUDA
  "$out/driver" "$out/store" --build
  rm -rf "$out/store/v1/locks" "$out/store/v1/build"
  du -sh "$out"
}

# A copy that is this user's own: a store of anybody else's is not trusted. No compiler is looked for.
run() {
  store=$(mktemp -d)
  cp -r "$out/store/." "$store"
  chmod -R go-w "$store"
  KILN_JIT=off "$out/driver" "$store" "$@" && code=0 || code=$?
  rm -rf "$store"
  return "$code"
}

case ${1:-} in
pack) pack ;;
run)
  if [ -n "${OUT:-}" ]; then
    run >"$OUT/driver.txt" 2>&1 && code=0 || code=$?
    cat "$OUT/driver.txt"
    exit "$code"
  fi
  run
  ;;
fake) KILN_DRIVER=$build/tests/fake/libcuda.so run --fake ;;
*)
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
  exit 2
  ;;
esac
