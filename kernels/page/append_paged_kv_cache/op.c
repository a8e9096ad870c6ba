#include "op/op.h"
#include "params.h"

enum { TOKENS = 1, HEADS, HEAD_DIM, PAGES, PAGE_SIZE, REQUESTS, USED, AXES };
enum { KEY, VALUE, BATCH, POSITIONS, K_CACHE, V_CACHE, INDICES, INDPTR, LAST, LAYOUT, ARGS };

static const struct kiln_axis axes[AXES] = {
    [TOKENS] = KILN_VAR("nnz", "tokens to append"),
    [HEADS] = KILN_CONST("num_kv_heads", "kv", "heads of keys and values"),
    [HEAD_DIM] = KILN_CONST("head_dim", "d", "elements of a head"),
    [PAGES] = KILN_VAR("num_pages", "pages of the cache"),
    [PAGE_SIZE] = KILN_CONST("page_size", "ps", "tokens of a page"),
    [REQUESTS] = KILN_VAR("batch_size", "requests"),
    [USED] = KILN_VAR("num_kv_indices", "pages that requests have"),
};

static const struct kiln_type types[] = {{"T", KILN_SET_FLOAT | KILN_SET_FP8}};

/* Position in memory → [page, token of the page, head, element]. */
static const struct kiln_layout layouts[] = {{"NHD", {0, 1, 2, 3}}, {"HND", {0, 2, 1, 3}}};
static const char *const layout_names[] = {"NHD", "HND", NULL};

#define APPENDED(name, doc)                                                                                            \
  {                                                                                                                    \
    name, doc, .kind = KILN_ARG_TENSOR, .type = 1, .ndim = 3, .dim = {                                                 \
      KILN_DIM(TOKENS),                                                                                                \
      KILN_DIM(HEADS),                                                                                                 \
      KILN_DIM(HEAD_DIM)                                                                                               \
    }                                                                                                                  \
  }
#define CACHE(name, doc, result, more)                                                                                 \
  {                                                                                                                    \
    name, doc, .kind = KILN_ARG_TENSOR, .role = KILN_INOUT, .type = 1, .ndim = 4,                                      \
               .dim = {KILN_DIM(PAGES), KILN_DIM(PAGE_SIZE), KILN_DIM(HEADS), KILN_DIM(HEAD_DIM)},                     \
               .flags = KILN_LAYOUTED | (more), .param = "paged_kv_cache", .as = result                                \
  }
#define NUMBERS(name, doc, extent, more)                                                                               \
  {                                                                                                                    \
    name, doc, .kind = KILN_ARG_TENSOR, .fixed = KILN_DTYPE_I32, .ndim = 1, .dim = {extent}, .flags = (more)           \
  }

static const struct kiln_arg args[ARGS] = {
    [KEY] = APPENDED("append_key", "keys of the tokens"),
    [VALUE] = APPENDED("append_value", "values of the tokens"),
    [BATCH] =
        NUMBERS("batch_indices", "the request of each token; negative: the token is left out", KILN_DIM(TOKENS), 0),
    [POSITIONS] = NUMBERS("positions", "its position in the request", KILN_DIM(TOKENS), 0),
    [K_CACHE] = CACHE("k_cache", "pages of keys", "new_k_cache", KILN_PAIR),
    [V_CACHE] = CACHE("v_cache", "pages of values", "new_v_cache", 0),
    [INDICES] = NUMBERS("kv_indices", "the pages of all requests, one request behind the other", KILN_DIM(USED), 0),
    [INDPTR] = NUMBERS(
        "kv_indptr", "where the pages of each request begin, and the last ones end", KILN_DIM_PLUS(REQUESTS, 1), 0),
    [LAST] = NUMBERS("kv_last_page_len", "tokens on the last page of each request; positions say all that is needed",
        KILN_DIM(REQUESTS), KILN_OPTIONAL),
    [LAYOUT] = {"kv_layout", "order of the extents of a page: tokens, heads (NHD) or heads, tokens (HND)",
        .kind = KILN_ARG_ENUM, .flags = KILN_OPTIONAL, .names = layout_names},
};

