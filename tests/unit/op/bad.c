/* Every bad call that the tables allow to make is refused: by class, naming the argument, and nothing is written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "op/call.h"
#include "op/tool/bad.h"
#include "op/tool/run.h"
#include "registry/op.h"
#include "unit/jit/fixture.h"

static void
assert_refused(struct kiln_trial *trial, const struct kiln_bad_call *call)
{
  const struct kiln_op_request request = {trial->op, NULL, call->values, call->count, false};
  enum kiln_refusal refusal = KILN_REFUSED_NOT;
  struct kiln_error error = {0};
  const enum kiln_status status = kiln_op_invoke(trial->kiln, &request, &refusal, &error);
  if (status != KILN_ERROR_ARGUMENT || refusal != call->expect)
    fail_msg("%s: %s: status %d, class %d instead of %d: %s", trial->op->name, call->what, status, refusal,
        call->expect, error.what);
  if (call->arg < KILN_OP_ARGS && !strstr(error.what, trial->op->args[call->arg].name))
    fail_msg("%s: %s: the sentence does not name the argument: %s", trial->op->name, call->what, error.what);
  if (!*error.remedy)
    fail_msg("%s: %s: nothing says what to do", trial->op->name, call->what);
}

static unsigned
refuse_all(struct kiln_trial *trial)
{
  struct kiln_bad bad = {.trial = trial};
  struct kiln_bad_call call;
  struct kiln_error error = {0};
  unsigned count = 0;
  bool untouched;
  while (kiln_bad_next(&bad, &call)) {
    assert_refused(trial, &call);
    count++;
  }
  assert_int_equal(kiln_trial_untouched(trial, &untouched, &error), KILN_OK);
  assert_true(untouched);
  return count;
}

/* Cold, and again when the good call is known. */
static void
test_every_bad_call_is_refused(void **state)
{
  struct fixture *fixture = *state;
  const struct kiln_op *op;
  for (size_t i = 0; (op = kiln_op_at(i)) != NULL; i++) {
    struct kiln_matrix matrix = {.op = op};
    struct kiln_trial trial;
    unsigned count = 0;
    while (kiln_matrix_next(&matrix, fixture->kiln, &trial)) {
      if (trial.in_place || kiln_trial_make(&trial, &fixture->error) != KILN_OK) {
        kiln_trial_release(&trial);
        continue;
      }
      count += refuse_all(&trial);
      if (kiln_trial_call(&trial, NULL, &fixture->error) != KILN_OK)
        fail_msg("%s: the good call is refused: %s", op->name, fixture->error.what);
      assert_int_equal(kiln_trial_reset(&trial, NULL), KILN_OK);
      count += refuse_all(&trial);
      kiln_trial_release(&trial);
    }
    printf("%s: %u bad calls refused\n", op->name, count);
    assert_true(count > 100);
  }
}

/* ---- rules: an axis moved out of each ---- */

/* The axis that others are needed for stays; what it needs goes. */
static bool
take_away(const struct kiln_rule *rule, struct kiln_trial *trial)
{
  trial->axis[rule->b] = 0;
  return !kiln_op_rule_holds(rule, trial->axis, trial->given | trial->set);
}

static bool
move_out(const struct kiln_rule *rule, struct kiln_trial *trial)
{
  static const int64_t steps[] = {1, -1, 3, 1 << 20};
  const int64_t was = trial->axis[rule->a];
  int64_t axes[KILN_OP_AXES];
  if (trial->op->axes[rule->a].kind == KILN_AXIS_DERIVED)
    return false;
  if (rule->kind == KILN_RULE_NEEDS)
    return take_away(rule, trial);
  for (size_t k = 0; k < 6; k++) {
    trial->axis[rule->a] = k < 4 ? was + steps[k] : k == 4 ? (int64_t)rule->hi + 1 : (int64_t)rule->lo - 1;
    memcpy(axes, trial->axis, sizeof axes);
    for (unsigned i = 1; i < trial->op->naxes; i++)
      if (trial->op->axes[i].kind == KILN_AXIS_DERIVED)
        (void)kiln_op_derive(trial->op, i, axes);
    if (trial->axis[rule->a] >= 0 && !kiln_op_rule_holds(rule, axes, trial->given | trial->set))
      return true;
  }
  return false;
}

static void
assert_rule_is_kept(struct fixture *fixture, const struct kiln_op *op, const struct kiln_rule *rule)
{
  struct kiln_trial trial;
  enum kiln_refusal refusal = KILN_REFUSED_NOT;
  kiln_trial_init(&trial, fixture->kiln, op, &op->tests[0]);
  trial.shapes_only = true;
  if (!rule->a || !move_out(rule, &trial)) {
    assert_int_not_equal(rule->kind, KILN_RULE_NEEDS);
    return;
  }
  assert_int_equal(kiln_trial_make(&trial, &fixture->error), KILN_OK);
  const enum kiln_status status = kiln_trial_call(&trial, &refusal, &fixture->error);
  if (status != KILN_ERROR_ARGUMENT || (refusal != KILN_REFUSED_RULE && refusal != KILN_REFUSED_EXTENT))
    fail_msg("%s: a broken rule is class %d: %s", op->name, refusal, fixture->error.what);
  if (refusal == KILN_REFUSED_RULE)
    assert_non_null(strstr(fixture->error.what, op->axes[rule->a].name));
  kiln_trial_release(&trial);
}

static void
test_every_rule_is_kept(void **state)
{
  const struct kiln_op *op;
  for (size_t i = 0; (op = kiln_op_at(i)) != NULL; i++)
    for (const struct kiln_rule *rule = op->rules; rule && rule->kind; rule++)
      assert_rule_is_kept(*state, op, rule);
}

