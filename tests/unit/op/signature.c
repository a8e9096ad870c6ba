/* Which tensors may share memory: none that is written, but parts of one tensor that lie between each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kiln/op.h"
#include "op/call.h"
#include "unit/jit/fixture.h"
#include "unit/op/tensors.h"

enum { KEY, VALUE, BATCH, POSITIONS, K_CACHE, V_CACHE, INDICES, INDPTR, LAST, LAYOUT, ARGS };
enum { TOKENS = 2, HEADS = 2, DIM = 4, PAGES = 3, PAGE_SIZE = 2, PAGE = PAGE_SIZE * HEADS * DIM };

/* Two tokens of one request, behind each other on page 2; both caches in one tensor [pages, 2, …]. */
struct append {
  struct made_tensor key, value, batch, positions, both, k_cache, v_cache, indices, indptr;
  struct kiln_value values[ARGS];
};

static void
numbers(struct made_tensor *made, int64_t count, const int32_t *from)
{
  tensor_make(made, KILN_DTYPE_I32, 1, &count);
  memcpy(made->tensor.data, from, (size_t)count * sizeof *from);
}

/* A cache that begins `offset` elements into the common tensor. */
static void
half(struct made_tensor *cache, const struct made_tensor *both, int64_t offset)
{
  static const int64_t shape[] = {PAGES, PAGE_SIZE, HEADS, DIM}, strides[] = {2 * PAGE, HEADS * DIM, DIM, 1};
  *cache = *both;
  cache->tensor.ndim = 4;
  memcpy(cache->shape, shape, sizeof shape);
  memcpy(cache->strides, strides, sizeof strides);
  cache->tensor.shape = cache->shape;
  cache->tensor.strides = cache->strides;
  cache->tensor.byte_offset = (uint64_t)offset * sizeof(float);
}

static void
append_make(struct append *append)
{
  const struct made_tensor *tensors[ARGS] = {[KEY] = &append->key,
      [VALUE] = &append->value,
      [BATCH] = &append->batch,
      [POSITIONS] = &append->positions,
      [K_CACHE] = &append->k_cache,
      [V_CACHE] = &append->v_cache,
      [INDICES] = &append->indices,
      [INDPTR] = &append->indptr};
  memset(append, 0, sizeof *append);
  tensor_make(&append->key, KILN_DTYPE_F32, 3, (int64_t[]){TOKENS, HEADS, DIM});
  tensor_make(&append->value, KILN_DTYPE_F32, 3, (int64_t[]){TOKENS, HEADS, DIM});
  tensor_make(&append->both, KILN_DTYPE_F32, 5, (int64_t[]){PAGES, 2, PAGE_SIZE, HEADS, DIM});
  for (int64_t i = 0; i < (int64_t)TOKENS * HEADS * DIM; i++) {
    ((float *)append->key.tensor.data)[i] = (float)(1 + i);
    ((float *)append->value.tensor.data)[i] = (float)(101 + i);
  }
  numbers(&append->batch, TOKENS, (int32_t[]){0, 0});
  numbers(&append->positions, TOKENS, (int32_t[]){0, 1});
  numbers(&append->indices, 1, (int32_t[]){2});
  numbers(&append->indptr, 2, (int32_t[]){0, 1});
  half(&append->k_cache, &append->both, 0);
  half(&append->v_cache, &append->both, PAGE);
  for (unsigned i = 0; i < ARGS; i++)
    if (tensors[i])
      append->values[i] = value_tensor(tensors[i]);
}

static void
append_free(struct append *append)
{
  free(append->key.tensor.data);
  free(append->value.tensor.data);
  free(append->batch.tensor.data);
  free(append->positions.tensor.data);
  free(append->both.tensor.data);
  free(append->indices.tensor.data);
  free(append->indptr.tensor.data);
}

static enum kiln_status
append_run(struct fixture *fixture, const struct append *append)
{
  const struct kiln_op *op = kiln_op_find("append_paged_kv_cache");
  return kiln_op_call(fixture->kiln, op, NULL, append->values, ARGS, &fixture->error);
}

static void
test_two_halves_of_one_tensor(void **state)
{
  struct append append;
  append_make(&append);
  for (int warm = 0; warm < 2; warm++)
    assert_int_equal(append_run(*state, &append), KILN_OK);
  const float *pages = append.both.tensor.data;
  for (int64_t i = 0; i < (int64_t)PAGES * 2 * PAGE; i++) {
    const int64_t half_of = i / PAGE, in = i % PAGE;
    const float want = half_of == 4 ? (float)(1 + in) : half_of == 5 ? (float)(101 + in) : 0;
    assert_true(pages[i] == want);
  }
  append_free(&append);
}

/* One element into the other half, from either side, and the very same memory. */
static void
test_halves_that_meet(void **state)
{
  static const int64_t offsets[][2] = {{0, PAGE - 1}, {0, PAGE + 1}, {0, 0}, {PAGE - 1, 0}, {2 * PAGE, 2 * PAGE}};
  struct fixture *fixture = *state;
  struct append append;
  append_make(&append);
  for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
    half(&append.k_cache, &append.both, offsets[i][0]);
    half(&append.v_cache, &append.both, offsets[i][1]);
    assert_int_equal(append_run(fixture, &append), KILN_ERROR_ARGUMENT);
    assert_non_null(strstr(fixture->error.what, "k_cache overlaps v_cache by "));
  }
  append_free(&append);
}

/* Keys behind the pages of keys, as if they were the other half, but in steps of their own. */
static void
test_other_steps(void **state)
{
  struct fixture *fixture = *state;
  struct append append;
  append_make(&append);
  struct kiln_tensor key = append.key.tensor;
  key.data = append.both.tensor.data;
  key.byte_offset = PAGE * sizeof(float);
  append.values[KEY].as.tensor = &key;
  assert_int_equal(append_run(fixture, &append), KILN_ERROR_ARGUMENT);
  assert_non_null(strstr(fixture->error.what, "k_cache overlaps append_key by "));
  append_free(&append);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_two_halves_of_one_tensor, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_halves_that_meet, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_other_steps, fixture_set_up, fixture_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
