#include "norm_op.h"
#include "params.h"

enum { INPUT, RESIDUAL, WEIGHT, EPS, ARGS };

static const struct kiln_type types[] = {{"T", KILN_SET_FLOAT}};

static const struct kiln_arg args[ARGS] = {
    [INPUT] = {"input", "what is added to residual; becomes the normalised sum", .kind = KILN_ARG_TENSOR, .type = 1,
        .ndim = 2, .dim = {KILN_DIM(BATCH), KILN_DIM(HIDDEN)}, .role = KILN_INOUT, .as = "out"},
    [RESIDUAL] = {"residual", "becomes the sum", .kind = KILN_ARG_TENSOR, .type = 1, .ndim = 2,
        .dim = {KILN_DIM(BATCH), KILN_DIM(HIDDEN)}, .role = KILN_INOUT, .as = "new_residual"},
    [WEIGHT] = {"weight", "factor of each column", .kind = KILN_ARG_TENSOR, .type = 1, .ndim = 1,
        .dim = {KILN_DIM(HIDDEN)}},
    [EPS] = {"eps", "added to the mean square", .kind = KILN_ARG_REAL, .flags = KILN_OPTIONAL,
        .real = {.lo = 0, .hi = 1, .def = 1e-6}},
};

static const struct kiln_variant variants[] = {NORM_VARIANTS("fused_add_rmsnorm")};

static const struct kiln_case tests[] = {
    {.axis = {[BATCH] = 1, [HIDDEN] = 8}},
    {.axis = {[BATCH] = 7, [HIDDEN] = 111}},
    {.axis = {[BATCH] = 19, [HIDDEN] = 1024}, .set = {{1 + EPS, 1e-5}}},
    {.axis = {[BATCH] = 2, [HIDDEN] = 16384}},
    {.axis = {[BATCH] = 265, [HIDDEN] = 136}},
    {.axis = {[BATCH] = 3, [HIDDEN] = 1}},
    {.axis = {[BATCH] = 0, [HIDDEN] = 64}},
};

static const struct kiln_case benches[] = {
    {.axis = {[BATCH] = 1, [HIDDEN] = 8192}},
    {.axis = {[BATCH] = 16, [HIDDEN] = 4096}},
    {.axis = {[BATCH] = 1024, [HIDDEN] = 8192}},
    {.axis = {[BATCH] = 4096, [HIDDEN] = 4096}},
    {.axis = {[BATCH] = 8192, [HIDDEN] = 8192}},
};

static void
pack(const struct kiln_checked *checked, const struct kiln_value *values, struct kiln_op_launch *launch)
{
  struct norm_params *params = norm_launch(checked, NORM_EACH, launch);
  params->out = kiln_op_data(values, INPUT);
  params->input = params->out;
  params->residual = kiln_op_data(values, RESIDUAL);
  params->weight = kiln_op_data(values, WEIGHT);
  params->out_stride = checked->stride[INPUT][0];
  params->input_stride = params->out_stride;
  params->residual_stride = checked->stride[RESIDUAL][0];
  params->eps = (float)kiln_op_real(checked->op, values, EPS);
}

void kiln_reference_fused_add_rmsnorm(const struct kiln_reference *data);

const struct kiln_op kiln_op_fused_add_rmsnorm = {
    "fused_add_rmsnorm",
    "norm",
    "residual += input; input = residual / sqrt(mean(residual^2) + eps) * weight, row by row.",
    KILN_OP_TABLES,
    .rules = rules,
    .pack = pack,
    .reference = kiln_reference_fused_add_rmsnorm,
};
