/*
 * An op as a function of tvm-ffi, without tvm-ffi: arguments in every form it has, errors by kind, and the same calls
 * accepted and refused as through the C entry.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json_read.h"
#include "op/ffi.h"
#include "op/tool/bad.h"
#include "op/tool/run.h"
#include "registry/op.h"
#include "unit/jit/fixture.h"
#include "unit/op/tensors.h"

static char last_kind[32], last_message[1024];

static void
set_error(const char *kind, const char *message)
{
  snprintf(last_kind, sizeof last_kind, "%s", kind);
  snprintf(last_message, sizeof last_message, "%s", message);
}

static const struct kiln_ffi_host host = {set_error, NULL};

/* An object of tvm-ffi that holds a tensor, as Python passes it. */
struct tensor_object {
  struct kiln_ffi_object head;
  struct kiln_tensor tensor;
};

static struct kiln_ffi_any
any_of(const struct kiln_value *value, struct tensor_object *object)
{
  struct kiln_ffi_any any = {0};
  switch (value->tag) {
  case KILN_VALUE_TENSOR:
    any.type = KILN_FFI_TENSOR_POINTER;
    any.as.pointer = (void *)(uintptr_t)value->as.tensor;
    if (object && value->as.tensor) {
      object->head.type = any.type = KILN_FFI_TENSOR_OBJECT;
      object->tensor = *value->as.tensor;
      any.as.pointer = object;
    }
    break;
  case KILN_VALUE_INT:
    any.type = KILN_FFI_INT;
    any.as.integer = value->as.integer;
    break;
  case KILN_VALUE_BOOL:
    any.type = KILN_FFI_BOOL;
    any.as.integer = value->as.integer;
    break;
  case KILN_VALUE_REAL:
    any.type = KILN_FFI_FLOAT;
    any.as.real = value->as.real;
    break;
  case KILN_VALUE_TEXT:
    any.type = KILN_FFI_RAW_TEXT;
    any.as.text = value->as.text;
    break;
  case KILN_VALUE_NONE:
    break;
  default:
    any.type = 4; /* a pointer that says nothing */
  }
  return any;
}

/* ---- rmsnorm by hand ---- */

struct hand {
  struct made_tensor out, input, weight;
  struct kiln_ffi_any args[4], result;
};

static void
hand_make(struct hand *hand)
{
  memset(hand, 0, sizeof *hand);
  tensor_make(&hand->out, KILN_DTYPE_F32, 2, (int64_t[]){2, 4});
  tensor_make(&hand->input, KILN_DTYPE_F32, 2, (int64_t[]){2, 4});
  tensor_make(&hand->weight, KILN_DTYPE_F32, 1, (int64_t[]){4});
  for (int64_t i = 0; i < 8; i++)
    kiln_dtype_store(KILN_DTYPE_F32, hand->input.tensor.data, i, i % 2 ? 3 : -3);
  for (int64_t i = 0; i < 4; i++)
    kiln_dtype_store(KILN_DTYPE_F32, hand->weight.tensor.data, i, (double)i);
  const struct made_tensor *const tensors[] = {&hand->out, &hand->input, &hand->weight};
  for (int i = 0; i < 3; i++)
    hand->args[i] = any_of(&(struct kiln_value){KILN_VALUE_TENSOR, {.tensor = &tensors[i]->tensor}}, NULL);
}

static void
hand_free(struct hand *hand)
{
  free(hand->out.tensor.data);
  free(hand->input.tensor.data);
  free(hand->weight.tensor.data);
}

static int
hand_call(struct hand *hand, int32_t count)
{
  hand->result.type = -7;
  return kiln_ffi_call(kiln_op_find("rmsnorm"), hand->args, count, &hand->result);
}

static void
test_pointers_and_left_out_arguments(void **state)
{
  struct hand hand;
  (void)state;
  hand_make(&hand);
  assert_int_equal(hand_call(&hand, 3), 0); /* eps is left out */
  assert_int_equal(hand.result.type, KILN_FFI_NONE);
  assert_int_equal(hand.result.padding, 0);
  assert_true(kiln_dtype_load(KILN_DTYPE_F32, hand.out.tensor.data, 3) > 2.99);
  assert_int_equal(hand_call(&hand, 4), 0); /* eps is None */
  hand.args[3] = (struct kiln_ffi_any){.type = KILN_FFI_INT, .as.integer = 1};
  assert_int_equal(hand_call(&hand, 4), 0); /* an int for a float */
  assert_true(kiln_dtype_load(KILN_DTYPE_F32, hand.out.tensor.data, 3) < 2.99);
  hand_free(&hand);
}

static void
test_byte_offset_and_no_strides(void **state)
{
  struct hand hand;
  (void)state;
  hand_make(&hand);
  hand.weight.tensor.byte_offset = 16;
  hand.weight.tensor.data = (char *)hand.weight.tensor.data - 16;
  hand.input.tensor.strides = NULL;
  assert_int_equal(hand_call(&hand, 3), 0);
  assert_true(kiln_dtype_load(KILN_DTYPE_F32, hand.out.tensor.data, 3) > 2.99);
  hand.weight.tensor.data = (char *)hand.weight.tensor.data + 16;
  hand_free(&hand);
}

static void
assert_kind(struct hand *hand, int32_t count, const char *kind, const char *words)
{
  assert_int_equal(hand_call(hand, count), -1);
  assert_string_equal(last_kind, kind);
  if (!strstr(last_message, words))
    fail_msg("'%s' is not in: %s", words, last_message);
}

