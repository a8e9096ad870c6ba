/*
 * For the generated entry points of ops: arguments of C as values. Used by generated/op_exports.c only.
 */
#ifndef KILN_OP_ENTRY_H
#define KILN_OP_ENTRY_H

#include <math.h>

#include "kiln/op.h"
#include "op/ffi.h"

static inline struct kiln_value
kiln_entry_tensor(const struct kiln_tensor *tensor)
{
  return (struct kiln_value){tensor ? KILN_VALUE_TENSOR : KILN_VALUE_NONE, {.tensor = tensor}};
}

static inline struct kiln_value
kiln_entry_int(int64_t number)
{
  return (struct kiln_value){number == KILN_ABSENT ? KILN_VALUE_NONE : KILN_VALUE_INT, {.integer = number}};
}

static inline struct kiln_value
kiln_entry_real(double number)
{
  return (struct kiln_value){isnan(number) ? KILN_VALUE_NONE : KILN_VALUE_REAL, {.real = number}};
}

/* The tensor, or without one the number. */
static inline struct kiln_value
kiln_entry_tensor_or_int(const struct kiln_tensor *tensor, int64_t number)
{
  return tensor ? kiln_entry_tensor(tensor) : kiln_entry_int(number);
}

static inline struct kiln_value
kiln_entry_tensor_or_real(const struct kiln_tensor *tensor, double number)
{
  return tensor ? kiln_entry_tensor(tensor) : kiln_entry_real(number);
}

#endif
