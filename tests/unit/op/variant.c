/* Targets and their names, which variant runs where, and the name of a kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "op/variant.h"
#include "registry/op.h"

static void
test_targets(void **state)
{
  static const struct {
    const char *text, *name;
  } good[] = {{"cpu", "cpu"}, {"sm80", "sm80"}, {"sm_89", "sm89"}, {"90a", "sm90a"}, {"sm90", "sm90a"},
      {"sm_100a", "sm100a"}, {"sm120a", "sm120a"}};
  static const char *const bad[] = {
      "", "tpu", "sm", "sm_", "9", "sm90b", "sm90a+", "sm-80", "smsm80", "compute_90", "80 "};
  struct kiln_target target;
  char name[12];
  (void)state;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    assert_true(kiln_target_parse(good[i].text, &target));
    assert_string_equal(kiln_target_name(&target, name), good[i].name);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (kiln_target_parse(bad[i], &target))
      fail_msg("'%s' is a target", bad[i]);
}

static bool
runs(const char *archs, unsigned cc)
{
  const struct kiln_variant variant = {"v", KILN_BACKEND_CUDA, archs, "e", .needs = NULL};
  const struct kiln_target target = {KILN_BACKEND_CUDA, (uint16_t)cc};
  return kiln_variant_runs_on(&variant, &target);
}

static void
test_architectures(void **state)
{
  const struct kiln_variant cpu = {"v", KILN_BACKEND_CPU, NULL, "e", .needs = NULL};
  const struct kiln_target here = {KILN_BACKEND_CPU, 0}, gpu = {KILN_BACKEND_CUDA, 90};
  (void)state;
  assert_true(runs("sm80+", 80) && runs("sm80+", 120) && !runs("sm80+", 75));
  assert_true(runs("sm90a", 90) && !runs("sm90a", 100) && !runs("sm90a", 89));
  assert_true(runs("sm90a sm100a", 100) && runs("sm90a  sm120+", 121) && !runs("sm90a sm100a", 120));
  assert_false(runs("", 90) || runs(NULL, 90) || runs("cpu", 90) || runs("90", 90));
  assert_true(kiln_variant_runs_on(&cpu, &here));
  assert_false(kiln_variant_runs_on(&cpu, &gpu));
}

/* What fits is taken, in the order of the table; alignment of every typed tensor counts, and of every outer stride. */
static void
test_picking(void **state)
{
  const struct kiln_op *op = kiln_op_find("rmsnorm");
  const struct kiln_target gpu = {KILN_BACKEND_CUDA, 90}, old = {KILN_BACKEND_CUDA, 70};
  struct kiln_checked checked = {.op = op, .given = 7, .tensors = 7, .axis = {0, 4, 1, 64, 4}};
  uintptr_t address[KILN_OP_ARGS] = {64, 128, 256};
  bool any;
  (void)state;
  for (int i = 0; i < 3; i++) {
    checked.dtype[i] = KILN_DTYPE_BF16;
    checked.stride[i][0] = checked.stride[i][1] = i < 2 ? 64 : 1;
    checked.stride[i][2] = 1;
  }
  assert_string_equal(kiln_variant_pick(&checked, &gpu, 7, address, &any)->name, "vec");
  address[2] = 258;
  assert_string_equal(kiln_variant_pick(&checked, &gpu, 7, address, &any)->name, "row");
  address[2] = 256;
  checked.stride[1][0] = 65;
  assert_string_equal(kiln_variant_pick(&checked, &gpu, 7, address, &any)->name, "row");
  checked.stride[1][0] = 72;
  assert_string_equal(kiln_variant_pick(&checked, &gpu, 7, address, &any)->name, "vec");
  checked.stride[0][1] = 68;
  assert_string_equal(kiln_variant_pick(&checked, &gpu, 7, address, &any)->name, "row");
  checked.stride[0][1] = 64;
  checked.axis[3] = 60;
  assert_string_equal(kiln_variant_pick(&checked, &gpu, 7, address, &any)->name, "row");
  assert_true(any);
  assert_null(kiln_variant_pick(&checked, &old, 7, address, &any));
  assert_false(any);
}

static void
test_uri(void **state)
{
  const struct kiln_op *op = kiln_op_find("rmsnorm");
  const struct kiln_target gpu = {KILN_BACKEND_CUDA, 90};
  const struct kiln_value values[KILN_OP_ARGS] = {{0}};
  struct kiln_checked checked = {.op = op, .axis = {0, 4, 1, 64, 4}, .type = {KILN_DTYPE_BF16}};
  struct kiln_buf uri;
  (void)state;
  kiln_buf_init(&uri);
  checked.variant = &op->variants[0];
  kiln_variant_uri(&checked, &gpu, values, &uri);
  assert_string_equal(uri.data, "rmsnorm.vec@sm90a_T.bfloat16_h64");
  kiln_buf_clear(&uri);
  checked.variant = &op->variants[2];
  kiln_variant_uri(&checked, &gpu, values, &uri);
  assert_string_equal(uri.data, "rmsnorm.row@sm90a_T.bfloat16");
  kiln_buf_release(&uri);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_targets),
      cmocka_unit_test(test_architectures),
      cmocka_unit_test(test_picking),
      cmocka_unit_test(test_uri),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
