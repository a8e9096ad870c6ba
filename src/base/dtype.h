/*
 * Elements of every dtype as numbers. Names and sizes: kiln/tensor.h. Written apart from what kernels use, so that each
 * checks the other.
 *
 * Floating types are rounded to nearest even; fp8 saturates, as the conversions of GPUs do. No state.
 */
#ifndef KILN_BASE_DTYPE_H
#define KILN_BASE_DTYPE_H

#include <stdbool.h>

#include "kiln/tensor.h"

/* Is it one of the floating types? */
bool kiln_dtype_is_real(enum kiln_dtype dtype);
/* "bf16": what kernels are compiled with. */
const char *kiln_dtype_short_name(enum kiln_dtype dtype);
/* What a number becomes when it is stored as `dtype` and read again. */
double kiln_dtype_round(enum kiln_dtype dtype, double value);
/* Element `i` of an array; integers beyond 2^53 lose their low bits. */
double kiln_dtype_load(enum kiln_dtype dtype, const void *array, int64_t i);
void kiln_dtype_store(enum kiln_dtype dtype, void *array, int64_t i, double value);
/* The same for integer types, exactly. */
int64_t kiln_dtype_load_integer(enum kiln_dtype dtype, const void *array, int64_t i);
void kiln_dtype_store_integer(enum kiln_dtype dtype, void *array, int64_t i, int64_t value);

#endif
