/*
 * What the tables of all rotary embeddings share: axes, the four tensors, numbers, rules, variants, the launch.
 * Included by their op.c, once.
 */
#ifndef KILN_ROPE_OP_H
#define KILN_ROPE_OP_H

#include <math.h>

#include "op/op.h"
#include "rope_params.h"

enum { TOKENS = 1, Q_HEADS, K_HEADS, HEAD, ROTARY, ROPE_AXES };
enum { Q, K, Q_ROPE, K_ROPE, ROPE_ARGS };

#define ROPE_AXES_SHARED                                                                                               \
  [TOKENS] = KILN_VAR("nnz", "tokens of all requests"), [Q_HEADS] = KILN_CONST("num_qo_heads", "h", "query heads"),    \
  [K_HEADS] = KILN_CONST("num_kv_heads", "kv", "key heads"), [HEAD] = KILN_CONST("head_dim", "d", "head width"),       \
  [ROTARY] = KILN_CONST("rotary_dim", "rot", "elements of a head that are turned; the rest stays")

static const struct kiln_type types[] = {{"T", KILN_SET_FLOAT}, {"IDX", KILN_SET_INDEX}};

#define ROPE_TENSOR(name, doc, heads, ...)                                                                             \
  {                                                                                                                    \
    name, doc, .kind = KILN_ARG_TENSOR, .type = 1, .ndim = 3,                                                          \
               .dim = {KILN_DIM(TOKENS), KILN_DIM(heads), KILN_DIM(HEAD)}, __VA_ARGS__                                 \
  }
#define ROPE_TENSORS                                                                                                   \
  [Q] = ROPE_TENSOR("q", "queries", Q_HEADS, .role = KILN_IN),                                                         \
  [K] = ROPE_TENSOR("k", "keys", K_HEADS, .role = KILN_IN),                                                            \
  [Q_ROPE] = ROPE_TENSOR("q_rope", "turned queries; may be q itself", Q_HEADS, .role = KILN_OUT,                       \
      .flags = KILN_SAME_AS_OK, .alias = 1 + Q),                                                                       \
  [K_ROPE] = ROPE_TENSOR(                                                                                              \
      "k_rope", "turned keys; may be k itself", K_HEADS, .role = KILN_OUT, .flags = KILN_SAME_AS_OK, .alias = 1 + K)

#define ROPE_INDEX(name, doc, ...)                                                                                     \
  {                                                                                                                    \
    name, doc, .kind = KILN_ARG_TENSOR, .type = 2, .ndim = 1, __VA_ARGS__                                              \
  }
#define ROPE_INTERLEAVE                                                                                                \
  {                                                                                                                    \
    "interleave", "pairs are neighbours; else element i and i + rotary_dim / 2", .kind = KILN_ARG_BOOL,                \
                                                                                 .flags = KILN_OPTIONAL | KILN_KEYED   \
  }
#define ROPE_ROTARY_DIM                                                                                                \
  {                                                                                                                    \
    "rotary_dim", "how much of a head is turned; all of it when absent",                                               \
        .kind = KILN_ARG_INT, .flags = KILN_OPTIONAL | KILN_BINDS, .axis = ROTARY, .dim = {KILN_DIM(HEAD)},            \
        .integer = {                                                                                                   \
          .lo = 2,                                                                                                     \
          .hi = 65536                                                                                                  \
        }                                                                                                              \
  }
#define ROPE_REAL(name, doc, least, most, value)                                                                       \
  {                                                                                                                    \
    name, doc, .kind = KILN_ARG_REAL, .flags = KILN_OPTIONAL, .real = {.lo = least, .hi = most, .def = value }         \
  }
#define ROPE_SCALE(value) ROPE_REAL("rope_scale", "positions are divided by it", 1e-3, 1e6, value)
#define ROPE_THETA(value) ROPE_REAL("rope_theta", "base of the wavelengths", 1, 1e12, value)

/* ---- parts that some of them have; names of axes and arguments are those of the including op.c ---- */

/* Positions by request: where the tokens of each begin, and the position of the first. */
#define ROPE_BY_REQUEST                                                                                                \
  [INDPTR] = ROPE_INDEX("indptr", "where the tokens of each request begin and the last ones end",                      \
      .dim = {KILN_DIM_PLUS(SEQUENCES, 1)}, .fill = KILN_FILL_INDPTR, .fill_axis = TOKENS),                            \
  [OFFSETS] = ROPE_INDEX("offsets", "position of the first token of each request", .dim = {KILN_DIM(SEQUENCES)})
#define ROPE_REQUESTS_AXIS KILN_VAR("batch_size", "requests")
/* Positions of tokens. */
#define ROPE_BY_POSITION [POS_IDS] = ROPE_INDEX("pos_ids", "position of each token", .dim = {KILN_DIM(TOKENS)})
/* Angles that are computed, with the numbers that stand for absent ones. */
#define ROPE_COMPUTED(scale, theta)                                                                                    \
  [ROTARY_DIM] = ROPE_ROTARY_DIM, [INTERLEAVE] = ROPE_INTERLEAVE, [SCALE] = ROPE_SCALE(scale),                         \
  [THETA] = ROPE_THETA(theta)