static void
test_kinds_of_errors(void **state)
{
  struct hand hand;
  (void)state;
  hand_make(&hand);
  assert_kind(&hand, 2, "TypeError", "weight (argument 2) is missing");
  hand.args[2].type = 71;
  assert_kind(&hand, 3, "TypeError", "is something else; expected a tensor");
  hand_free(&hand);
  hand_make(&hand);
  hand.args[3] = (struct kiln_ffi_any){.type = KILN_FFI_FLOAT, .as.real = -1};
  assert_kind(&hand, 4, "ValueError", "eps is -1");
  hand.weight.shape[0] = 5;
  assert_kind(&hand, 3, "ValueError", "weight.shape[0] is 5, but out.shape[1] made hidden_size 4");
  hand.input.tensor.type.bits = 64;
  assert_kind(&hand, 3, "TypeError", "input has dtype");
  hand_free(&hand);
  struct kiln_ffi_any many[40] = {{0}};
  assert_int_equal(kiln_ffi_call(kiln_op_find("rmsnorm"), many, 40, &many[0]), -1);
  assert_string_equal(last_kind, "TypeError");
}

/* ---- every op: the FFI and the C entry accept and refuse the same ---- */

static int
by_ffi(const struct kiln_op *op, const struct kiln_value *values, unsigned count, bool objects)
{
  static struct tensor_object object[KILN_OP_ARGS + 1];
  struct kiln_ffi_any args[KILN_OP_ARGS + 1], result = {0};
  unsigned n = 0;
  for (unsigned i = 0; i < count; i++) {
    if (i < op->nargs && op->args[i].flags & KILN_PAIR && values[i].tag != KILN_VALUE_NONE)
      return 2; /* two tensors are one parameter: see the test of pairs */
    args[n] = any_of(i < KILN_OP_ARGS ? &values[i] : &values[0], objects ? &object[n] : NULL);
    n++;
  }
  return kiln_ffi_call(op, args, (int32_t)n, &result);
}

static void
assert_same(struct kiln_trial *trial, const struct kiln_value *values, unsigned count, const char *what)
{
  const struct kiln_op *op = trial->op;
  struct kiln_error error = {0};
  const bool c = kiln_op_call(trial->kiln, op, NULL, values, count, &error) == KILN_OK;
  for (int objects = 0; objects < 2; objects++) {
    const int ffi = by_ffi(op, values, count, objects);
    /* An FFI call may leave out the last arguments; a C call may not. */
    if (ffi != 2 && c != (ffi == 0) && count == op->nargs)
      fail_msg("%s: %s: C %s, FFI %s: %s / %s", op->name, what, c ? "accepts" : "refuses",
          ffi == 0 ? "accepts" : "refuses", error.what, last_message);
  }
}

static void
test_ffi_and_c_accept_the_same(void **state)
{
  struct fixture *fixture = *state;
  const struct kiln_op *op;
  for (size_t i = 0; (op = kiln_op_at(i)) != NULL; i++) {
    struct kiln_matrix matrix = {.op = op};
    struct kiln_trial trial;
    while (kiln_matrix_next(&matrix, fixture->kiln, &trial)) {
      if (kiln_trial_make(&trial, &fixture->error) == KILN_OK && trial.form < KILN_FORM_ALIGNED) {
        struct kiln_bad bad = {.trial = &trial};
        static struct kiln_bad_call call;
        assert_same(&trial, trial.values, op->nargs, "the good call");
        while (kiln_bad_next(&bad, &call))
          assert_same(&trial, call.values, call.count, call.what);
      }
      kiln_trial_release(&trial);
    }
  }
}

/* ---- metadata ---- */

static void
test_schemas_are_json(void **state)
{
  const struct kiln_op *op;
  (void)state;
  for (size_t i = 0; (op = kiln_op_at(i)) != NULL; i++) {
    struct kiln_buf text;
    struct cJSON *tree;
    unsigned parameters = op->nargs;
    kiln_buf_init(&text);
    kiln_ffi_schema(op, &text);
    assert_int_equal(kiln_json_parse(text.data, text.len, "schema", &tree, NULL), KILN_OK);
    assert_string_equal(kiln_json_get_string(tree, "type", ""), "ffi.Function");
    for (unsigned k = 0; k < op->nargs; k++)
      parameters -= op->args[k].flags & KILN_PAIR ? 1 : 0;
    assert_int_equal(kiln_json_count(kiln_json_get(tree, "args")), 1 + parameters);
    kiln_json_free(tree);
    kiln_buf_release(&text);
  }
}

static int
set_up(void **state)
{
  kiln_ffi_set_host(&host);
  const int failed = fixture_set_up(state);
  struct fixture *fixture = *state;
  /* One store for both ways, and kernels that are compiled quickly: speed is not the subject. */
  fixture->options.cache_folder = getenv("KILN_CACHE_DIR");
  fixture->options.compiler = "cc";
  fixture->options.extra_flags = "-O0";
  fixture_open(fixture);
  return failed;
}

static int
tear_down(void **state)
{
  kiln_ffi_set_host(NULL);
  return fixture_tear_down(state);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_pointers_and_left_out_arguments, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_byte_offset_and_no_strides, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_kinds_of_errors, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_ffi_and_c_accept_the_same, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_schemas_are_json, set_up, tear_down),
  };
  /* The kiln of the process is made once, from the environment, and has no end. */
  struct kiln_buf folder;
  kiln_buf_init(&folder);
  if (kiln_folder_make_private("/tmp", "kiln-test-", &folder, NULL) != KILN_OK)
    return 1;
  setenv("KILN_CACHE_DIR", folder.data, 1);
  setenv("KILN_LIBEXEC", KILN_BINARY_DIR "/bin", 1);
  setenv("KILN_CC", "cc", 1);
  setenv("KILN_EXTRA_FLAGS", "-O0", 1);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  kiln_folder_remove(folder.data, NULL);
  kiln_buf_release(&folder);
  return failed;
}
