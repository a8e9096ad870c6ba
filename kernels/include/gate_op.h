/*
 * What the tables of gated activations share: everything but the name and what is computed. Included by their op.c,
 * once.
 */
#ifndef KILN_GATE_OP_H
#define KILN_GATE_OP_H

#include "gate_params.h"
#include "op/op.h"

enum { ROWS = 1, HIDDEN, AXES };
enum { OUT, INPUT, ARGS };

static const struct kiln_axis axes[AXES] = {
    [ROWS] = KILN_VAR("num_tokens", "rows"),
    [HIDDEN] = KILN_CONST("hidden_size", "h", "elements of a row of the result"),
};

static const struct kiln_type types[] = {{"T", KILN_SET_FLOAT}};

static const struct kiln_arg args[ARGS] = {
    [OUT] = {"out", "activated and multiplied rows", .kind = KILN_ARG_TENSOR, .role = KILN_OUT, .type = 1, .ndim = 2,
        .dim = {KILN_DIM(ROWS), KILN_DIM(HIDDEN)}},
    [INPUT] = {"input", "rows: first what is activated, then the factors", .kind = KILN_ARG_TENSOR, .type = 1,
        .ndim = 2, .dim = {KILN_DIM(ROWS), KILN_DIM_TIMES(HIDDEN, 2)}},
};

static const struct kiln_rule rules[] = {
    {.kind = KILN_RULE_RANGE, .a = ROWS, .lo = 0, .hi = INT32_MAX},
    {.kind = KILN_RULE_RANGE, .a = HIDDEN, .lo = 1, .hi = 1 << 20},
    KILN_RULES_END,
};
static const struct kiln_rule by_eight[] = {
    {.kind = KILN_RULE_MULTIPLE, .a = HIDDEN, .lo = 8},
    KILN_RULES_END,
};

/* The kernels that GATE_KERNELS(name) of gate_device.h and cpu.c define. */
#define GATE_VARIANTS(name)                                                                                            \
  {"vec", KILN_BACKEND_CUDA, "sm80+", name "_vec", .needs = by_eight, .key_axes = KILN_BIT(HIDDEN), .align = 16},      \
      {"row", KILN_BACKEND_CUDA, "sm80+", name "_row", .needs = NULL},                                                 \
  {                                                                                                                    \
    "row", KILN_BACKEND_CPU, NULL, name, .needs = NULL                                                                 \
  }

static const struct kiln_case tests[] = {
    {.axis = {[ROWS] = 1, [HIDDEN] = 8}},
    {.axis = {[ROWS] = 7, [HIDDEN] = 111}},
    {.axis = {[ROWS] = 19, [HIDDEN] = 1032}},
    {.axis = {[ROWS] = 2, [HIDDEN] = 14336}},
    {.axis = {[ROWS] = 3, [HIDDEN] = 1}},
    {.axis = {[ROWS] = 0, [HIDDEN] = 64}},
};

static const struct kiln_case benches[] = {
    {.axis = {[ROWS] = 1, [HIDDEN] = 14336}},
    {.axis = {[ROWS] = 16, [HIDDEN] = 4096}},
    {.axis = {[ROWS] = 1024, [HIDDEN] = 8192}},
    {.axis = {[ROWS] = 4096, [HIDDEN] = 14336}},
    {.axis = {[ROWS] = 8192, [HIDDEN] = 8192}},
};

/* One vector a thread where there are few, more where memory has to be kept busy. */
static void
pack(const struct kiln_checked *checked, const struct kiln_value *values, struct kiln_op_launch *launch)
{
  struct gate_params *params = kiln_op_params(launch, sizeof *params);
  const int64_t rows = checked->axis[ROWS], hidden = checked->axis[HIDDEN];
  const int64_t vectors = rows * (hidden * kiln_dtype_bits((enum kiln_dtype)checked->type[0]) / 128);
  params->out = kiln_op_data(values, OUT);
  params->input = kiln_op_data(values, INPUT);
  params->out_stride = checked->stride[OUT][0];
  params->input_stride = checked->stride[INPUT][0];
  params->rows = rows;
  params->width = (int)hidden;
  params->each = vectors <= GATE_FEW ? 1 : GATE_EACH;
  const int64_t in_block = (int64_t)params->each * GATE_THREADS;
  kiln_op_grid(launch, checked->variant->key_axes ? (vectors + in_block - 1) / in_block : rows, 1, 1, GATE_THREADS);
  launch->overlap = true;
}

#endif