#define ROPE_LLAMA31                                                                                                   \
  [LOW_FREQ] = ROPE_REAL("low_freq_factor", "wavelengths above old_context_len by it are scaled", 0, 1e3, 1),          \
  [HIGH_FREQ] = ROPE_REAL("high_freq_factor", "wavelengths below old_context_len by it are not", 0, 1e3, 4),           \
  [CONTEXT] = ROPE_REAL("old_context_len", "positions the model was first trained for", 1, 1e9, 8192)

/* ---- rules and variants ---- */

#define ROPE_RULES                                                                                                     \
  {.kind = KILN_RULE_RANGE, .a = TOKENS, .lo = 0, .hi = INT32_MAX},                                                    \
      {.kind = KILN_RULE_RANGE, .a = Q_HEADS, .lo = 0, .hi = 65536},                                                   \
      {.kind = KILN_RULE_RANGE, .a = K_HEADS, .lo = 0, .hi = 65536},                                                   \
      {.kind = KILN_RULE_RANGE, .a = HEAD, .lo = 2, .hi = 16384}, {.kind = KILN_RULE_MULTIPLE, .a = ROTARY, .lo = 2},  \
  {                                                                                                                    \
    .kind = KILN_RULE_AT_MOST, .a = ROTARY, .b = HEAD                                                                  \
  }
/* Kernels count requests in an int, and go through them in steps of 32. A token is one of a request. */
#define ROPE_REQUESTS_RULES                                                                                            \
  {.kind = KILN_RULE_RANGE, .a = SEQUENCES, .lo = 0, .hi = 1 << 30},                                                   \
  {                                                                                                                    \
    .kind = KILN_RULE_NEEDS, .a = TOKENS, .b = SEQUENCES                                                               \
  }
static const struct kiln_rule by_sixteen[] = {
    {.kind = KILN_RULE_MULTIPLE, .a = HEAD, .lo = 16},
    {.kind = KILN_RULE_RANGE, .a = HEAD, .lo = 16, .hi = 2 * ROPE_MOST_THREADS},
    {.kind = KILN_RULE_MULTIPLE, .a = ROTARY, .lo = 16},
    {.kind = KILN_RULE_RANGE, .a = ROTARY, .lo = 16, .hi = 2 * ROPE_MOST_THREADS},
    KILN_RULES_END,
};

/* The kernels that ROPE_KERNELS(name, …) of rope_device.h and cpu.c define. */
#define ROPE_VARIANTS(name)                                                                                            \
  {"vec", KILN_BACKEND_CUDA, "sm80+", name "_vec", .needs = by_sixteen, .key_axes = KILN_BIT(HEAD) | KILN_BIT(ROTARY), \
      .align = 16},                                                                                                    \
      {"any", KILN_BACKEND_CUDA, "sm80+", name "_any", .needs = NULL},                                                 \
  {                                                                                                                    \
    "any", KILN_BACKEND_CPU, NULL, name, .needs = NULL                                                                 \
  }

#define ROPE_SIZES(tokens, q_heads, k_heads, head, rotary)                                                             \
  [TOKENS] = (tokens), [Q_HEADS] = (q_heads), [K_HEADS] = (k_heads), [HEAD] = (head), [ROTARY] = (rotary)

/* ---- shapes of those with computed angles: `more(n)` adds the axis of n requests, or nothing ---- */

#define ROPE_NO_MORE(n)
#define ROPE_REQUESTS(n) , [SEQUENCES] = (n)
/* The numbers that follow `more` are those of one test. */
#define ROPE_TESTS(more, ...)                                                                                          \
  {.axis = {ROPE_SIZES(1, 1, 1, 64, 64) more(1)}, .given = KILN_BIT(ROTARY_DIM)},                                      \
      {.axis = {ROPE_SIZES(7, 4, 2, 128, 128) more(3)}, .set = {{1 + INTERLEAVE, 1}}},                                 \
      {.axis = {ROPE_SIZES(19, 5, 1, 128, 64) more(33)}, .given = KILN_BIT(ROTARY_DIM)},                               \
      {.axis = {ROPE_SIZES(3, 3, 2, 22, 10) more(2)}, .given = KILN_BIT(ROTARY_DIM)},                                  \
      {.axis = {ROPE_SIZES(3, 2, 3, 80, 32) more(70)}, .given = KILN_BIT(ROTARY_DIM), .set = {{1 + INTERLEAVE, 1}}},   \
      {.axis = {ROPE_SIZES(5, 2, 1, 256, 256) more(1)}, .set = {__VA_ARGS__}},                                         \
      {.axis = {ROPE_SIZES(2, 70, 64, 64, 64) more(2)}},                                                               \
  {                                                                                                                    \
    .axis = { ROPE_SIZES(0, 2, 2, 64, 64) more(4) }                                                                    \
  }
