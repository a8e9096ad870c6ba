#include "params.h"
#include "rope_op.h"

enum { POSITIONS = ROPE_AXES, AXES };
enum { COS_SIN_CACHE = ROPE_ARGS, POS_IDS, INTERLEAVE, ARGS };

static const struct kiln_axis axes[AXES] = {
    ROPE_AXES_SHARED,
    [POSITIONS] = KILN_VAR("max_position", "positions in the cache"),
};

static const struct kiln_arg args[ARGS] = {
    ROPE_TENSORS,
    [COS_SIN_CACHE] = {"cos_sin_cache", "of each position: cosines, then sines", .kind = KILN_ARG_TENSOR,
        .fixed = KILN_DTYPE_F32, .ndim = 2, .dim = {KILN_DIM(POSITIONS), KILN_DIM(ROTARY)}},
    [POS_IDS] = ROPE_INDEX("pos_ids", "position of each token", .dim = {KILN_DIM(TOKENS)}, .fill = KILN_FILL_BELOW,
        .fill_axis = POSITIONS),
    [INTERLEAVE] = ROPE_INTERLEAVE,
};

static const struct kiln_rule rules[] = {
    ROPE_RULES,
    KILN_RULES_END,
};

static const struct kiln_variant variants[] = {ROPE_VARIANTS("apply_rope_with_cos_sin_cache")};

static const struct kiln_case tests[] = {
    {.axis = {ROPE_SIZES(1, 1, 1, 64, 64), [POSITIONS] = 1}},
    {.axis = {ROPE_SIZES(7, 4, 2, 128, 128), [POSITIONS] = 3}, .set = {{1 + INTERLEAVE, 1}}},
    {.axis = {ROPE_SIZES(19, 5, 1, 128, 64), [POSITIONS] = 33}},
    {.axis = {ROPE_SIZES(3, 3, 2, 22, 10), [POSITIONS] = 2}},
    {.axis = {ROPE_SIZES(3, 2, 3, 80, 32), [POSITIONS] = 70}, .set = {{1 + INTERLEAVE, 1}}},
    {.axis = {ROPE_SIZES(2, 70, 64, 64, 64), [POSITIONS] = 2}},
    {.axis = {ROPE_SIZES(0, 2, 2, 64, 64), [POSITIONS] = 4}},
};

static const struct kiln_case benches[] = {
    {.axis = {ROPE_SIZES(1, 32, 8, 128, 128), [POSITIONS] = 32768}},
    {.axis = {ROPE_SIZES(16, 32, 8, 128, 128), [POSITIONS] = 32768}},
    {.axis = {ROPE_SIZES(64, 32, 8, 128, 128), [POSITIONS] = 32768}},
    {.axis = {ROPE_SIZES(4096, 32, 8, 128, 128), [POSITIONS] = 32768}},
    {.axis = {ROPE_SIZES(16384, 32, 8, 128, 128), [POSITIONS] = 32768}},
};

static void
pack(const struct kiln_checked *checked, const struct kiln_value *values, struct kiln_op_launch *launch)
{
  struct rope_params *params = rope_launch(checked, values, launch);
  params->positions = kiln_op_data(values, POS_IDS);
  params->cache = kiln_op_data(values, COS_SIN_CACHE);
  params->cache_stride = checked->stride[COS_SIN_CACHE][0];
}

/* Of the cache one row a token. */
static int64_t
bytes(const int64_t *axis, const uint8_t *type)
{
  const int64_t heads = axis[Q_HEADS] + axis[K_HEADS];
  const int64_t element = kiln_dtype_bits((enum kiln_dtype)type[0]) / 8;
  const int64_t index = kiln_dtype_bits((enum kiln_dtype)type[1]) / 8;
  return axis[TOKENS] * (2 * heads * axis[HEAD] * element + 4 * axis[ROTARY] + index);
}

void kiln_reference_apply_rope_with_cos_sin_cache(const struct kiln_reference *data);

const struct kiln_op kiln_op_apply_rope_with_cos_sin_cache = {
    "apply_rope_with_cos_sin_cache",
    "rope",
    "Turn pairs of q and k by the cosines and sines that a cache has for the position of their token.",
    KILN_OP_TABLES,
    .rules = rules,
    .pack = pack,
    .reference = kiln_reference_apply_rope_with_cos_sin_cache,
    .bytes = bytes,
};
