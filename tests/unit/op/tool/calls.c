/*
 * Calls for other programs: what calls.json says of a trial, and that calls.bin has the elements, dense and in
 * canonical order, wherever they lay.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/json_read.h"
#include "op/tool/calls.h"
#include "os/file.h"
#include "registry/op.h"

struct fixture {
  struct kiln_trial trial;
  struct kiln_calls calls;
  struct cJSON *tree;
  struct kiln_buf data;
};

/* An op's own test with the given axes; made, added, written, read back. */
static void
save(struct fixture *fixture, unsigned sets)
{
  struct kiln_buf folder, path, text;
  struct kiln_error error = {0};
  kiln_buf_init(&folder);
  kiln_buf_init(&path);
  kiln_buf_init(&text);
  kiln_buf_init(&fixture->data);
  assert_int_equal(kiln_trial_make(&fixture->trial, &error), KILN_OK);
  kiln_calls_init(&fixture->calls);
  kiln_calls_add(&fixture->calls, &fixture->trial, sets);
  assert_int_equal(kiln_folder_make_private(kiln_folder_temporary(), "kiln-calls-", &folder, &error), KILN_OK);
  assert_int_equal(kiln_calls_write(&fixture->calls, kiln_buf_text(&folder), &error), KILN_OK);
  kiln_buf_printf(&path, "%s/calls.json", kiln_buf_text(&folder));
  assert_int_equal(kiln_file_read(kiln_buf_text(&path), 1 << 20, &text, &error), KILN_OK);
  assert_int_equal(kiln_json_parse(text.data, text.len, "calls", &fixture->tree, &error), KILN_OK);
  kiln_buf_clear(&path);
  kiln_buf_printf(&path, "%s/calls.bin", kiln_buf_text(&folder));
  assert_int_equal(kiln_file_read(kiln_buf_text(&path), 1 << 20, &fixture->data, &error), KILN_OK);
  kiln_folder_remove(kiln_buf_text(&folder), NULL);
  kiln_buf_release(&folder);
  kiln_buf_release(&path);
  kiln_buf_release(&text);
}

static void
release(struct fixture *fixture)
{
  kiln_json_free(fixture->tree);
  kiln_buf_release(&fixture->data);
  kiln_calls_release(&fixture->calls);
  kiln_trial_release(&fixture->trial);
}

static const struct cJSON *
argument(const struct fixture *fixture, const char *name)
{
  const struct cJSON *it = kiln_json_first(kiln_json_get(kiln_json_first(fixture->tree), "arguments"));
  while (it && strcmp(kiln_json_get_string(it, "name", ""), name) != 0)
    it = kiln_json_next(it);
  assert_non_null(it);
  return it;
}

static const struct cJSON *
tensor(const struct fixture *fixture, const char *name)
{
  return kiln_json_get(argument(fixture, name), "tensor");
}

static void
assert_integers(const struct cJSON *array, const int64_t *values, size_t count)
{
  const struct cJSON *it = kiln_json_first(array);
  assert_int_equal(kiln_json_count(array), count);
  for (size_t i = 0; i < count; i++, it = kiln_json_next(it))
    assert_int_equal((int64_t)kiln_json_as_double(it, -1), values[i]);
}

static void
append_trial(struct fixture *fixture)
{
  const struct kiln_op *op = kiln_op_find("append_paged_kv_cache");
  memset(fixture, 0, sizeof *fixture);
  kiln_trial_init(&fixture->trial, NULL, op, &op->tests[1]); /* 37 tokens, 3 heads of 64; 23 pages of 4; 5 requests */
}

