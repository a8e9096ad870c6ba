#include "params.h"
#include "rope_op.h"

enum { SEQUENCES = ROPE_AXES, AXES };
enum { INDPTR = ROPE_ARGS, OFFSETS, ROTARY_DIM, INTERLEAVE, SCALE, THETA, LOW_FREQ, HIGH_FREQ, CONTEXT, ARGS };

static const struct kiln_axis axes[AXES] = {
    ROPE_AXES_SHARED,
    [SEQUENCES] = ROPE_REQUESTS_AXIS,
};

static const struct kiln_arg args[ARGS] = {
    ROPE_TENSORS,
    ROPE_BY_REQUEST,
    ROPE_COMPUTED(8, 5e5),
    ROPE_LLAMA31,
};

static const struct kiln_rule rules[] = {
    ROPE_RULES,
    ROPE_REQUESTS_RULES,
    KILN_RULES_END,
};

static const struct kiln_variant variants[] = {ROPE_VARIANTS("apply_llama31_rope")};

static const struct kiln_case tests[] = {
    ROPE_TESTS(ROPE_REQUESTS, {1 + SCALE, 4}, {1 + THETA, 10000}, {1 + LOW_FREQ, 2}, {1 + CONTEXT, 4096}),
};

static const struct kiln_case benches[] = {ROPE_BENCHES(ROPE_REQUESTS)};

static void
pack(const struct kiln_checked *checked, const struct kiln_value *values, struct kiln_op_launch *launch)
{
  struct rope_params *params = rope_launch(checked, values, launch);
  rope_by_request(checked, values, INDPTR, OFFSETS, SEQUENCES, params);
  rope_computed(checked, values, SCALE, THETA, params);
  rope_llama31(checked, values, LOW_FREQ, HIGH_FREQ, CONTEXT, params);
}

static enum kiln_status
check(const struct kiln_checked *checked, const struct kiln_value *values, struct kiln_error *error)
{
  return rope_check_llama31(checked, values, LOW_FREQ, HIGH_FREQ, error);
}

static bool
fill(const struct kiln_op *op, const int64_t *axis, unsigned arg, struct kiln_rng *rng, int64_t n, double *real,
    int64_t *integer)
{
  (void)op, (void)axis, (void)real;
  return rope_fill_positions(arg == OFFSETS, rng, n, integer);
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