#define ROPE_BENCHES(more)                                                                                             \
  {.axis = {ROPE_SIZES(1, 32, 8, 128, 128) more(64)}}, {.axis = {ROPE_SIZES(16, 32, 8, 128, 128) more(64)}},           \
      {.axis = {ROPE_SIZES(64, 32, 8, 128, 128) more(64)}}, {.axis = {ROPE_SIZES(4096, 32, 8, 128, 128) more(64)}},    \
  {                                                                                                                    \
    .axis = { ROPE_SIZES(16384, 32, 8, 128, 128) more(64) }                                                            \
  }

/* ---- the launch ---- */

static inline struct rope_tensor
rope_tensor_of(const struct kiln_checked *checked, const struct kiln_value *values, unsigned from, unsigned to)
{
  return (struct rope_tensor){kiln_op_data(values, to), kiln_op_data(values, from), checked->stride[to][0],
      checked->stride[to][1], checked->stride[from][0], checked->stride[from][1],
      (int)checked->axis[from == Q ? Q_HEADS : K_HEADS]};
}

/* A block a token: a thread for each cosine and each column of a head, and as many that every thread has ROPE_EACH
 * heads, or more where a block cannot be larger. */
static inline uint32_t
rope_threads(const struct kiln_checked *checked)
{
  const int64_t *axis = checked->axis;
  const int64_t width = 128 / kiln_dtype_bits((enum kiln_dtype)checked->type[0]);
  const int64_t heads = axis[Q_HEADS] + axis[K_HEADS], columns = axis[HEAD] / (2 * width);
  const int64_t least = (heads * columns + ROPE_MOST_THREADS - 1) / ROPE_MOST_THREADS;
  const int64_t each = least > ROPE_EACH ? least : ROPE_EACH;
  int64_t threads = (heads + each - 1) / each * columns;
  threads = threads > axis[ROTARY] / 2 ? threads : axis[ROTARY] / 2;
  threads = threads > columns ? threads : columns;
  return threads > ROPE_MOST_THREADS ? ROPE_MOST_THREADS : (uint32_t)(threads + 31) / 32 * 32;
}

static inline struct rope_params *
rope_launch(const struct kiln_checked *checked, const struct kiln_value *values, struct kiln_op_launch *launch)
{
  struct rope_params *params = kiln_op_params(launch, sizeof *params);
  params->q = rope_tensor_of(checked, values, Q, Q_ROPE);
  params->k = rope_tensor_of(checked, values, K, K_ROPE);
  params->tokens = checked->axis[TOKENS];
  params->head_dim = (int)checked->axis[HEAD];
  params->rotary_dim = (int)checked->axis[ROTARY];
  kiln_op_grid(launch, params->tokens, 1, 1, checked->variant->key_axes ? rope_threads(checked) : ROPE_ANY_THREADS);
  launch->overlap = true;
  return params;
}

/* Positions by request; arguments indptr, offsets; axis `requests`. */
static inline void
rope_by_request(const struct kiln_checked *checked, const struct kiln_value *values, unsigned indptr, unsigned offsets,
    unsigned requests, struct rope_params *params)
{
  params->indptr = kiln_op_data(values, indptr);
  params->offsets = kiln_op_data(values, offsets);
  params->sequences = (int)checked->axis[requests];
}

/* Wavelengths: theta^(2 i / rotary_dim), positions divided by scale. */
static inline void
rope_computed(const struct kiln_checked *checked, const struct kiln_value *values, unsigned scale, unsigned theta,
    struct rope_params *params)
{
  params->step = -2 * log2(kiln_op_real(checked->op, values, theta)) / params->rotary_dim;
  params->ratio = exp2(params->step);
  params->shrink = 1 / kiln_op_real(checked->op, values, scale);
}

/* Llama 3.1: short wavelengths are spared from the scale. */
static inline void
rope_llama31(const struct kiln_checked *checked, const struct kiln_value *values, unsigned low_freq, unsigned high_freq,
    unsigned context, struct rope_params *params)
{
  const double low = kiln_op_real(checked->op, values, low_freq);
  const double high = kiln_op_real(checked->op, values, high_freq);
  params->smooth = kiln_op_real(checked->op, values, context) / (2 * 3.141592653589793) / (high - low);
  params->offset = -low / (high - low);
}

static inline enum kiln_status
rope_check_llama31(const struct kiln_checked *checked, const struct kiln_value *values, unsigned low_freq,
    unsigned high_freq, struct kiln_error *error)
{
  const double low = kiln_op_real(checked->op, values, low_freq);
  const double high = kiln_op_real(checked->op, values, high_freq);
  if (low < high)
    return KILN_OK;
  kiln_error_set(
      error, KILN_ERROR_ARGUMENT, "low_freq_factor is %g and high_freq_factor is %g; expected low < high", low, high);
  kiln_error_advise(error, "Give factors as the model's configuration has them.");
  return KILN_ERROR_ARGUMENT;
}

/* ---- test data ---- */

/* Positions as far out as models go, for the argument that has them; false for others. */
static inline bool
rope_fill_positions(bool has_them, struct kiln_rng *rng, int64_t n, int64_t *integer)
{
  for (int64_t i = 0; i < n && has_them; i++)
    integer[i] = (int64_t)(kiln_rng_next(rng) % 131072);
  return has_them;
}

#endif
