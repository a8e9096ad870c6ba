#include "unit/probe/rules/judged.h"

#include "probe/rules/moved.h"

static void
a_build_moves_only_within_its_slot(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  struct kiln_model *cold = made_cold(report, 0);
  made_build(cold, "m", A, 1, 10, 5);
  struct kiln_model_build warm = cold->builds[0];
  warm.identity = B;
  assert_ptr_equal(kiln_moved_from(cold, &warm), &cold->builds[0]);
  warm.block_dim = 64;
  assert_null(kiln_moved_from(cold, &warm));
  warm.block_dim = 1;
  warm.device = "cuda:0";
  assert_null(kiln_moved_from(cold, &warm));
  warm.device = "cpu";
  warm.result = KILN_BUILD_CACHED;
  assert_null(kiln_moved_from(cold, &warm));
  warm.result = KILN_BUILD_COMPILED;
  warm.identity = A;
  assert_null(kiln_moved_from(cold, &warm));
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_build_moves_only_within_its_slot)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
