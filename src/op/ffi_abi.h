/*
 * The C ABI of tvm-ffi 0.1 as far as ops need it, written from its layouts. A library with these structs can be called
 * by tvm-ffi's loaders (Python, C++, Rust, JAX) without being linked with it.
 */
#ifndef KILN_OP_FFI_ABI_H
#define KILN_OP_FFI_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "kiln/tensor.h"

/* Type indices; objects begin at 64. */
enum {
  KILN_FFI_NONE = 0,
  KILN_FFI_INT = 1,
  KILN_FFI_BOOL = 2,
  KILN_FFI_FLOAT = 3,
  KILN_FFI_TENSOR_POINTER = 7, /* DLTensor*, from C, C++, Rust and JAX */
  KILN_FFI_RAW_TEXT = 8,
  KILN_FFI_SMALL_TEXT = 11, /* at most 7 bytes, inside the value */
  KILN_FFI_TEXT_OBJECT = 65,
  KILN_FFI_TENSOR_OBJECT = 70, /* from Python */
  KILN_FFI_ARRAY_OBJECT = 71
};

struct kiln_ffi_any {
  int32_t type;
  uint32_t padding; /* always 0 in results: values are compared bytewise */
  union {
    int64_t integer;
    double real;
    void *pointer;
    const char *text;
    char bytes[8];
  } as;
};

/* What an object begins with; its content follows. */
struct kiln_ffi_object {
  uint64_t references;
  int32_t type;
  uint32_t padding;
  void (*deleter)(void *self, int flags);
};
struct kiln_ffi_bytes {
  const char *data;
  size_t size;
};
struct kiln_ffi_sequence {
  struct kiln_ffi_any *data;
  int64_t size, capacity;
  void (*deleter)(void *data);
};

_Static_assert(sizeof(struct kiln_ffi_any) == 16 && offsetof(struct kiln_ffi_any, as) == 8, "TVMFFIAny");
_Static_assert(sizeof(struct kiln_ffi_object) == 24 && offsetof(struct kiln_ffi_object, type) == 8 &&
                   offsetof(struct kiln_ffi_object, deleter) == 16,
    "TVMFFIObject");
_Static_assert(sizeof(struct kiln_ffi_bytes) == 16, "TVMFFIByteArray");
_Static_assert(sizeof(struct kiln_ffi_sequence) == 32, "TVMFFISeqCell");
_Static_assert(sizeof(struct kiln_tensor) == 48 && offsetof(struct kiln_tensor, device) == 8 &&
                   offsetof(struct kiln_tensor, ndim) == 16 && offsetof(struct kiln_tensor, type) == 20 &&
                   offsetof(struct kiln_tensor, shape) == 24 && offsetof(struct kiln_tensor, strides) == 32 &&
                   offsetof(struct kiln_tensor, byte_offset) == 40,
    "DLTensor");

#endif
