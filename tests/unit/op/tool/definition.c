/*
 * The trace definition of every op: obeys the rules of its readers for every shape and dtype, and says of a call what
 * the op itself says: an oracle that knows nothing but the definition accepts and refuses the same shapes and dtypes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "op/call.h"
#include "op/tool/bad.h"
#include "op/tool/page.h"
#include "op/tool/run.h"
#include "registry/op.h"

/* ---- what the definition alone says of a call ---- */

struct oracle {
  const struct cJSON *definition;
  const char *names[64];
  int64_t values[64];
  unsigned count;
};

static bool
agree(struct oracle *oracle, const char *axis, int64_t extent)
{
  const struct cJSON *declared = kiln_json_get(kiln_json_get(oracle->definition, "axes"), axis);
  const int64_t fixed = kiln_json_get_int(declared, "value", -1);
  if (fixed >= 0 && fixed != extent)
    return false;
  for (unsigned i = 0; i < oracle->count; i++)
    if (strcmp(oracle->names[i], axis) == 0)
      return oracle->values[i] == extent;
  oracle->names[oracle->count] = axis;
  oracle->values[oracle->count++] = extent;
  return extent >= 0;
}

static bool
takes_tensor(struct oracle *oracle, const struct cJSON *declared, const struct kiln_tensor *tensor)
{
  const struct cJSON *shape = kiln_json_get(declared, "shape");
  const char *wanted = kiln_json_get_string(declared, "dtype", "");
  const enum kiln_dtype dtype = kiln_dtype_of_tensor(tensor->type);
  int32_t d = 0;
  if (strcmp(dtype == KILN_DTYPE_U8 ? "int8" : kiln_dtype_name(dtype), wanted) != 0)
    return false;
  if (!tensor->shape || kiln_json_count(shape) != (size_t)tensor->ndim)
    return false;
  for (const struct cJSON *axis = kiln_json_first(shape); axis; axis = kiln_json_next(axis), d++)
    if (!agree(oracle, kiln_json_as_string(axis, ""), tensor->shape[d]))
      return false;
  return true;
}

static const struct cJSON *
declaration(const struct cJSON *definition, const struct kiln_arg *arg)
{
  const struct cJSON *input = kiln_json_get(kiln_json_get(definition, "inputs"), arg->trace ? arg->trace : arg->name);
  return input ? input : kiln_json_get(kiln_json_get(definition, "outputs"), arg->name);
}

static int64_t
value_of(const struct oracle *oracle, const char *axis)
{
  for (unsigned i = 0; i < oracle->count; i++)
    if (strcmp(oracle->names[i], axis) == 0)
      return oracle->values[i];
  return -1;
}

/* Extents that are another axis and a number: "len_indptr_0 == batch_size + 1". */
static bool
keeps_extents(const struct oracle *oracle)
{
  const struct cJSON *all = kiln_json_get(oracle->definition, "constraints");
  for (const struct cJSON *one = kiln_json_first(all); one; one = kiln_json_next(one)) {
    char left[64], right[64];
    long long add;
    if (sscanf(kiln_json_as_string(one, ""), "%63[a-z0-9_] == %63[a-z0-9_] + %lld", left, right, &add) != 3)
      continue;
    const int64_t got = value_of(oracle, left), from = value_of(oracle, right);
    if (got >= 0 && from >= 0 && got != from + add)
      return false;
  }
  return true;
}

/* Tensors only: numbers have no range in a definition, and layouts are tags. */
static bool
oracle_accepts(const struct cJSON *definition, const struct kiln_op *op, const struct kiln_value *values)
{
  struct oracle oracle = {.definition = definition};
  for (unsigned i = 0; i < op->nargs; i++)
    if (values[i].tag == KILN_VALUE_TENSOR && declaration(definition, &op->args[i]) &&
        !takes_tensor(&oracle, declaration(definition, &op->args[i]), values[i].as.tensor))
      return false;
  return keeps_extents(&oracle);
}

/* ---- the op's own check ---- */

static enum kiln_status
cpu_target(void *context, struct kiln_tensor_device device, struct kiln_target *target, struct kiln_error *error)
{
  (void)context;
  (void)device;
  (void)error;
  *target = (struct kiln_target){KILN_BACKEND_CPU, 0};
  return KILN_OK;
}

static bool
op_accepts(const struct kiln_op *op, const struct kiln_value *values, unsigned count)
{
  static struct kiln_signature signature;
  struct kiln_prepared prepared;
  const struct kiln_checker checker = {&prepared, cpu_target, NULL};
  kiln_op_prepare(op, &prepared);
  return kiln_op_check(&checker, values, count, &signature, NULL, NULL) == KILN_OK;
}

/* ---- every trial of every table ---- */

/* Extents of arguments with another layout come in another order than the definition has, and it has no dimension that
 * may be absent. */
