#include "params.h"
#include "rope_op.h"

enum { AXES = ROPE_AXES };
enum { POS_IDS = ROPE_ARGS, ROTARY_DIM, INTERLEAVE, SCALE, THETA, LOW_FREQ, HIGH_FREQ, CONTEXT, ARGS };

static const struct kiln_axis axes[AXES] = {
    ROPE_AXES_SHARED,
};

static const struct kiln_arg args[ARGS] = {
    ROPE_TENSORS,
    [POS_IDS] = ROPE_INDEX("pos_ids", "position of each token", .dim = {KILN_DIM(TOKENS)}),
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
    KILN_RULES_END,
};

static const struct kiln_variant variants[] = {ROPE_VARIANTS("apply_llama31_rope_pos_ids")};

static const struct kiln_case tests[] = {
    {.axis = {ROPE_SIZES(1, 1, 1, 64, 64)}, .given = KILN_BIT(ROTARY_DIM)},
    {.axis = {ROPE_SIZES(7, 4, 2, 128, 128)}, .set = {{1 + INTERLEAVE, 1}}},
    {.axis = {ROPE_SIZES(19, 5, 1, 128, 64)}, .given = KILN_BIT(ROTARY_DIM)},
    {.axis = {ROPE_SIZES(3, 3, 2, 22, 10)}, .given = KILN_BIT(ROTARY_DIM)},
    {.axis = {ROPE_SIZES(3, 2, 3, 80, 32)}, .given = KILN_BIT(ROTARY_DIM), .set = {{1 + INTERLEAVE, 1}}},
    {.axis = {ROPE_SIZES(5, 2, 1, 256, 256)},
        .set = {{1 + SCALE, 4}, {1 + THETA, 10000}, {1 + LOW_FREQ, 2}, {1 + CONTEXT, 4096}}},
    {.axis = {ROPE_SIZES(2, 70, 64, 64, 64)}},
    {.axis = {ROPE_SIZES(0, 2, 2, 64, 64)}},
};

static const struct kiln_case benches[] = {
    {.axis = {ROPE_SIZES(1, 32, 8, 128, 128)}},
    {.axis = {ROPE_SIZES(16, 32, 8, 128, 128)}},
    {.axis = {ROPE_SIZES(64, 32, 8, 128, 128)}},
    {.axis = {ROPE_SIZES(4096, 32, 8, 128, 128)}},
    {.axis = {ROPE_SIZES(16384, 32, 8, 128, 128)}},
};

static void
pack(const struct kiln_checked *checked, const struct kiln_value *values, struct kiln_op_launch *launch)
{
  struct rope_params *params = rope_launch(checked, values, launch);
  params->positions = kiln_op_data(values, POS_IDS);
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
  if (arg != POS_IDS)
    return false;
  rope_fill_positions(rng, n, integer);
  return true;
}

void kiln_reference_apply_llama31_rope_pos_ids(const struct kiln_reference *data);

const struct kiln_op kiln_op_apply_llama31_rope_pos_ids = {
    "apply_llama31_rope_pos_ids",
    "rope",
    "Turn pairs of q and k by the position of their token, wavelengths scaled as in Llama 3.1.",
    KILN_OP_TABLES,
    .rules = rules,
    .pack = pack,
    .reference = kiln_reference_apply_llama31_rope_pos_ids,
    .check = check,
    .fill = fill,
};
