#include "norm_op.h"
#include "params.h"

enum { OUT, INPUT, WEIGHT, EPS, ARGS };

static const struct kiln_type types[] = {{"T", KILN_SET_FLOAT}};

static const struct kiln_arg args[ARGS] = {
    [OUT] = {"out", "normalised rows; may be input itself", .kind = KILN_ARG_TENSOR, .role = KILN_OUT, .type = 1,
        .ndim = 2, .dim = {KILN_DIM(BATCH), KILN_DIM(HIDDEN)}, .flags = KILN_SAME_AS_OK, .alias = 1 + INPUT},
    [INPUT] = {"input", "rows; the row stride is free", .kind = KILN_ARG_TENSOR, .type = 1, .ndim = 2,
        .dim = {KILN_DIM(BATCH), KILN_DIM(HIDDEN)}, .trace = "hidden_states"},
    [WEIGHT] = {"weight", "factor of each column", .kind = KILN_ARG_TENSOR, .type = 1, .ndim = 1,
        .dim = {KILN_DIM(HIDDEN)}},
    [EPS] = {"eps", "added to the mean square", .kind = KILN_ARG_REAL, .flags = KILN_OPTIONAL,
        .real = {.lo = 0, .hi = 1, .def = 1e-6}},
};

static const struct kiln_variant variants[] = {NORM_VARIANTS("rmsnorm")};

static const struct kiln_case tests[] = {
    {.axis = {[BATCH] = 1, [HIDDEN] = 8}},
    {.axis = {[BATCH] = 7, [HIDDEN] = 111}},
    {.axis = {[BATCH] = 19, [HIDDEN] = 1024}, .set = {{1 + EPS, 1e-5}}},
    {.axis = {[BATCH] = 2, [HIDDEN] = 16384}},
    {.axis = {[BATCH] = 265, [HIDDEN] = 136}},
    {.axis = {[BATCH] = 3, [HIDDEN] = 1}, .set = {{1 + EPS, 0}}},
    {.axis = {[BATCH] = 0, [HIDDEN] = 64}},
};

static const struct kiln_case benches[] = {
    {.axis = {[BATCH] = 1, [HIDDEN] = 8192}},
    {.axis = {[BATCH] = 16, [HIDDEN] = 4096}},
    {.axis = {[BATCH] = 128, [HIDDEN] = 4096}},
    {.axis = {[BATCH] = 1024, [HIDDEN] = 8192}},
    {.axis = {[BATCH] = 4096, [HIDDEN] = 4096}},
    {.axis = {[BATCH] = 8192, [HIDDEN] = 8192}},
    {.axis = {[BATCH] = 16384, [HIDDEN] = 8192}},
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
}

void kiln_reference_rmsnorm(const struct kiln_reference *data);

const struct kiln_op kiln_op_rmsnorm = {
    "rmsnorm",
    "norm",
    "out = input / sqrt(mean(input^2) + eps) * weight, row by row.",
    KILN_OP_TABLES,
    .rules = rules,
    .pack = pack,
    .reference = kiln_reference_rmsnorm,
};
