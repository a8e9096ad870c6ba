#!/bin/sh
# The program that runs on a real GPU (tests/gpu/driver.sh), with entries of both real toolchains, on the stand-in driver.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_toolkit
fake=$KILN_BUILD/tests/fake/libcuda.so
[ -e "$fake" ] || die "$fake is missing; run ./dev build"
if nm -D "$fake" | grep -q __asan_ || nm -D "$fake" | grep -q __tsan_; then skip "the program is built without a sanitizer"; fi
KILN_GPU_OUT=$work/driver KILN_CUDA=$toolkit KILN_BUDGET_DIR=$work/budget
export KILN_GPU_OUT KILN_CUDA KILN_BUDGET_DIR
driver=$KILN_SOURCE/tests/gpu/driver.sh
equal "packed, ten entries built" 0 "$(status_of "$driver" pack)"
cat "$work/out" "$work/err"
equal "ten" 10 "$(grep -c '^ok: ' "$work/out")"
equal "runs from the packed store, without a compiler" 0 "$(status_of "$driver" fake)"
cat "$work/out" "$work/err"
equal "thirteen things hold" 13 "$(grep -c '^ok: ' "$work/out")"
equal "none does not" 0 "$(grep -c '^FAIL' "$work/out")"
finish
