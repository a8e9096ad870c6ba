/*
 * A dimension that may be absent, on rmsnorm: rows or heads of tokens, both outer strides free, all tensors alike; what
 * was checked without the dimension is not taken for a call with it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "kiln/op.h"
#include "op/call.h"
#include "registry/op.h"
#include "unit/jit/fixture.h"
#include "unit/op/tensors.h"

enum { OUT, INPUT, WEIGHT, EPS, ARGS };
enum { TOKENS = 5, QUERIES = 3, KEYS = 2, WIDTH = 8, TOKEN = (QUERIES + 2 * KEYS) * WIDTH };

/* The projection of TOKENS tokens: QUERIES heads of queries, KEYS of keys, KEYS of values. */
struct qkv {
  struct made_tensor all, weight, out, in;
  struct kiln_value values[ARGS];
};

/* Heads `first` to `first + heads` of each token. */
static void
slice(struct made_tensor *part, const struct made_tensor *all, int64_t first, int64_t heads)
{
  *part = *all;
  memcpy(part->shape, (int64_t[]){TOKENS, heads, WIDTH}, 3 * sizeof(int64_t));
  memcpy(part->strides, (int64_t[]){TOKEN, WIDTH, 1}, 3 * sizeof(int64_t));
  part->tensor.ndim = 3;
  part->tensor.shape = part->shape;
  part->tensor.strides = part->strides;
  part->tensor.byte_offset = (uint64_t)(first * WIDTH) * sizeof(float);
}

static void
qkv_make(struct qkv *qkv, int64_t first, int64_t heads)
{
  memset(qkv, 0, sizeof *qkv);
  tensor_make(&qkv->all, KILN_DTYPE_F32, 2, (int64_t[]){TOKENS, TOKEN});
  tensor_make(&qkv->weight, KILN_DTYPE_F32, 1, (int64_t[]){WIDTH});
  for (int i = 0; i < TOKENS * TOKEN; i++)
    ((float *)qkv->all.tensor.data)[i] = (float)(i % 23) - 11;
  for (int i = 0; i < WIDTH; i++)
    ((float *)qkv->weight.tensor.data)[i] = (float)(1 + i);
  slice(&qkv->in, &qkv->all, first, heads);
  slice(&qkv->out, &qkv->all, first, heads);
  qkv->values[OUT] = value_tensor(&qkv->out);
  qkv->values[INPUT] = value_tensor(&qkv->in);
  qkv->values[WEIGHT] = value_tensor(&qkv->weight);
}

static void
qkv_free(struct qkv *qkv)
{
  free(qkv->all.tensor.data);
  free(qkv->weight.tensor.data);
}

static enum kiln_status
run(struct fixture *fixture, const struct kiln_value *values)
{
  return kiln_op_call(fixture->kiln, kiln_op_find("rmsnorm"), NULL, values, ARGS, &fixture->error);
}

static void
assert_refused(struct fixture *fixture, const struct kiln_value *values, const char *words)
{
  assert_int_equal(run(fixture, values), KILN_ERROR_ARGUMENT);
  assert_string_equal(fixture->error.what, words);
}

/* Heads first … of what was (i % 23) - 11 are normalised, every other element is as it was. */
static void
assert_only_normalised(const struct qkv *qkv, int first, int heads)
{
  const float *data = qkv->all.tensor.data;
  for (int head = 0; head < TOKENS * TOKEN / WIDTH; head++) {
    const int place = head % (TOKEN / WIDTH), begin = head * WIDTH;
    const bool inside = place >= first && place < first + heads;
    double squares = 0;
    for (int i = 0; i < WIDTH; i++)
      squares += pow((begin + i) % 23 - 11, 2);
    for (int i = 0; i < WIDTH; i++) {
      const double was = (begin + i) % 23 - 11, scale = (1 + i) / sqrt(squares / WIDTH + 1e-6);
      assert_true(fabs((double)data[begin + i] - (inside ? was * scale : was)) < 1e-4);
    }
  }
}

