#include "op/op.h"

enum { TOKENS = 1, STATES, HEADS, HEAD_DIM, ROWS, AXES };
enum { V, S, V_MERGED, S_MERGED, ARGS };

#include "merge_op.h"
#include "params.h"

static const struct kiln_axis axes[AXES] = {
    [TOKENS] = KILN_VAR("seq_len", "tokens"),
    [STATES] = KILN_VAR("num_states", "states of each token"),
    [HEADS] = KILN_CONST("num_heads", "h", "heads"),
    [HEAD_DIM] = KILN_CONST("head_dim", "d", "elements of a head"),
    [ROWS] = KILN_DERIVED("num_rows", KILN_FN_MUL, TOKENS, HEADS, "heads of all tokens"),
};

static const struct kiln_arg args[ARGS] = {
    [V] = {"v", "attention over each set of keys", .kind = KILN_ARG_TENSOR, .type = 1, .ndim = 4,
        .dim = {KILN_DIM(TOKENS), KILN_DIM(STATES), KILN_DIM(HEADS), KILN_DIM(HEAD_DIM)}},
    [S] = {"s", "base-2 log-sum-exp of each; -inf: there were no keys", .kind = KILN_ARG_TENSOR,
        .fixed = KILN_DTYPE_F32, .ndim = 3, .dim = {KILN_DIM(TOKENS), KILN_DIM(STATES), KILN_DIM(HEADS)}},
    [V_MERGED] = {"v_merged", "attention over all of them", .kind = KILN_ARG_TENSOR, .role = KILN_OUT, .type = 1,
        .ndim = 3, .dim = {KILN_DIM(TOKENS), KILN_DIM(HEADS), KILN_DIM(HEAD_DIM)}},
    [S_MERGED] = {"s_merged", "its base-2 log-sum-exp", .kind = KILN_ARG_TENSOR, .role = KILN_OUT,
        .fixed = KILN_DTYPE_F32, .ndim = 2, .dim = {KILN_DIM(TOKENS), KILN_DIM(HEADS)}},
};

static const struct kiln_rule rules[] = {
    MERGE_RULES,
    {.kind = KILN_RULE_RANGE, .a = STATES, .lo = 0, .hi = 1 << 30}, /* an int in kernels, counted in steps */
    KILN_RULES_END,
};

static const struct kiln_variant variants[] = {MERGE_VARIANTS("merge_states")};

static const struct kiln_case tests[] = {
    {.axis = {[TOKENS] = 1, [STATES] = 1, [HEADS] = 1, [HEAD_DIM] = 8}},
    {.axis = {[TOKENS] = 7, [STATES] = 3, [HEADS] = 3, [HEAD_DIM] = 111}},
    {.axis = {[TOKENS] = 19, [STATES] = 9, [HEADS] = 4, [HEAD_DIM] = 128}},
    {.axis = {[TOKENS] = 3, [STATES] = 70, [HEADS] = 2, [HEAD_DIM] = 192}},
    {.axis = {[TOKENS] = 2, [STATES] = 5, [HEADS] = 3, [HEAD_DIM] = 1024}},
    {.axis = {[TOKENS] = 3, [STATES] = 2, [HEADS] = 5, [HEAD_DIM] = 1}},
    {.axis = {[TOKENS] = 3, [STATES] = 0, [HEADS] = 2, [HEAD_DIM] = 64}},
    {.axis = {[TOKENS] = 0, [STATES] = 4, [HEADS] = 4, [HEAD_DIM] = 64}},
};

static const struct kiln_case benches[] = {
    {.axis = {[TOKENS] = 1, [STATES] = 8, [HEADS] = 32, [HEAD_DIM] = 128}},
    {.axis = {[TOKENS] = 16, [STATES] = 8, [HEADS] = 32, [HEAD_DIM] = 128}},
    {.axis = {[TOKENS] = 512, [STATES] = 8, [HEADS] = 32, [HEAD_DIM] = 128}},
    {.axis = {[TOKENS] = 8192, [STATES] = 4, [HEADS] = 32, [HEAD_DIM] = 128}},
};

static void
pack(const struct kiln_checked *checked, const struct kiln_value *values, struct kiln_op_launch *launch)
{
  struct merge_params *params = merge_launch(checked, values, V_MERGED, S_MERGED, launch);
  merge_input_set(checked, values, V, S, true, &params->input[0]);
  params->states = (int)checked->axis[STATES];
}

static bool
fill(const struct kiln_op *op, const int64_t *axis, unsigned arg, struct kiln_rng *rng, int64_t n, double *real,
    int64_t *integer)
{
  (void)op, (void)axis, (void)integer;
  return arg == S && fill_scores(rng, n, real);
}

void kiln_reference_merge_states(const struct kiln_reference *data);

const struct kiln_op kiln_op_merge_states = {
    "merge_states",
    "cascade",
    "The attention over several sets of keys from the attention over each: v = sum of v_i 2^(s_i - s), "
    "s = log2(sum of 2^s_i).",
    KILN_OP_TABLES,
    .rules = rules,
    .pack = pack,
    .fill = fill,
    .reference = kiln_reference_merge_states,
};
