/*
 * kiln/tensor.h: tensors as every framework hands them over, and the values that an op is called with.
 *
 * struct kiln_tensor has the layout of DLPack's DLTensor, so that a pointer to one is a pointer to the other. kiln
 * never owns what it describes: data, shape and strides belong to the caller and must live as long as the call (data:
 * until the device has done the work). Plain data; safe from any thread.
 */
#ifndef KILN_TENSOR_H
#define KILN_TENSOR_H

#include <stdint.h>

#include "kiln/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Element types that ops know. The numbers never change. */
enum kiln_dtype {
  KILN_DTYPE_NONE = 0,
  KILN_DTYPE_F16 = 1,
  KILN_DTYPE_BF16 = 2,
  KILN_DTYPE_F32 = 3,
  KILN_DTYPE_E4M3 = 4, /* float8_e4m3fn */
  KILN_DTYPE_E5M2 = 5, /* float8_e5m2 */
  KILN_DTYPE_I32 = 6,
  KILN_DTYPE_I64 = 7,
  KILN_DTYPE_U8 = 8,
  KILN_DTYPE_BOOL = 9,
  KILN_DTYPE_COUNT = 10
};

/* Device types, as in DLPack. */
enum kiln_device_type { KILN_DEVICE_CPU = 1, KILN_DEVICE_CUDA = 2 };

struct kiln_tensor_device {
  int32_t type, id;
};
struct kiln_tensor_type {
  uint8_t code, bits;
  uint16_t lanes;
};
struct kiln_tensor {
  void *data;
  struct kiln_tensor_device device;
  int32_t ndim;
  struct kiln_tensor_type type;
  int64_t *shape;
  int64_t *strides; /* in elements; NULL: compact, the last dimension fastest */
  uint64_t byte_offset;
};

/* One argument of a call. Zeroed, it is an absent one. */
enum kiln_value_tag {
  KILN_VALUE_NONE = 0,
  KILN_VALUE_TENSOR = 1,
  KILN_VALUE_INT = 2,
  KILN_VALUE_REAL = 3,
  KILN_VALUE_BOOL = 4,
  KILN_VALUE_TEXT = 5,
  KILN_VALUE_OTHER = 6 /* something no op takes; only to say so */
};
struct kiln_value {
  uint32_t tag;
  union {
    const struct kiln_tensor *tensor;
    int64_t integer; /* INT, BOOL */
    double real;
    const char *text;
  } as;
};

/* An optional number that is left out, in the functions of kiln/ops/: KILN_ABSENT for integers, NAN for reals. */
#define KILN_ABSENT INT64_MIN

/* Name as in NumPy and PyTorch, "bfloat16"; "unknown" for a number that is not in the list. Never NULL. */
KILN_API const char *kiln_dtype_name(enum kiln_dtype dtype);
/* Bits of one element; 0 for KILN_DTYPE_NONE. */
KILN_API unsigned kiln_dtype_bits(enum kiln_dtype dtype);
/* From "bfloat16", "bf16", "float8_e4m3fn", "e4m3" …; KILN_DTYPE_NONE when it is none. */
KILN_API enum kiln_dtype kiln_dtype_parse(const char *name);
/* As DLPack's numbers; zeros for KILN_DTYPE_NONE. */
KILN_API struct kiln_tensor_type kiln_dtype_to_tensor(enum kiln_dtype dtype);
/* From them; KILN_DTYPE_NONE for a type that no op knows. */
KILN_API enum kiln_dtype kiln_dtype_of_tensor(struct kiln_tensor_type type);

#ifdef __cplusplus
}
#endif
#endif
