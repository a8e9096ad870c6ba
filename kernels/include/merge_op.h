/*
 * What the tables of merge_state and merge_states share. The including op.c has declared the axes TOKENS, HEADS,
 * HEAD_DIM and ROWS before; included once.
 */
#ifndef KILN_MERGE_OP_H
#define KILN_MERGE_OP_H

#include <math.h>

#include "merge_params.h"
#include "op/op.h"

static const struct kiln_type types[] = {{"T", KILN_SET_FLOAT}};

#define MERGE_RULES                                                                                                    \
  {.kind = KILN_RULE_RANGE, .a = HEADS, .lo = 1, .hi = 65536},                                                         \
      {.kind = KILN_RULE_RANGE, .a = HEAD_DIM, .lo = 1, .hi = 65536},                                                  \
  {                                                                                                                    \
    .kind = KILN_RULE_RANGE, .a = ROWS, .lo = 0, .hi = INT32_MAX                                                       \
  }
static const struct kiln_rule in_registers[] = {
    {.kind = KILN_RULE_MULTIPLE, .a = HEAD_DIM, .lo = 8},
    {.kind = KILN_RULE_RANGE, .a = HEAD_DIM, .lo = 8, .hi = 1024},
    KILN_RULES_END,
};

/* The kernels that MERGE_KERNELS(name, …) of merge_device.h and cpu.c define. */
#define MERGE_VARIANTS(name)                                                                                           \
  {"vec", KILN_BACKEND_CUDA, "sm80+", name "_vec", .needs = in_registers, .key_axes = KILN_BIT(HEAD_DIM),              \
      .align = 16},                                                                                                    \
      {"row", KILN_BACKEND_CUDA, "sm80+", name "_row", .needs = NULL},                                                 \
  {                                                                                                                    \
    "row", KILN_BACKEND_CPU, NULL, name, .needs = NULL                                                                 \
  }

/* v_step, s_step: the dimension of states, or 0. */
static void
merge_input_set(const struct kiln_checked *checked, const struct kiln_value *values, unsigned v, unsigned s, bool many,
    struct merge_input *input)
{
  const int64_t *strides = checked->stride[v];
  input->v = kiln_op_data(values, v);
  input->s = kiln_op_data(values, s);
  input->v_token = strides[0];
  input->v_head = strides[many ? 2 : 1];
  input->v_step = many ? strides[1] : 0;
  input->s_token = checked->stride[s][0];
  input->s_step = many ? checked->stride[s][1] : 0;
}

static struct merge_params *
merge_launch(const struct kiln_checked *checked, const struct kiln_value *values, unsigned v, unsigned s,
    struct kiln_op_launch *launch)
{
  struct merge_params *params = kiln_op_params(launch, sizeof *params);
  const int64_t rows = checked->axis[ROWS],
                vectors = checked->axis[HEAD_DIM] * kiln_dtype_bits((enum kiln_dtype)checked->type[0]) / 128;
  const int64_t in_block = MERGE_THREADS / (checked->variant->key_axes ? MERGE_LANES(vectors) : 32);
  params->v = kiln_op_data(values, v);
  params->s = kiln_op_data(values, s);
  params->v_token = checked->stride[v][0];
  params->v_head = checked->stride[v][1];
  params->s_token = checked->stride[s][0];
  params->rows = (int)rows;
  params->heads = (int)checked->axis[HEADS];
  params->width = (int)checked->axis[HEAD_DIM];
  kiln_op_grid(launch, (rows + in_block - 1) / in_block, 1, 1, MERGE_THREADS);
  launch->overlap = true;
  return params;
}

/* Scores: some states are empty, and all of some rows. Others are ordinary. */
static bool
fill_scores(struct kiln_rng *rng, int64_t n, double *real)
{
  for (int64_t i = 0; i < n; i++)
    real[i] = kiln_rng_unit(rng) < 0.25 ? -INFINITY : 16 * kiln_rng_unit(rng) - 8;
  return true;
}

#endif
