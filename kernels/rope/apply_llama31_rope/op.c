#include "params.h"
#include "rope_op.h"

enum { SEQUENCES = ROPE_AXES, AXES };
enum { INDPTR = ROPE_ARGS, OFFSETS, ROTARY_DIM, INTERLEAVE, SCALE, THETA, LOW_FREQ, HIGH_FREQ, CONTEXT, ARGS };

static const struct kiln_axis axes[AXES] = {
    ROPE_AXES_SHARED,
    [SEQUENCES] = KILN_VAR("batch_size", "requests"),
};

static const struct kiln_arg args[ARGS] = {
    ROPE_TENSORS,
    [INDPTR] = ROPE_INDEX("indptr", "where the tokens of each request begin and the last ones end",
        .dim = {KILN_DIM_PLUS(SEQUENCES, 1)}, .fill = KILN_FILL_INDPTR, .fill_axis = TOKENS),
    [OFFSETS] = ROPE_INDEX("offsets", "position of the first token of each request", .dim = {KILN_DIM(SEQUENCES)}),
    [ROTARY_DIM] = ROPE_ROTARY_DIM,
    [INTERLEAVE] = ROPE_INTERLEAVE,
    [SCALE] = ROPE_SCALE(8),
    [THETA] = ROPE_THETA(5e5),
    [LOW_FREQ] = ROPE_REAL("low_freq_factor", "wavelengths above old_context_len by it are scaled", 0, 1e3, 1),
    [HIGH_FREQ] = ROPE_REAL("high_freq_factor", "wavelengths below old_context_len by it are not", 0, 1e3, 4),
    [CONTEXT] = ROPE_REAL("old_context_len", "positions the model was first trained for", 1, 1e9, 8192),
};

static const struct kiln_rule rules[] = {
    ROPE_RULES,
    {.kind = KILN_RULE_RANGE, .a = SEQUENCES, .lo = 0, .hi = ROPE_MOST_REQUESTS},
    KILN_RULES_END,
};

static const struct kiln_variant variants[] = {ROPE_VARIANTS("apply_llama31_rope")};

static const struct kiln_case tests[] = {
    {.axis = {ROPE_SIZES(1, 1, 1, 64, 64), [SEQUENCES] = 1}, .given = KILN_BIT(ROTARY_DIM)},
    {.axis = {ROPE_SIZES(7, 4, 2, 128, 128), [SEQUENCES] = 3}, .set = {{1 + INTERLEAVE, 1}}},
    {.axis = {ROPE_SIZES(19, 5, 1, 128, 64), [SEQUENCES] = 33}, .given = KILN_BIT(ROTARY_DIM)},
    {.axis = {ROPE_SIZES(3, 3, 2, 22, 10), [SEQUENCES] = 2}, .given = KILN_BIT(ROTARY_DIM)},
    {.axis = {ROPE_SIZES(3, 2, 3, 80, 32), [SEQUENCES] = 70},
        .given = KILN_BIT(ROTARY_DIM),
        .set = {{1 + INTERLEAVE, 1}}},
    {.axis = {ROPE_SIZES(5, 2, 1, 256, 256), [SEQUENCES] = 1},
        .set = {{1 + SCALE, 4}, {1 + THETA, 10000}, {1 + LOW_FREQ, 2}, {1 + CONTEXT, 4096}}},
    {.axis = {ROPE_SIZES(2, 70, 64, 64, 64), [SEQUENCES] = 2}},
    {.axis = {ROPE_SIZES(0, 2, 2, 64, 64), [SEQUENCES] = 4}},
};

static const struct kiln_case benches[] = {
    {.axis = {ROPE_SIZES(1, 32, 8, 128, 128), [SEQUENCES] = 64}},
    {.axis = {ROPE_SIZES(16, 32, 8, 128, 128), [SEQUENCES] = 64}},
    {.axis = {ROPE_SIZES(64, 32, 8, 128, 128), [SEQUENCES] = 64}},
    {.axis = {ROPE_SIZES(4096, 32, 8, 128, 128), [SEQUENCES] = 64}},
    {.axis = {ROPE_SIZES(16384, 32, 8, 128, 128), [SEQUENCES] = 64}},
};

static void
pack(const struct kiln_checked *checked, const struct kiln_value *values, struct kiln_op_launch *launch)
{
  struct rope_params *params = rope_launch(checked, values, launch);
  params->indptr = kiln_op_data(values, INDPTR);
  params->offsets = kiln_op_data(values, OFFSETS);
  params->sequences = (int)checked->axis[SEQUENCES];
  rope_angles(params, kiln_op_real(checked->op, values, SCALE), kiln_op_real(checked->op, values, THETA));
  rope_smoothing(params, kiln_op_real(checked->op, values, LOW_FREQ), kiln_op_real(checked->op, values, HIGH_FREQ),
      kiln_op_real(checked->op, values, CONTEXT));
}

static enum kiln_status
check(const struct kiln_checked *checked, const struct kiln_value *values, struct kiln_error *error)
{
  const double low = kiln_op_real(checked->op, values, LOW_FREQ), high = kiln_op_real(checked->op, values, HIGH_FREQ);
  if (low < high)
    return KILN_OK;
  kiln_error_set(
      error, KILN_ERROR_ARGUMENT, "low_freq_factor is %g and high_freq_factor is %g; expected low < high", low, high);
  kiln_error_advise(error, "Give factors as the model's configuration has them.");
  return KILN_ERROR_ARGUMENT;
}

static bool
fill(const struct kiln_op *op, const int64_t *axis, unsigned arg, struct kiln_rng *rng, int64_t n, double *real,
    int64_t *integer)
{
  (void)op, (void)axis, (void)real;
  if (arg != OFFSETS)
    return false;
  rope_fill_positions(rng, n, integer);
  return true;
}

void kiln_reference_apply_llama31_rope(const struct kiln_reference *data);

const struct kiln_op kiln_op_apply_llama31_rope = {
    "apply_llama31_rope",
    "rope",
    "Turn pairs of q and k by the position of their token (offsets of requests), wavelengths scaled as in Llama 3.1.",
    KILN_OP_TABLES,
    .rules = rules,
    .pack = pack,
    .reference = kiln_reference_apply_llama31_rope,
    .check = check,
    .fill = fill,
};
