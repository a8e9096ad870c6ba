#include "norm_op.h"
#include "params.h"

enum { OUT, INPUT, GEMMA, BETA, EPS, ARGS };

static const struct kiln_type types[] = {{"T", KILN_SET_FLOAT}};

static const struct kiln_arg args[ARGS] = {
    [OUT] = {"out", "normalised rows; may be input itself", .kind = KILN_ARG_TENSOR, .type = 1, .ndim = 2,
        .dim = {KILN_DIM(BATCH), KILN_DIM(HIDDEN)}, .role = KILN_OUT, .flags = KILN_SAME_AS_OK, .alias = 1 + INPUT},
    [INPUT] = {"input", "rows; the row stride is free", .kind = KILN_ARG_TENSOR, .type = 1, .ndim = 2,
        .dim = {KILN_DIM(BATCH), KILN_DIM(HIDDEN)}, .trace = "hidden_states"},
    [GEMMA] = {"gemma", "factor of each column", .kind = KILN_ARG_TENSOR, .fixed = KILN_DTYPE_F32, .ndim = 1,
        .dim = {KILN_DIM(HIDDEN)}},
    [BETA] = {"beta", "added to each column", .kind = KILN_ARG_TENSOR, .fixed = KILN_DTYPE_F32, .ndim = 1,
        .dim = {KILN_DIM(HIDDEN)}},
    [EPS] = {"eps", "added to the mean square", .kind = KILN_ARG_REAL, .flags = KILN_OPTIONAL,
        .real = {.lo = 0, .hi = 1, .def = 1e-6}},
};

static const struct kiln_variant variants[] = {NORM_VARIANTS("layernorm")};

static const struct kiln_case tests[] = {
    {.axis = {[BATCH] = 1, [HIDDEN] = 16}},
    {.axis = {[BATCH] = 7, [HIDDEN] = 111}},
    {.axis = {[BATCH] = 19, [HIDDEN] = 1024}, .set = {{1 + EPS, 1e-5}}},
    {.axis = {[BATCH] = 2, [HIDDEN] = 16384}},
    {.axis = {[BATCH] = 265, [HIDDEN] = 144}},
    {.axis = {[BATCH] = 3, [HIDDEN] = 1}},
    {.axis = {[BATCH] = 0, [HIDDEN] = 64}},
};

static const struct kiln_case benches[] = {
    {.axis = {[BATCH] = 1, [HIDDEN] = 8192}},
    {.axis = {[BATCH] = 16, [HIDDEN] = 8192}},
    {.axis = {[BATCH] = 1024, [HIDDEN] = 8192}},
    {.axis = {[BATCH] = 8192, [HIDDEN] = 8192}},
};

static void
pack(const struct kiln_checked *checked, const struct kiln_value *values, struct kiln_op_launch *launch)
{
  struct norm_params *params = norm_launch(checked, NORM_EACH_WIDE, launch);
  params->out = kiln_op_data(values, OUT);
  params->input = kiln_op_data(values, INPUT);
  params->weight = kiln_op_data(values, GEMMA);
  params->out_stride = checked->stride[OUT][0];
  params->input_stride = checked->stride[INPUT][0];
  params->eps = (float)kiln_op_real(checked->op, values, EPS);
  params->bias = kiln_op_data(values, BETA);
}

void kiln_reference_layernorm(const struct kiln_reference *data);

const struct kiln_op kiln_op_layernorm = {
    "layernorm",
    "norm",
    "out = (input - mean) / sqrt(variance + eps) * gemma + beta, row by row.",
    KILN_OP_TABLES,
    .rules = rules,
    .pack = pack,
    .reference = kiln_reference_layernorm,
};
