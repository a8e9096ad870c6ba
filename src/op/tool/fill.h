/*
 * What test data is put into an argument, as its table says. Dense, in canonical order, already rounded to the dtype.
 */
#ifndef KILN_OP_TOOL_FILL_H
#define KILN_OP_TOOL_FILL_H

#include "op/op.h"

/* n elements of argument `arg` into real or integer (the other is NULL). axis: of the whole trial. */
void kiln_fill_argument(const struct kiln_op *op, const int64_t *axis, unsigned arg, enum kiln_dtype dtype,
    struct kiln_rng *rng, int64_t n, double *real, int64_t *integer);
/* Is that no more than reals around 0, which any other such numbers can stand for? */
bool kiln_fill_is_noise(const struct kiln_op *op, const int64_t *axis, unsigned arg, enum kiln_dtype dtype);

#endif
