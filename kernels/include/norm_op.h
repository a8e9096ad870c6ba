/*
 * What the tables of all normalisations share: axes, rules, variants, the launch. Included by their op.c, once.
 */
#ifndef KILN_NORM_OP_H
#define KILN_NORM_OP_H

#include "norm_params.h"
#include "op/op.h"

enum { BATCH = 1, HIDDEN, AXES };

static const struct kiln_axis axes[AXES] = {
    [BATCH] = KILN_VAR("batch_size", "rows"),
    [HIDDEN] = KILN_CONST("hidden_size", "h", "elements of a row"),
};

static const struct kiln_rule rules[] = {
    {.kind = KILN_RULE_RANGE, .a = BATCH, .lo = 0, .hi = INT32_MAX},
    {.kind = KILN_RULE_RANGE, .a = HIDDEN, .lo = 1, .hi = 131072},
    KILN_RULES_END,
};
static const struct kiln_rule by_eight[] = {
    {.kind = KILN_RULE_MULTIPLE, .a = HIDDEN, .lo = 8},
    {.kind = KILN_RULE_RANGE, .a = HIDDEN, .lo = 8, .hi = 32768},
    KILN_RULES_END,
};

/* The kernels that NORM_KERNELS(name, …) of norm_device.h and cpu.c define. */
#define NORM_VARIANTS(name)                                                                                            \
  {"vec", KILN_BACKEND_CUDA, "sm80+", name "_vec", .needs = by_eight, .key_axes = KILN_BIT(HIDDEN), .align = 16},      \
      {"row", KILN_BACKEND_CUDA, "sm80+", name "_row", .needs = NULL},                                                 \
  {                                                                                                                    \
    "row", KILN_BACKEND_CPU, NULL, name, .needs = NULL                                                                 \
  }

/* One row a block, or four where a warp is enough for one. `each`: NORM_EACH, or NORM_EACH_WIDE for f32 weights. */
static inline struct norm_params *
norm_launch(const struct kiln_checked *checked, int64_t each, struct kiln_op_launch *launch)
{
  struct norm_params *params = kiln_op_params(launch, sizeof *params);
  const int64_t rows = checked->axis[BATCH], hidden = checked->axis[HIDDEN];
  const int64_t vectors = hidden * kiln_dtype_bits((enum kiln_dtype)checked->type[0]) / 128;
  params->rows = rows;
  params->width = (int)hidden;
  kiln_op_grid(launch, rows, 1, 1, 256);
  launch->overlap = true;
  if (!checked->variant->key_axes)
    return params;
  const int64_t in_block = NORM_ROWS(vectors, each);
  kiln_op_grid(launch, (rows + in_block - 1) / in_block, 1, 1, (uint32_t)NORM_THREADS(vectors, each));
  launch->block[1] = (uint32_t)in_block;
  return params;
}

#endif
