#include "norm_heads.h"
#include "params.h"

enum { OUT, INPUT, WEIGHT, EPS, ARGS };

static const struct kiln_type types[] = {{"T", KILN_SET_FLOAT}};

static const struct kiln_arg args[ARGS] = {
    [OUT] = NORM_ARG_OUT(INPUT),
    [INPUT] = NORM_ARG_INPUT,
    [WEIGHT] = NORM_ARG_WEIGHT("factor of each column, less 1"),
    [EPS] = NORM_ARG_EPS,
};

static const struct kiln_variant variants[] = {NORM_VARIANTS("gemma_rmsnorm")};

static const struct kiln_case tests[] = {
    {NORM_SIZES(1, 8)},
    {NORM_SIZES(7, 111)},
    {NORM_SIZES(19, 1024), .set = {{1 + EPS, 1e-5}}},
    {NORM_SIZES(2, 16384)},
    {NORM_SIZES(265, 136)},
    {NORM_SIZES(3, 1)},
    {NORM_SIZES(0, 64)},
    NORM_HEADS_TESTS,
};

static const struct kiln_case benches[] = {NORM_BENCHES};

static void
pack(const struct kiln_checked *checked, const struct kiln_value *values, struct kiln_op_launch *launch)
{
  struct norm_params *params = norm_launch(checked, NORM_EACH, launch);
  norm_rows(checked, values, OUT, INPUT, WEIGHT, EPS, params);
}

void kiln_reference_gemma_rmsnorm(const struct kiln_reference *data);

const struct kiln_op kiln_op_gemma_rmsnorm = {
    "gemma_rmsnorm",
    "norm",
    "out = input / sqrt(mean(input^2) + eps) * (1 + weight), row by row.",
    KILN_OP_TABLES,
    .rules = rules,
    .pack = pack,
    .reference = kiln_reference_gemma_rmsnorm,
};