static const struct kiln_rule rules[] = {
    {.kind = KILN_RULE_RANGE, .a = TOKENS, .lo = 0, .hi = INT32_MAX},
    {.kind = KILN_RULE_RANGE, .a = HEADS, .lo = 1, .hi = 65536},
    {.kind = KILN_RULE_RANGE, .a = HEAD_DIM, .lo = 1, .hi = 65536},
    {.kind = KILN_RULE_RANGE, .a = PAGES, .lo = 0, .hi = INT32_MAX},
    {.kind = KILN_RULE_RANGE, .a = PAGE_SIZE, .lo = 1, .hi = INT32_MAX},
    {.kind = KILN_RULE_RANGE, .a = REQUESTS, .lo = 0, .hi = INT32_MAX - 1},
    {.kind = KILN_RULE_RANGE, .a = USED, .lo = 0, .hi = INT32_MAX},
    {.kind = KILN_RULE_DATA, .text = "batch_indices < batch_size"},
    {.kind = KILN_RULE_DATA, .text = "0 <= positions < page_size * (pages of the request)"},
    {.kind = KILN_RULE_DATA, .text = "0 <= kv_indices < num_pages"},
    {.kind = KILN_RULE_DATA, .text = "kv_indptr rises from 0 to at most num_kv_indices"},
    {.kind = KILN_RULE_DATA, .text = "no two tokens go to one place"},
    KILN_RULES_END,
};
static const struct kiln_rule by_sixteen[] = {
    {.kind = KILN_RULE_MULTIPLE, .a = HEAD_DIM, .lo = 16},
    KILN_RULES_END,
};

static const struct kiln_variant variants[] = {
    {"vec", KILN_BACKEND_CUDA, "sm80+", "append_paged_kv_cache_vec", .needs = by_sixteen,
        .key_axes = KILN_BIT(HEADS) | KILN_BIT(HEAD_DIM), .align = 16},
    {"row", KILN_BACKEND_CUDA, "sm80+", "append_paged_kv_cache_row", .needs = NULL},
    {"row", KILN_BACKEND_CPU, NULL, "append_paged_kv_cache", .needs = NULL},
};

#define SIZES(tokens, heads, dim, pages, page_size, requests, used)                                                    \
  [TOKENS] = (tokens), [HEADS] = (heads), [HEAD_DIM] = (dim), [PAGES] = (pages), [PAGE_SIZE] = (page_size),            \
  [REQUESTS] = (requests), [USED] = (used)

static const struct kiln_case tests[] = {
    {.axis = {SIZES(1, 1, 16, 1, 1, 1, 1)}},
    {.axis = {SIZES(37, 3, 64, 23, 4, 5, 19)}, .given = KILN_BIT(LAST)},
    {.axis = {SIZES(11, 2, 111, 9, 3, 2, 9)}},
    {.axis = {SIZES(70, 8, 128, 12, 16, 3, 7)}},
    {.axis = {SIZES(9, 2, 8, 40, 5, 33, 33)}},
    {.axis = {SIZES(6, 1, 48, 3, 2, 1, 3)}},
    {.axis = {SIZES(4, 2, 32, 1, 1, 2, 1)}}, /* more tokens than places: the others are left out */
    {.axis = {SIZES(0, 2, 64, 4, 16, 2, 3)}},
    {.axis = {SIZES(0, 2, 64, 0, 16, 0, 0)}},
};

static const struct kiln_case benches[] = {
    {.axis = {SIZES(1, 8, 128, 64, 16, 1, 64)}},
    {.axis = {SIZES(16, 8, 128, 64, 16, 16, 64)}},
    {.axis = {SIZES(64, 8, 128, 128, 16, 64, 128)}},
    {.axis = {SIZES(8192, 8, 128, 576, 16, 64, 576)}},
    {.axis = {SIZES(65536, 8, 128, 4160, 16, 64, 4160)}},
};

static void
side(const struct kiln_checked *checked, const struct kiln_value *values, unsigned from, unsigned cache,
    struct append_side *side)
{
  const int64_t *strides = checked->stride[cache];
  side->from = kiln_op_data(values, from);
  side->cache = kiln_op_data(values, cache);
  side->token = checked->stride[from][0];
  side->head = checked->stride[from][1];
  side->page = strides[0];
  side->slot = strides[1];
  side->cache_head = strides[2];
}

static void
pack(const struct kiln_checked *checked, const struct kiln_value *values, struct kiln_op_launch *launch)
{
  struct append_params *params = kiln_op_params(launch, sizeof *params);
  const int64_t tokens = checked->axis[TOKENS], elements = checked->axis[HEADS] * checked->axis[HEAD_DIM];
  const int64_t vectors = tokens * (elements * kiln_dtype_bits((enum kiln_dtype)checked->type[0]) / 128);
  side(checked, values, KEY, K_CACHE, &params->key);
  side(checked, values, VALUE, V_CACHE, &params->value);
  params->batch = kiln_op_data(values, BATCH);
  params->position = kiln_op_data(values, POSITIONS);
  params->indices = kiln_op_data(values, INDICES);
  params->indptr = kiln_op_data(values, INDPTR);
  params->tokens = (int)tokens;
  params->heads = (int)checked->axis[HEADS];
  params->width = (int)checked->axis[HEAD_DIM];
  params->page_size = (int)checked->axis[PAGE_SIZE];
  params->requests = (int)checked->axis[REQUESTS];
  params->pages_used = (int)checked->axis[USED];
  params->each = vectors <= APPEND_FEW ? 1 : APPEND_EACH;
  const int64_t in_block = (int64_t)params->each * APPEND_THREADS;
  kiln_op_grid(launch, checked->variant->key_axes ? (vectors + in_block - 1) / in_block : tokens, 1, 1, APPEND_THREADS);
  launch->overlap = true;
}