static bool
is_comparable(const struct kiln_trial *trial)
{
  return trial->layout == 0 && !trial->in_place && kiln_trial_absent(trial) == kiln_op_absent_axis(trial->op);
}

static void
compare(const struct kiln_trial *trial, const struct cJSON *definition)
{
  const struct kiln_op *op = trial->op;
  struct kiln_bad bad = {.trial = trial};
  static struct kiln_bad_call call;
  assert_true(op_accepts(op, trial->values, op->nargs));
  if (!oracle_accepts(definition, op, trial->values))
    fail_msg("%s: the definition refuses what the op takes", op->name);
  while (kiln_bad_next(&bad, &call)) {
    const bool at_least = bad.arg < op->nargs && op->args[bad.arg].flags & KILN_AT_LEAST;
    if ((call.expect != KILN_REFUSED_DTYPE && call.expect != KILN_REFUSED_RANK && call.expect != KILN_REFUSED_EXTENT) ||
        at_least)
      continue;
    assert_false(op_accepts(op, call.values, call.count));
    if (oracle_accepts(definition, op, call.values))
      fail_msg("%s: the definition takes what the op refuses: %s", op->name, call.what);
  }
}

static void
test_definitions_say_what_ops_say(void **state)
{
  const struct kiln_op *op;
  (void)state;
  for (size_t i = 0; (op = kiln_op_at(i)) != NULL; i++) {
    struct kiln_matrix matrix = {.op = op};
    struct kiln_trial trial;
    while (kiln_matrix_next(&matrix, NULL, &trial)) {
      struct kiln_buf text;
      struct cJSON *tree;
      trial.shapes_only = true;
      assert_int_equal(kiln_trial_make(&trial, NULL), KILN_OK);
      kiln_buf_init(&text);
      kiln_definition_write(&trial, "def run():\n    pass\n", &text);
      assert_int_equal(kiln_json_parse(text.data, text.len, "definition", &tree, NULL), KILN_OK);
      if (is_comparable(&trial))
        compare(&trial, tree);
      kiln_json_free(tree);
      kiln_buf_release(&text);
      kiln_trial_release(&trial);
    }
  }
}

/* ---- the check of definitions ---- */

#define GOOD                                                                                                           \
  "{\"name\": \"a_h4\", \"description\": \"d\", \"op_type\": \"t\", \"axes\": {\"n\": {\"type\": \"var\", "            \
  "\"description\": \"d\"}, \"h\": {\"type\": \"const\", \"value\": 4, \"description\": \"d\"}}, \"inputs\": {\"x\": " \
  "{\"shape\": [\"n\", \"h\"], \"dtype\": \"bfloat16\", \"description\": \"d\"}}, \"outputs\": {\"y\": {\"shape\": "   \
  "[\"n\"], \"dtype\": \"float32\", \"description\": \"d\"}}, \"reference\": \"import torch\\n\\ndef run(x):\\n  "     \
  "return x\\n\"}"

/* GOOD with the first `from` replaced. */
static void
refused(const char *from, const char *to, const char *words)
{
  struct kiln_error error = {0};
  struct kiln_buf text;
  const char *at = strstr(GOOD, from);
  kiln_buf_init(&text);
  assert_non_null(at);
  kiln_buf_append(&text, GOOD, (size_t)(at - GOOD));
  kiln_buf_text_append(&text, to);
  kiln_buf_text_append(&text, at + strlen(from));
  assert_int_equal(kiln_definition_check(text.data, text.len, &error), KILN_ERROR_FORMAT);
  if (!strstr(error.what, words))
    fail_msg("'%s' is not in: %s", words, error.what);
  kiln_buf_release(&text);
}

static void
test_broken_definitions_are_refused(void **state)
{
  (void)state;
  assert_int_equal(kiln_definition_check(GOOD, strlen(GOOD), NULL), KILN_OK);
  refused("\"name\": \"a_h4\", ", "", "no name");
  refused("\"value\": 4, ", "", "'h' of type const without a value");
  refused("\"type\": \"var\"", "\"type\": \"free\"", "'n' that is neither");
  refused("\"n\", \"h\"", "\"n\", \"hidden\"", "'hidden' of 'x'");
  refused("bfloat16", "float64", "'float64'");
  refused("{\"y\"", "{\"x\"", "'x' as input and as output");
  refused("def run(x)", "def walk(x)", "'run'");
  refused("def run(x)", "def run(y)", "'y' as parameter of run");
  refused("def run(x)", "def run()", "'x' that is no parameter");
  refused("def run(x)", "def run(x: float = f(1, 2), more=3)", "'more'");
  refused("\"reference\"", "\"referense\"", "no reference");
  refused("}}, \"outputs\": {\"y\": {\"shape\": [\"n\"], \"dtype\": \"float32\", \"description\": \"d\"}}", "}}",
      "no outputs");
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_definitions_say_what_ops_say),
      cmocka_unit_test(test_broken_definitions_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
