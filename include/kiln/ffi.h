/*
 * kiln/ffi.h: ops as functions of tvm-ffi, in a process without tvm-ffi.
 *
 * libkiln_ops defines `__tvm_ffi_<op>` for every op, so that tvm_ffi.load_module("libkiln_ops.so") finds them. It needs
 * two functions of tvm-ffi and takes them from the process where they are. A host that speaks this calling convention
 * by itself passes its own.
 */
#ifndef KILN_FFI_H
#define KILN_FFI_H

#include <stdint.h>

#include "kiln/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a host without tvm-ffi gives; both may be NULL. */
struct kiln_ffi_host {
  void (*set_error)(const char *kind, const char *message); /* "TypeError", "ValueError", "RuntimeError" */
  void *(*stream)(int32_t device_type, int32_t device_id);  /* of the calling thread; NULL: the default stream */
};
/* Used only where tvm-ffi itself is not in the process. host must live as long as it is set; NULL: none. Any thread. */
KILN_API void kiln_ffi_set_host(const struct kiln_ffi_host *host);

#ifdef __cplusplus
}
#endif
#endif