/* ---- test data: each argument is made alone, so all of them follow from the sizes ---- */

/* Pages before request `i`; pages that two requests would share are nobody's. */
static int64_t
pages_before(const int64_t *axis, int64_t i)
{
  const int64_t pages = axis[USED] < axis[PAGES] ? axis[USED] : axis[PAGES];
  return axis[REQUESTS] > 0 ? pages * i / axis[REQUESTS] : 0;
}

/* Tokens on the last page of request `i`. */
static int64_t
last_page(const int64_t *axis, int64_t i)
{
  return axis[PAGE_SIZE] - i % axis[PAGE_SIZE];
}

/* The last places of request `i` are for its share of the tokens; what finds none there is left out. */
static void
fill_tokens(const int64_t *axis, int64_t i, bool positions, int64_t *integer)
{
  const int64_t tokens = axis[TOKENS], requests = axis[REQUESTS],
                pages = pages_before(axis, i + 1) - pages_before(axis, i);
  const int64_t length = pages > 0 ? (pages - 1) * axis[PAGE_SIZE] + last_page(axis, i) : 0;
  const int64_t begin = tokens * i / requests, end = tokens * (i + 1) / requests;
  const int64_t places = end - begin < length ? end - begin : length;
  for (int64_t t = begin; t < end; t++) {
    const bool in = t - begin < places;
    integer[t] = !in ? -1 : positions ? length - places + t - begin : i;
  }
}

/* Distinct pages while there are enough, in an order that is not theirs. */
static void
fill_indices(const int64_t *axis, struct kiln_rng *rng, int64_t n, int64_t *integer)
{
  for (int64_t i = 0; i < n; i++) {
    const int64_t other = i < axis[PAGES] ? (int64_t)(kiln_rng_next(rng) % (uint64_t)(i + 1)) : i;
    integer[i] = integer[other];
    integer[other] = axis[PAGES] > 0 ? i % axis[PAGES] : 0;
  }
}

static bool
fill(const struct kiln_op *op, const int64_t *axis, unsigned arg, struct kiln_rng *rng, int64_t n, double *real,
    int64_t *integer)
{
  (void)op;
  if (real)
    return false;
  if (arg == BATCH || arg == POSITIONS) {
    for (int64_t i = 0; i < n; i++)
      integer[i] = -1;
    for (int64_t i = 0; i < axis[REQUESTS]; i++)
      fill_tokens(axis, i, arg == POSITIONS, integer);
  } else if (arg == INDICES)
    fill_indices(axis, rng, n, integer);
  else
    for (int64_t i = 0; i < n; i++)
      integer[i] = arg == INDPTR ? pages_before(axis, i) : last_page(axis, i);
  return true;
}

/* Keys and values are read and written once; of the caches nothing else is touched. */
static int64_t
bytes(const int64_t *axis, const uint8_t *type)
{
  const int64_t element = kiln_dtype_bits((enum kiln_dtype)type[0]) / 8;
  return axis[TOKENS] * (4 * axis[HEADS] * axis[HEAD_DIM] * element + 2 * (int64_t)sizeof(int32_t));
}

void kiln_reference_append_paged_kv_cache(const struct kiln_reference *data);

/* Elements are copied: no error is small enough. */
#define EXACT                                                                                                          \
  {                                                                                                                    \
    1e-37F, 0                                                                                                          \
  }

const struct kiln_op kiln_op_append_paged_kv_cache = {
    "append_paged_kv_cache",
    "page",
    "Writes the keys and values of new tokens into the pages of their requests.",
    KILN_OP_TABLES,
    .layouts = layouts,
    .nlayouts = KILN_LEN(layouts),
    .layout_arg = 1 + LAYOUT,
    .rules = rules,
    .tolerance = {[KILN_DTYPE_F16] = EXACT,
        [KILN_DTYPE_BF16] = EXACT,
        [KILN_DTYPE_F32] = EXACT,
        [KILN_DTYPE_E4M3] = EXACT,
        [KILN_DTYPE_E5M2] = EXACT},
    .pack = pack,
    .fill = fill,
    .bytes = bytes,
    .reference = kiln_reference_append_paged_kv_cache,
};
