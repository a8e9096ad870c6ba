#include "unit/probe/report/drawn.h"

#include "probe/report/modules.h"

static void
sums_builds_and_loads_of_a_module(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(3);
  for (int i = 0; i < 3; i++) {
    struct kiln_model_build *build = made_build(made_cold(report, i), "a", "id1", 1, 10, 100 + 10 * (uint64_t)i);
    build->pch.wall_ns = 60 * MS;
    made_build(made_cold(report, i), "a", "id1", 2, 10, 20);
    made_load(made_cold(report, i), "a", "id1", 1, 200)->where = AT(7);
  }
  made_build(made_cold(report, 1), "b", "id2", 1, 300, 5);
  kiln_report_summarise(report);
  size_t count;
  bool failed;
  struct kiln_module_cost *costs = kiln_module_costs(&report->arms[0], &count, &failed);
  assert_false(failed);
  assert_int_equal(count, 2);
  assert_string_equal(costs[0].module, "a");
  assert_int_equal(costs[0].own_s.n, 3);
  assert_true(costs[0].own_s.median > 0.0699 && costs[0].own_s.median < 0.0701); /* 110 - 60 + 20 */
  assert_true(costs[0].own_s.lo > 0.0599 && costs[0].own_s.lo < 0.0601);
  assert_true(costs[0].header_s.median > 0.0599 && costs[0].header_s.median < 0.0601);
  assert_true(costs[0].load_s.median > 0.0009 && costs[0].load_s.median < 0.0011);
  assert_int_equal((int)costs[0].builds, 2);
  assert_int_equal((int)costs[0].loads, 1);
  assert_int_equal(costs[0].where.line, 7);
  assert_string_equal(costs[1].module, "b");
  assert_int_equal(costs[1].own_s.n, 1);
  free(costs);
  kiln_report_free(report);
}

static void
invalid_samples_and_cached_builds_do_not_count(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(2);
  made_build(made_cold(report, 0), "a", "id", 1, 10, 100);
  made_build(made_cold(report, 0), "c", "id", 1, 10, 100)->result = KILN_BUILD_CACHED;
  made_build(made_cold(report, 1), "a", "id", 1, 10, 900);
  report->arms[0].samples[1].valid = false;
  kiln_report_summarise(report);
  size_t count;
  bool failed;
  struct kiln_module_cost *costs = kiln_module_costs(&report->arms[0], &count, &failed);
  assert_int_equal(count, 1);
  assert_int_equal(costs[0].own_s.n, 1);
  assert_true(costs[0].own_s.median < 0.2);
  free(costs);
  kiln_report_free(report);
}

static void
nothing_built_is_no_row(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  size_t count = 7;
  bool failed = true;
  assert_null(kiln_module_costs(&report->arms[0], &count, &failed));
  assert_int_equal(count, 0);
  assert_false(failed);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_builds_and_loads_of_a_module),
      cmocka_unit_test(invalid_samples_and_cached_builds_do_not_count),
      cmocka_unit_test(nothing_built_is_no_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
