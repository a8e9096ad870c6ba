/*
 * Axes of normalisations whose tensors are rows. Their op.c includes this; those that take heads too include
 * norm_heads.h in its place.
 */
#ifndef KILN_NORM_ROWS_H
#define KILN_NORM_ROWS_H

#include "op/op.h"

/* No heads; what is started is counted by the batch. */
enum { BATCH = 1, HIDDEN, AXES, ALL_ROWS = BATCH, HEADS = 0 };

static const struct kiln_axis axes[AXES] = {
    [BATCH] = KILN_VAR("batch_size", "rows"),
    [HIDDEN] = KILN_CONST("hidden_size", "h", "elements of a row"),
};

#define NORM_SHAPE .ndim = 2, .dim = {KILN_DIM(BATCH), KILN_DIM(HIDDEN)}
#define NORM_STRIDES "the row stride is free"

static const struct kiln_rule rules[] = {
    {.kind = KILN_RULE_RANGE, .a = BATCH, .lo = 0, .hi = INT32_MAX},
    {.kind = KILN_RULE_RANGE, .a = HIDDEN, .lo = 1, .hi = 131072},
    KILN_RULES_END,
};

#include "norm_op.h"

#endif
