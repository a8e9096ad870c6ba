/* Tensors in plain memory, made and changed for one call. Include after cmocka.h. */
#ifndef KILN_TESTS_UNIT_OP_TENSORS_H
#define KILN_TESTS_UNIT_OP_TENSORS_H

#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "kiln/tensor.h"

struct made_tensor {
  struct kiln_tensor tensor;
  int64_t shape[8], strides[8];
};

/* Compact, on the CPU, zeroed; free data with free(). */
static inline void
tensor_make(struct made_tensor *made, enum kiln_dtype dtype, int ndim, const int64_t *shape)
{
  int64_t count = 1;
  memset(made, 0, sizeof *made);
  for (int d = ndim; d-- > 0;) {
    made->shape[d] = shape[d];
    made->strides[d] = count;
    count *= shape[d];
  }
  const size_t bytes = (size_t)count * kiln_dtype_bits(dtype) / 8;
  made->tensor = (struct kiln_tensor){.data = aligned_alloc(64, (bytes + 127) / 64 * 64),
      .device = {KILN_DEVICE_CPU, 0},
      .ndim = ndim,
      .type = kiln_dtype_to_tensor(dtype),
      .shape = made->shape,
      .strides = made->strides};
  memset(made->tensor.data, 0, (bytes + 127) / 64 * 64);
}

static inline struct kiln_value
value_tensor(const struct made_tensor *made)
{
  return (struct kiln_value){KILN_VALUE_TENSOR, {.tensor = &made->tensor}};
}

static inline struct kiln_value
value_real(double number)
{
  return (struct kiln_value){KILN_VALUE_REAL, {.real = number}};
}

static inline struct kiln_value
value_integer(int64_t number)
{
  return (struct kiln_value){KILN_VALUE_INT, {.integer = number}};
}

#endif
