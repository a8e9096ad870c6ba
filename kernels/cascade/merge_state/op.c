#include "op/op.h"

enum { TOKENS = 1, HEADS, HEAD_DIM, ROWS, AXES };
enum { V_A, S_A, V_B, S_B, V_MERGED, S_MERGED, ARGS };

#include "merge_op.h"
#include "params.h"

static const struct kiln_axis axes[AXES] = {
    [TOKENS] = KILN_VAR("seq_len", "tokens"),
    [HEADS] = KILN_CONST("num_heads", "h", "heads"),
    [HEAD_DIM] = KILN_CONST("head_dim", "d", "elements of a head"),
    [ROWS] = KILN_DERIVED("num_rows", KILN_FN_MUL, TOKENS, HEADS, "heads of all tokens"),
};

#define VALUES(name, doc, ...)                                                                                         \
  {                                                                                                                    \
    name, doc, .kind = KILN_ARG_TENSOR, .type = 1, .ndim = 3,                                                          \
               .dim = {KILN_DIM(TOKENS), KILN_DIM(HEADS), KILN_DIM(HEAD_DIM)}, __VA_ARGS__                             \
  }
#define SCORES(name, doc, ...)                                                                                         \
  {                                                                                                                    \
    name, doc, .kind = KILN_ARG_TENSOR, .fixed = KILN_DTYPE_F32, .ndim = 2,                                            \
               .dim = {KILN_DIM(TOKENS), KILN_DIM(HEADS)}, __VA_ARGS__                                                 \
  }

static const struct kiln_arg args[ARGS] = {
    [V_A] = VALUES("v_a", "attention over one set of keys", .role = KILN_IN),
    [S_A] = SCORES("s_a", "its base-2 log-sum-exp; -inf: there were no keys", .role = KILN_IN),
    [V_B] = VALUES("v_b", "attention over another set", .role = KILN_IN),
    [S_B] = SCORES("s_b", "its base-2 log-sum-exp", .role = KILN_IN),
    [V_MERGED] = VALUES("v_merged", "attention over both; may be v_a itself", .role = KILN_OUT,
        .flags = KILN_SAME_AS_OK, .alias = 1 + V_A),
    [S_MERGED] = SCORES("s_merged", "its base-2 log-sum-exp; may be s_a itself", .role = KILN_OUT,
        .flags = KILN_SAME_AS_OK, .alias = 1 + S_A),
};

static const struct kiln_rule rules[] = {
    MERGE_RULES,
    KILN_RULES_END,
};

static const struct kiln_variant variants[] = {MERGE_VARIANTS("merge_state")};

static const struct kiln_case tests[] = {
    {.axis = {[TOKENS] = 1, [HEADS] = 1, [HEAD_DIM] = 8}},
    {.axis = {[TOKENS] = 7, [HEADS] = 3, [HEAD_DIM] = 111}},
    {.axis = {[TOKENS] = 37, [HEADS] = 4, [HEAD_DIM] = 128}},
    {.axis = {[TOKENS] = 5, [HEADS] = 2, [HEAD_DIM] = 192}},
    {.axis = {[TOKENS] = 2, [HEADS] = 8, [HEAD_DIM] = 1024}},
    {.axis = {[TOKENS] = 3, [HEADS] = 5, [HEAD_DIM] = 1}},
    {.axis = {[TOKENS] = 0, [HEADS] = 4, [HEAD_DIM] = 64}},
};

static const struct kiln_case benches[] = {
    {.axis = {[TOKENS] = 1, [HEADS] = 32, [HEAD_DIM] = 128}},
    {.axis = {[TOKENS] = 16, [HEADS] = 32, [HEAD_DIM] = 128}},
    {.axis = {[TOKENS] = 2048, [HEADS] = 32, [HEAD_DIM] = 128}},
    {.axis = {[TOKENS] = 16384, [HEADS] = 32, [HEAD_DIM] = 128}},
};

static void
pack(const struct kiln_checked *checked, const struct kiln_value *values, struct kiln_op_launch *launch)
{
  struct merge_params *params = merge_launch(checked, values, V_MERGED, S_MERGED, launch);
  merge_input_set(checked, values, V_A, S_A, false, &params->input[0]);
  merge_input_set(checked, values, V_B, S_B, false, &params->input[1]);
  params->states = 2;
}

static bool
fill(const struct kiln_op *op, const int64_t *axis, unsigned arg, struct kiln_rng *rng, int64_t n, double *real,
    int64_t *integer)
{
  (void)op, (void)axis, (void)integer;
  return (arg == S_A || arg == S_B) && fill_scores(rng, n, real);
}

void kiln_reference_merge_state(const struct kiln_reference *data);

const struct kiln_op kiln_op_merge_state = {
    "merge_state",
    "cascade",
    "The attention over two sets of keys from the attention over each: v = (v_a 2^s_a + v_b 2^s_b) / 2^s, "
    "s = log2(2^s_a + 2^s_b).",
    KILN_OP_TABLES,
    .rules = rules,
    .pack = pack,
    .fill = fill,
    .reference = kiln_reference_merge_state,
};
