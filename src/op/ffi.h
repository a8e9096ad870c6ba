/*
 * One op as a function of tvm-ffi: `__tvm_ffi_<op>` and its metadata, made for every op of the registry by the build
 * (generated/op_exports.c), all over the one function below.
 *
 * Nothing is linked: the two functions of tvm-ffi are weak references, and nothing named TVMFFI… is ever exported
 * (the real library's own calls would end here). Where that library is not in the process, a host passes its own two
 * functions to kiln_ffi_set_host.
 */
#ifndef KILN_OP_FFI_H
#define KILN_OP_FFI_H

#include "kiln/ffi.h"
#include "op/call.h"
#include "op/ffi_abi.h"

/* The convention of tvm-ffi: 0, or -1 with an error set. Arguments in the order of the op's table; trailing optional
 * ones may be left out; both tensors of a KILN_PAIR come as a tuple, or as one tensor [n, 2, …]. Runs in the one kiln
 * that the process has for this (made at the first call, settings from the environment), in the stream that tvm-ffi
 * names for the first GPU tensor. */
int kiln_ffi_call(
    const struct kiln_op *op, const struct kiln_ffi_any *args, int32_t count, struct kiln_ffi_any *result);
/* A constant text as result; for metadata and documentation. */
int kiln_ffi_text(const char *text, struct kiln_ffi_any *result);

/* The type schema of an op's function, a JSON object as tvm-ffi reads it; appended. */
void kiln_ffi_schema(const struct kiln_op *op, struct kiln_buf *out);

#endif
