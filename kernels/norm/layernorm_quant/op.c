#include "norm_rows.h"
#include "params.h"

enum { OUT, INPUT, GEMMA, BETA, SCALE, EPS, ARGS };

static const struct kiln_type types[] = {{"T", KILN_SET_HALF}, {"O", KILN_SET_FP8}};

static const struct kiln_arg args[ARGS] = {
    [OUT] = NORM_ARG_OUT_FP8,
    [INPUT] = NORM_ARG_INPUT,
    [GEMMA] = NORM_ARG_COLUMN_F32("gemma", "factor of each column"),
    [BETA] = NORM_ARG_COLUMN_F32("beta", "added to each column"),
    [SCALE] = NORM_ARG_SCALE,
    [EPS] = NORM_ARG_EPS,
};

static const struct kiln_variant variants[] = {NORM_VARIANTS("layernorm_quant")};

static const struct kiln_case tests[] = {
    {NORM_SIZES(1, 16)},
    {NORM_SIZES(7, 111)},
    {NORM_SIZES(19, 1024), .set = {{1 + EPS, 1e-5}}},
    {NORM_SIZES(2, 16384)},
    {NORM_SIZES(265, 144)},
    {NORM_SIZES(0, 64)},
};

static const struct kiln_case benches[] = {NORM_BENCHES};

static void
pack(const struct kiln_checked *checked, const struct kiln_value *values, struct kiln_op_launch *launch)
{
  struct norm_params *params = norm_launch(checked, NORM_EACH_WIDE, launch);
  norm_rows(checked, values, OUT, INPUT, GEMMA, EPS, params);
  params->bias = kiln_op_data(values, BETA);
  norm_scale(checked, values, SCALE, params);
}

void kiln_reference_layernorm_quant(const struct kiln_reference *data);

const struct kiln_op kiln_op_layernorm_quant = {
    "layernorm_quant",
    "norm",
    "out = ((input - mean) / sqrt(variance + eps) * gemma + beta) / scale as fp8, row by row.",
    KILN_OP_TABLES,
    .rules = rules,
    .pack = pack,
    .reference = kiln_reference_layernorm_quant,
};
