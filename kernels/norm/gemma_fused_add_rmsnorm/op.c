#include "norm_rows.h"
#include "params.h"

enum { INPUT, RESIDUAL, WEIGHT, EPS, ARGS };

static const struct kiln_type types[] = {{"T", KILN_SET_FLOAT}};

static const struct kiln_arg args[ARGS] = {
    [INPUT] = NORM_ARG_ROWS(
        "input", "what is added to residual; becomes the normalised sum", 1, .role = KILN_INOUT, .as = "out"),
    [RESIDUAL] = NORM_ARG_RESIDUAL,
    [WEIGHT] = NORM_ARG_WEIGHT("factor of each column, less 1"),
    [EPS] = NORM_ARG_EPS,
};

static const struct kiln_variant variants[] = {NORM_VARIANTS("gemma_fused_add_rmsnorm")};

static const struct kiln_case tests[] = {
    {NORM_SIZES(1, 8)},
    {NORM_SIZES(7, 111)},
    {NORM_SIZES(19, 1024), .set = {{1 + EPS, 1e-5}}},
    {NORM_SIZES(2, 16384)},
    {NORM_SIZES(265, 136)},
    {NORM_SIZES(3, 1)},
    {NORM_SIZES(0, 64)},
};

static const struct kiln_case benches[] = {NORM_BENCHES};

static void
pack(const struct kiln_checked *checked, const struct kiln_value *values, struct kiln_op_launch *launch)
{
  struct norm_params *params = norm_launch(checked, NORM_EACH, launch);
  norm_rows(checked, values, INPUT, INPUT, WEIGHT, EPS, params);
  norm_residual(checked, values, RESIDUAL, params);
}

void kiln_reference_gemma_fused_add_rmsnorm(const struct kiln_reference *data);

const struct kiln_op kiln_op_gemma_fused_add_rmsnorm = {
    "gemma_fused_add_rmsnorm",
    "norm",
    "residual += input; input = residual / sqrt(mean(residual^2) + eps) * (1 + weight), row by row.",
    KILN_OP_TABLES,
    .rules = rules,
    .pack = pack,
    .reference = kiln_reference_gemma_fused_add_rmsnorm,
};
