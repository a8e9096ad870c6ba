/*
 * Axes of normalisations that take rows, or heads of a row: queries and keys of a projection, normalised head by head.
 * Their op.c includes this; see norm_rows.h.
 */
#ifndef KILN_NORM_HEADS_H
#define KILN_NORM_HEADS_H

#include "op/op.h"

enum { BATCH = 1, HEADS, HIDDEN, ALL_ROWS, AXES };

static const struct kiln_axis axes[AXES] = {
    [BATCH] = KILN_VAR("batch_size", "rows, or tokens that have heads"),
    [HEADS] = KILN_VAR("num_heads", "heads of a token; each is a row"),
    [HIDDEN] = KILN_CONST("hidden_size", "h", "elements of a row"),
    [ALL_ROWS] = KILN_DERIVED("all_rows", KILN_FN_MUL, BATCH, HEADS, "rows in all"),
};

#define NORM_SHAPE .ndim = 3, .dim = {KILN_DIM(BATCH), KILN_DIM(HEADS), KILN_DIM(HIDDEN)}, .absent = 1 + 1
#define NORM_STRIDES "all strides but the last are free"

/* Rows are counted in 32 bits: a block divides by the heads. */
static const struct kiln_rule rules[] = {
    {.kind = KILN_RULE_RANGE, .a = BATCH, .lo = 0, .hi = INT32_MAX},
    {.kind = KILN_RULE_RANGE, .a = HEADS, .lo = 0, .hi = INT32_MAX},
    {.kind = KILN_RULE_RANGE, .a = ALL_ROWS, .lo = 0, .hi = INT32_MAX},
    {.kind = KILN_RULE_RANGE, .a = HIDDEN, .lo = 1, .hi = 131072},
    KILN_RULES_END,
};

/* A shape of heads; NORM_SIZES is one of rows. */
#define NORM_HEADS_SIZES(batch, heads, width) .axis = {[BATCH] = (batch), [HEADS] = (heads), [HIDDEN] = (width)}
/* What tests of both kinds have: one head, odd sizes and odd counts, heads that share a block, none. */
#define NORM_HEADS_TESTS                                                                                               \
  {NORM_HEADS_SIZES(3, 32, 128)}, {NORM_HEADS_SIZES(5, 3, 111)}, {NORM_HEADS_SIZES(7, 5, 64)},                         \
      {NORM_HEADS_SIZES(2, 3, 1024)}, {NORM_HEADS_SIZES(4, 1, 136)},                                                   \
  {                                                                                                                    \
    NORM_HEADS_SIZES(0, 4, 64)                                                                                         \
  }

#include "norm_op.h"

#endif