/* Each axis is one that may be, and their product is not. */
static void
test_rows_in_all_are_counted(void **state)
{
  static const struct kiln_case shapes[] = {{.axis = {0, 65536, 32768, 8}}, {.axis = {0, 2, 1 << 30, 8}}};
  struct fixture *fixture = *state;
  const struct kiln_op *op = kiln_op_find("rmsnorm");
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    struct kiln_trial trial;
    enum kiln_refusal refusal = KILN_REFUSED_NOT;
    kiln_trial_init(&trial, fixture->kiln, op, &shapes[i]);
    trial.shapes_only = true;
    assert_int_equal(kiln_trial_make(&trial, &fixture->error), KILN_OK);
    assert_int_equal(kiln_trial_call(&trial, &refusal, &fixture->error), KILN_ERROR_ARGUMENT);
    assert_int_equal(refusal, KILN_REFUSED_RULE);
    assert_non_null(strstr(fixture->error.what, "all_rows is 2147483648 (batch_size * num_heads); the op requires "));
    kiln_trial_release(&trial);
  }
}

/* ---- sizes beyond what kernels count ---- */

static enum kiln_status
any_cpu(void *context, struct kiln_tensor_device device, struct kiln_target *target, struct kiln_error *error)
{
  (void)context;
  (void)device;
  (void)error;
  *target = (struct kiln_target){KILN_BACKEND_CPU, 0};
  return KILN_OK;
}

/* Many of them are an int there: a larger one must not arrive as another number. Only what is a stride and nothing else
 * may be any size. */
static void
test_no_size_is_cut_off(void **state)
{
  struct fixture *fixture = *state;
  const struct kiln_op *op;
  for (size_t i = 0; (op = kiln_op_at(i)) != NULL; i++)
    for (unsigned axis = 1; axis < op->naxes; axis++) {
      struct kiln_prepared prepared;
      struct kiln_signature signature;
      struct kiln_trial trial;
      enum kiln_refusal refusal = KILN_REFUSED_NOT;
      const struct kiln_checker checker = {&prepared, any_cpu, NULL};
      if (op->axes[axis].kind == KILN_AXIS_DERIVED || strcmp(op->axes[axis].name, "max_position") == 0)
        continue;
      kiln_op_prepare(op, &prepared);
      kiln_trial_init(&trial, fixture->kiln, op, &op->tests[0]);
      trial.shapes_only = true;
      trial.axis[axis] = (INT64_C(1) << 32) + trial.axis[axis];
      assert_int_equal(kiln_trial_make(&trial, &fixture->error), KILN_OK);
      const enum kiln_status status =
          kiln_op_check(&checker, trial.values, op->nargs, &signature, &refusal, &fixture->error);
      if (status != KILN_ERROR_ARGUMENT || (refusal != KILN_REFUSED_RULE && refusal != KILN_REFUSED_RANGE))
        fail_msg("%s: %lld of %s: status %d, class %d: %s", op->name, (long long)trial.axis[axis], op->axes[axis].name,
            status, refusal, fixture->error.what);
      kiln_trial_release(&trial);
    }
}

/* A grid that no device has is refused by the driver; it must not become a smaller one on its way. */
static void
test_no_grid_is_cut_off(void **state)
{
  struct kiln_op_launch launch;
  (void)state;
  kiln_op_grid(&launch, (INT64_C(1) << 32) + 3, 1, 1, 256);
  assert_int_equal(launch.grid[0], UINT32_MAX);
  kiln_op_grid(&launch, INT32_MAX, 1, 1, 256);
  assert_int_equal(launch.grid[0], INT32_MAX);
}

/* ---- architectures ---- */

static enum kiln_status
old_gpu(void *context, struct kiln_tensor_device device, struct kiln_target *target, struct kiln_error *error)
{
  (void)context;
  (void)device;
  (void)error;
  *target = (struct kiln_target){KILN_BACKEND_CUDA, 61};
  return KILN_OK;
}

static void
test_unsupported_architecture(void **state)
{
  struct fixture *fixture = *state;
  const struct kiln_op *op;
  for (size_t i = 0; (op = kiln_op_at(i)) != NULL; i++) {
    struct kiln_prepared prepared;
    struct kiln_signature signature;
    struct kiln_trial trial;
    enum kiln_refusal refusal;
    const struct kiln_checker checker = {&prepared, old_gpu, NULL};
    kiln_op_prepare(op, &prepared);
    kiln_trial_init(&trial, fixture->kiln, op, &op->tests[0]);
    trial.shapes_only = true;
    assert_int_equal(kiln_trial_make(&trial, &fixture->error), KILN_OK);
    assert_int_equal(kiln_op_check(&checker, trial.values, op->nargs, &signature, &refusal, &fixture->error),
        KILN_ERROR_ENVIRONMENT);
    assert_int_equal(refusal, KILN_REFUSED_ARCH);
    assert_non_null(strstr(fixture->error.what, "no variant for sm61; variants: "));
    kiln_trial_release(&trial);
  }
}

/* Kernels that are compiled quickly: speed is not the subject. */
static int
set_up(void **state)
{
  const int failed = fixture_set_up(state);
  struct fixture *fixture = *state;
  fixture->options.extra_flags = "-O0";
  fixture_open(fixture);
  return failed;
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_every_bad_call_is_refused, set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_every_rule_is_kept, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_rows_in_all_are_counted, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_no_size_is_cut_off, fixture_set_up, fixture_tear_down),
      cmocka_unit_test(test_no_grid_is_cut_off),
      cmocka_unit_test_setup_teardown(test_unsupported_architecture, fixture_set_up, fixture_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