/* Queries and keys of one projection, where they lie; again warm. */
static void
test_slices_of_a_projection(void **state)
{
  static const int parts[][2] = {{0, QUERIES}, {QUERIES, KEYS}, {QUERIES + KEYS, KEYS}, {1, 1}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    for (int again = 0; again < 2; again++) {
      struct qkv qkv;
      qkv_make(&qkv, parts[i][0], parts[i][1]);
      assert_int_equal(run(*state, qkv.values), KILN_OK);
      assert_only_normalised(&qkv, parts[i][0], parts[i][1]);
      qkv_free(&qkv);
    }
}

/* Keys of the same tensor may be where queries are read; one head further they may not. */
static void
test_parts_of_one_tensor(void **state)
{
  struct qkv qkv;
  qkv_make(&qkv, 0, KEYS);
  slice(&qkv.out, &qkv.all, QUERIES, KEYS);
  assert_int_equal(run(*state, qkv.values), KILN_OK);
  slice(&qkv.out, &qkv.all, 1, KEYS);
  struct fixture *fixture = *state;
  assert_int_equal(run(fixture, qkv.values), KILN_ERROR_ARGUMENT);
  assert_non_null(strstr(fixture->error.what, "rmsnorm: out overlaps input by "));
  qkv_free(&qkv);
}

/* Heads in front of tokens, [heads, tokens, width] seen from the other side. */
static void
test_turned_dimensions(void **state)
{
  struct made_tensor in, out;
  struct qkv qkv;
  qkv_make(&qkv, 0, KEYS);
  tensor_make(&in, KILN_DTYPE_F32, 3, (int64_t[]){TOKENS, KEYS, WIDTH});
  tensor_make(&out, KILN_DTYPE_F32, 3, (int64_t[]){TOKENS, KEYS, WIDTH});
  in.strides[0] = WIDTH;
  in.strides[1] = (int64_t)TOKENS * WIDTH;
  for (int i = 0; i < KEYS * TOKENS * WIDTH; i++)
    ((float *)in.tensor.data)[i] = i / WIDTH % TOKENS == 3 && i / WIDTH / TOKENS == 1 ? 7 : -2;
  qkv.values[OUT] = value_tensor(&out);
  qkv.values[INPUT] = value_tensor(&in);
  assert_int_equal(run(*state, qkv.values), KILN_OK);
  for (int i = 0; i < TOKENS * KEYS * WIDTH; i++) {
    const float want = i / WIDTH == 3 * KEYS + 1 ? (float)(1 + i % WIDTH) : -(float)(1 + i % WIDTH);
    assert_true(fabsf(((float *)out.tensor.data)[i] - want) < 1e-4F);
  }
  free(in.tensor.data);
  free(out.tensor.data);
  qkv_free(&qkv);
}

/* One tensor with the dimension and one without, from either side, and ranks that neither has. */
static void
test_all_alike(void **state)
{
  const char *both = "[batch_size, hidden_size] or [batch_size, num_heads, hidden_size]";
  struct made_tensor two, three, four;
  struct qkv qkv;
  char words[300];
  qkv_make(&qkv, 0, 1);
  tensor_make(&two, KILN_DTYPE_F32, 2, (int64_t[]){TOKENS, WIDTH});
  tensor_make(&three, KILN_DTYPE_F32, 3, (int64_t[]){TOKENS, 1, WIDTH});
  tensor_make(&four, KILN_DTYPE_F32, 4, (int64_t[]){1, TOKENS, 1, WIDTH});
  qkv.values[OUT] = value_tensor(&two);
  qkv.values[INPUT] = value_tensor(&three);
  snprintf(words, sizeof words, "rmsnorm: input has 3 dimensions, but out has 2; expected %s, the same for both", both);
  assert_refused(*state, qkv.values, words);
  qkv.values[OUT] = value_tensor(&three);
  qkv.values[INPUT] = value_tensor(&two);
  snprintf(words, sizeof words, "rmsnorm: input has 2 dimensions, but out has 3; expected %s, the same for both", both);
  assert_refused(*state, qkv.values, words);
  qkv.values[INPUT] = value_tensor(&four);
  snprintf(words, sizeof words, "rmsnorm: input has 4 dimensions; expected %s", both);
  assert_refused(*state, qkv.values, words);
  qkv.values[OUT] = value_tensor(&qkv.weight);
  snprintf(words, sizeof words, "rmsnorm: out has 1 dimensions; expected %s", both);
  assert_refused(*state, qkv.values, words);
  free(two.tensor.data);
  free(three.tensor.data);
  free(four.tensor.data);
  qkv_free(&qkv);
}

/* The same memory with the dimension and without: two signatures, each found again; mixed calls in between. */
static void
test_ranks_are_told_apart_warm(void **state)
{
  struct fixture *fixture = *state;
  struct made_tensor in, out, in_rows, out_rows;
  struct qkv qkv;
  qkv_make(&qkv, 0, 1);
  tensor_make(&in, KILN_DTYPE_F32, 3, (int64_t[]){TOKENS, 1, WIDTH});
  tensor_make(&out, KILN_DTYPE_F32, 3, (int64_t[]){TOKENS, 1, WIDTH});
  in_rows = in;
  out_rows = out;
  in_rows.tensor.ndim = out_rows.tensor.ndim = 2;
  in_rows.tensor.shape = out_rows.tensor.shape = (int64_t[]){TOKENS, WIDTH};
  in_rows.tensor.strides = out_rows.tensor.strides = NULL;
  for (int i = 0; i < 12; i++) {
    const bool rows_in = i % 4 == 0 || i % 4 == 3, rows_out = i % 4 == 0 || i % 4 == 2;
    qkv.values[OUT] = value_tensor(rows_out ? &out_rows : &out);
    qkv.values[INPUT] = value_tensor(rows_in ? &in_rows : &in);
    assert_int_equal(run(fixture, qkv.values), rows_in == rows_out ? KILN_OK : KILN_ERROR_ARGUMENT);
  }
  free(in.tensor.data);
  free(out.tensor.data);
  qkv_free(&qkv);
}

/* Every row finds its token, whatever number of heads it is divided by. */
static void
test_many_heads(void **state)
{
  static const int64_t counts[] = {2, 3, 6, 7, 64, 100, 127, 128, 129, 641, 1000};
  enum { ROWS = 4000 };
  struct qkv qkv;
  qkv_make(&qkv, 0, 1);
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    const int64_t heads = counts[i], tokens = ROWS / heads;
    struct made_tensor in, out;
    tensor_make(&in, KILN_DTYPE_F32, 3, (int64_t[]){tokens, heads + 1, 1});
    tensor_make(&out, KILN_DTYPE_F32, 3, (int64_t[]){tokens, heads, 1});
    for (int64_t k = 0; k < tokens * (heads + 1); k++)
      ((float *)in.tensor.data)[k] = k % (heads + 1) == heads ? 0 : k / (heads + 1) % 2 ? 3 : -3;
    in.shape[1] = heads;
    qkv.weight.shape[0] = 1;
    qkv.values[OUT] = value_tensor(&out);
    qkv.values[INPUT] = value_tensor(&in);
    assert_int_equal(run(*state, qkv.values), KILN_OK);
    for (int64_t k = 0; k < tokens * heads; k++)
      assert_true(fabsf(((float *)out.tensor.data)[k] - (k / heads % 2 ? 1.0F : -1.0F)) < 1e-4F);
    free(in.tensor.data);
    free(out.tensor.data);
  }
  qkv_free(&qkv);
}

/* Nothing to do is done, and strides of it say nothing. */
static void
test_no_heads(void **state)
{
  struct made_tensor none;
  struct qkv qkv;
  qkv_make(&qkv, 0, 1);
  tensor_make(&none, KILN_DTYPE_F32, 3, (int64_t[]){TOKENS, 0, WIDTH});
  free(none.tensor.data);
  none.tensor.data = NULL;
  qkv.values[OUT] = qkv.values[INPUT] = value_tensor(&none);
  assert_int_equal(run(*state, qkv.values), KILN_OK);
  qkv_free(&qkv);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_slices_of_a_projection, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_parts_of_one_tensor, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_turned_dimensions, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_all_alike, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_ranks_are_told_apart_warm, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_many_heads, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_no_heads, fixture_set_up, fixture_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
