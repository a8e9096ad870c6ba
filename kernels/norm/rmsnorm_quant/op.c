#include "norm_op.h"
#include "params.h"

enum { OUT, INPUT, WEIGHT, SCALE, EPS, ARGS };

static const struct kiln_type types[] = {{"T", KILN_SET_HALF}, {"O", KILN_SET_FP8}};

static const struct kiln_arg args[ARGS] = {
    [OUT] = {"out", "normalised rows as fp8, saturating", .kind = KILN_ARG_TENSOR, .type = 2, .ndim = 2,
        .dim = {KILN_DIM(BATCH), KILN_DIM(HIDDEN)}, .role = KILN_OUT},
    [INPUT] = {"input", "rows; the row stride is free", .kind = KILN_ARG_TENSOR, .type = 1, .ndim = 2,
        .dim = {KILN_DIM(BATCH), KILN_DIM(HIDDEN)}, .trace = "hidden_states"},
    [WEIGHT] = {"weight", "factor of each column", .kind = KILN_ARG_TENSOR, .type = 1, .ndim = 1,
        .dim = {KILN_DIM(HIDDEN)}},
    [SCALE] = {"scale", "what results are divided by", .kind = KILN_ARG_TENSOR_OR_REAL, .fixed = KILN_DTYPE_F32,
        .ndim = 1, .dim = {KILN_DIM_FIXED(1)}, .fill = KILN_FILL_POSITIVE, .real = {.lo = 1e-30, .hi = 1e30, .def = 1}},
    [EPS] = {"eps", "added to the mean square", .kind = KILN_ARG_REAL, .flags = KILN_OPTIONAL,
        .real = {.lo = 0, .hi = 1, .def = 1e-6}},
};

static const struct kiln_variant variants[] = {NORM_VARIANTS("rmsnorm_quant")};

static const struct kiln_case tests[] = {
    {.axis = {[BATCH] = 1, [HIDDEN] = 16}},
    {.axis = {[BATCH] = 7, [HIDDEN] = 111}, .set = {{1 + SCALE, 0.5}}},
    {.axis = {[BATCH] = 19, [HIDDEN] = 1024}, .set = {{1 + EPS, 1e-5}, {1 + SCALE, 0.01}}},
    {.axis = {[BATCH] = 2, [HIDDEN] = 16384}},
    {.axis = {[BATCH] = 265, [HIDDEN] = 144}},
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
  struct norm_params *params = norm_launch(checked, NORM_EACH, launch);
  params->out = kiln_op_data(values, OUT);
  params->input = kiln_op_data(values, INPUT);
  params->weight = kiln_op_data(values, WEIGHT);
  params->out_stride = checked->stride[OUT][0];
  params->input_stride = checked->stride[INPUT][0];
  params->eps = (float)kiln_op_real(checked->op, values, EPS);
  params->scale_at = kiln_op_data(values, SCALE);
  params->scale = (float)kiln_op_real(checked->op, values, SCALE);
}

void kiln_reference_rmsnorm_quant(const struct kiln_reference *data);

const struct kiln_op kiln_op_rmsnorm_quant = {
    "rmsnorm_quant",
    "norm",
    "out = input / sqrt(mean(input^2) + eps) * weight / scale as fp8, row by row.",
    KILN_OP_TABLES,
    .rules = rules,
    .pack = pack,
    .reference = kiln_reference_rmsnorm_quant,
};
