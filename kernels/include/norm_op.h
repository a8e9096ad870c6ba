/*
 * What the tables of all normalisations share: arguments, variants, shapes, the launch. Included by norm_rows.h and
 * norm_heads.h, which have axes, rules and NORM_SHAPE; an op.c includes one of these, once.
 */
#ifndef KILN_NORM_OP_H
#define KILN_NORM_OP_H

#include "norm_params.h"
#include "op/op.h"

/* ---- arguments ---- */

/* A tensor of rows: its type variable, then its role and what else it has. */
#define NORM_ARG_ROWS(name, doc, variable, ...)                                                                        \
  {                                                                                                                    \
    name, doc, .kind = KILN_ARG_TENSOR, .type = (variable), NORM_SHAPE, __VA_ARGS__                                    \
  }
#define NORM_ARG_INPUT NORM_ARG_ROWS("input", "rows; " NORM_STRIDES, 1, .role = KILN_IN, .trace = "hidden_states")
/* The sum that is normalised is left in it. */
#define NORM_ARG_RESIDUAL NORM_ARG_ROWS("residual", "becomes the sum", 1, .role = KILN_INOUT, .as = "new_residual")
#define NORM_ARG_OUT(input)                                                                                            \
  NORM_ARG_ROWS("out", "normalised rows; may be input itself", 1, .role = KILN_OUT, .flags = KILN_SAME_AS_OK,          \
      .alias = 1 + (input))
#define NORM_ARG_OUT_FP8 NORM_ARG_ROWS("out", "normalised rows as fp8, saturating", 2, .role = KILN_OUT)
#define NORM_ARG_WEIGHT(doc)                                                                                           \
  {                                                                                                                    \
    "weight", doc, .kind = KILN_ARG_TENSOR, .type = 1, .ndim = 1, .dim = { KILN_DIM(HIDDEN) }                          \
  }
#define NORM_ARG_COLUMN_F32(name, doc)                                                                                 \
  {                                                                                                                    \
    name, doc, .kind = KILN_ARG_TENSOR, .fixed = KILN_DTYPE_F32, .ndim = 1, .dim = { KILN_DIM(HIDDEN) }                \
  }
#define NORM_ARG_SCALE                                                                                                 \
  {                                                                                                                    \
    "scale", "what results are divided by", .kind = KILN_ARG_TENSOR_OR_REAL, .fixed = KILN_DTYPE_F32, .ndim = 1,       \
                                            .dim = {KILN_DIM_FIXED(1)}, .fill = KILN_FILL_POSITIVE, .real = {          \
                                              .lo = 1e-30,                                                             \
                                              .hi = 1e30,                                                              \
                                              .def = 1                                                                 \
                                            }                                                                          \
  }
#define NORM_ARG_EPS                                                                                                   \
  {                                                                                                                    \
    "eps", "added to the mean square", .kind = KILN_ARG_REAL, .flags = KILN_OPTIONAL, .real = {                        \
      .lo = 0,                                                                                                         \
      .hi = 1,                                                                                                         \
      .def = 1e-6                                                                                                      \
    }                                                                                                                  \
  }

/* ---- variants, shapes ---- */

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

#define NORM_SIZES(rows, width) .axis = {[BATCH] = (rows), [HIDDEN] = (width)}
/* Shapes that are timed, where an op has no others. */
#define NORM_BENCHES                                                                                                   \
  {NORM_SIZES(1, 8192)}, {NORM_SIZES(16, 8192)}, {NORM_SIZES(1024, 8192)},                                             \
  {                                                                                                                    \
    NORM_SIZES(8192, 8192)                                                                                             \
  }

/* ---- the launch ---- */

/* One row a block, or four where a warp is enough for one. `each`: NORM_EACH, or NORM_EACH_WIDE for f32 weights. */
static inline struct norm_params *
norm_launch(const struct kiln_checked *checked, int64_t each, struct kiln_op_launch *launch)
{
  struct norm_params *params = kiln_op_params(launch, sizeof *params);
  const int64_t rows = checked->axis[ALL_ROWS], hidden = checked->axis[HIDDEN];
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

/* Elements between rows, which are heads where there are any; and how many more lie behind those of one token. One head
 * a token is one row, whatever its stride says. */
static inline int64_t
norm_stride(const struct kiln_checked *checked, unsigned arg, long long *gap)
{
  const int64_t *stride = checked->stride[arg], heads = HEADS ? checked->axis[HEADS] : 1;
  *gap = 0;
  if (heads <= 1)
    return stride[0];
  *gap = stride[0] - heads * stride[1];
  return stride[1];
}

/* row / heads as a product, for two heads or more and rows below 2^31: `part` exceeds 2^(31 + bits) / heads by at most
 * 1, and a row of 2^(31 + bits) is less than 1 / heads, too little to reach the next whole number. */
static inline void
norm_divide(uint32_t heads, struct norm_params *params)
{
  const unsigned bits = 32 - (unsigned)__builtin_clz(heads - 1);
  params->part = (unsigned)((UINT64_C(1) << (31 + bits)) / heads + 1);
  params->shift = bits - 1;
}

/* What all of them have: where rows are read and written, weights, eps. */
static inline void
norm_rows(const struct kiln_checked *checked, const struct kiln_value *values, unsigned out, unsigned input,
    unsigned weight, unsigned eps, struct norm_params *params)
{
  params->out = kiln_op_data(values, out);
  params->input = kiln_op_data(values, input);
  params->weight = kiln_op_data(values, weight);
  params->out_stride = norm_stride(checked, out, &params->out_gap);
  params->input_stride = norm_stride(checked, input, &params->input_gap);
  if (params->out_gap || params->input_gap)
    norm_divide((uint32_t)checked->axis[HEADS], params);
  params->eps = (float)kiln_op_real(checked->op, values, eps);
}

static inline void
norm_residual(
    const struct kiln_checked *checked, const struct kiln_value *values, unsigned residual, struct norm_params *params)
{
  params->residual = kiln_op_data(values, residual);
  params->residual_stride = checked->stride[residual][0];
}

static inline void
norm_scale(
    const struct kiln_checked *checked, const struct kiln_value *values, unsigned scale, struct norm_params *params)
{
  params->scale_at = kiln_op_data(values, scale);
  params->scale = (float)kiln_op_real(checked->op, values, scale);
}

#endif