static void
test_indices_are_the_data(void **state)
{
  (void)state;
  struct fixture fixture;
  append_trial(&fixture);
  save(&fixture, 7);
  assert_int_equal(kiln_json_get_int(kiln_json_first(fixture.tree), "sets", 0), 7);
  assert_string_equal(kiln_json_get_string(kiln_json_first(fixture.tree), "family", ""), "page");
  const int64_t begin = kiln_json_get_int(tensor(&fixture, "kv_indptr"), "at", -1);
  const int32_t expected[] = {0, 3, 7, 11, 15, 19};
  assert_true(begin >= 0 && (size_t)begin + sizeof expected <= fixture.data.len);
  assert_memory_equal(fixture.data.data + begin, expected, sizeof expected);
  assert_true(kiln_json_is_null(kiln_json_get(tensor(&fixture, "append_key"), "at")));
  assert_string_equal(kiln_json_get_string(argument(&fixture, "k_cache"), "output", ""), "new_k_cache");
  assert_string_equal(kiln_json_get_string(argument(&fixture, "v_cache"), "param", ""), "paged_kv_cache");
  assert_null(kiln_json_get_string(argument(&fixture, "kv_layout"), "input", NULL));
  release(&fixture);
}

static void
test_layouts_are_canonical(void **state)
{
  (void)state;
  struct fixture fixture;
  append_trial(&fixture);
  fixture.trial.layout = 1;
  save(&fixture, 0);
  const struct cJSON *cache = tensor(&fixture, "k_cache");
  assert_integers(kiln_json_get(cache, "shape"), (const int64_t[]){23, 4, 3, 64}, 4);
  assert_integers(kiln_json_get(cache, "strides"), (const int64_t[]){768, 64, 256, 1}, 4);
  assert_integers(kiln_json_get(cache, "order"), (const int64_t[]){0, 2, 1, 3}, 4);
  assert_null(kiln_json_get(kiln_json_first(fixture.tree), "sets"));
  release(&fixture);
}

/* Scores have empty states, which no random number is; and rows that lie apart become dense. */
static void
test_strided_reals_become_dense(void **state)
{
  (void)state;
  const struct kiln_op *op = kiln_op_find("merge_states");
  struct fixture fixture = {0};
  kiln_trial_init(&fixture.trial, NULL, op, &op->tests[1]); /* 7 tokens, 3 states, 3 heads of 111 */
  fixture.trial.form = KILN_FORM_ODD;
  save(&fixture, 0);
  const struct cJSON *s = tensor(&fixture, "s");
  const struct kiln_tensor *own = fixture.trial.values[1].as.tensor;
  const int64_t begin = kiln_json_get_int(s, "at", -1);
  const float *dense = (const float *)(const void *)(fixture.data.data + begin);
  assert_integers(kiln_json_get(s, "strides"), own->strides, 3);
  assert_true(own->strides[1] > 3);
  for (int64_t t = 0; t < 7; t++)
    for (int64_t i = 0; i < 3; i++)
      for (int64_t h = 0; h < 3; h++) {
        const float *element = (const float *)own->data + t * own->strides[0] + i * own->strides[1] + h;
        assert_memory_equal(element, &dense[(t * 3 + i) * 3 + h], sizeof *element);
      }
  release(&fixture);
}

static void
test_numbers_and_results_in_place(void **state)
{
  (void)state;
  const struct kiln_op *op = kiln_op_find("apply_rope_pos_ids");
  struct fixture fixture = {0};
  kiln_trial_init(&fixture.trial, NULL, op, &op->tests[5]); /* rope_scale 4, rope_theta 10000 */
  fixture.trial.in_place = true;
  save(&fixture, 0);
  assert_int_equal((int)kiln_json_get_double(argument(&fixture, "rope_scale"), "value", 0), 4);
  assert_true(kiln_json_is_null(kiln_json_get(argument(&fixture, "interleave"), "value")));
  assert_string_equal(kiln_json_get_string(tensor(&fixture, "q_rope"), "same_as", ""), "q");
  assert_true(kiln_json_is_null(kiln_json_get(tensor(&fixture, "q_rope"), "at")));
  assert_null(kiln_json_get_string(argument(&fixture, "q_rope"), "input", NULL));
  release(&fixture);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_indices_are_the_data),
      cmocka_unit_test(test_layouts_are_canonical),
      cmocka_unit_test(test_strided_reals_become_dense),
      cmocka_unit_test(test_numbers_and_results_in_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
