#!/bin/sh
# tvm_ffi.load_module("libkiln_ops.so") with NumPy tensors: right, refused as the definition refuses, with its sentences.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/op_lib.sh"
need_tvm_ffi
if grep -q '^KILN_SANITIZE:[A-Z]*=..*' "$KILN_BUILD/CMakeCache.txt"; then skip "an instrumented library is not loaded into Python"; fi
KILN_LIBEXEC=$KILN_BUILD/bin
export KILN_LIBEXEC
equal "ops from Python" 0 "$(status_of "$python" "$KILN_SOURCE/tests/cli/op_python.py" "$KILN_BUILD/lib/libkiln_ops.so" "$kiln")"
sed 's/^/   /' "$work/out" "$work/err"
finish
