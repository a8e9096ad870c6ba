#include "unit/probe/rules/judged.h"

/* One dear module whose largest kernel has `largest` bytes of 400 000, and a cheap one. */
static struct kiln_report *
dominated(uint64_t largest)
{
  struct kiln_report *report = judged_report("warp 1.19.0");
  struct kiln_model *cold = made_cold(report, 0);
  struct kiln_model_build *build = made_build(cold, "big", A, 1, 10, 3000);
  build->native = (struct kiln_span_time){2800 * MS, 2800 * MS};
  build->source_bytes = 400000;
  build->largest_bytes = largest;
  build->largest = "collide";
  build->kernel_count = 12;
  build = made_build(cold, "small", B, 1, 4000, 200);
  build->source_bytes = 9000;
  build->largest_bytes = 4000;
  made_declaration(cold, "big", "collide", 1, 5, false, 12);
  return report;
}

static void
one_kernel_is_most_of_it(void **state)
{
  (void)state;
  struct kiln_report *report = dominated(380000);
  assert_int_equal(judged(&kiln_rule_n7, report), KILN_FINDING_FIRED);
  const struct kiln_finding *finding = &report->findings[0];
  assert_true(made_says(finding, "kernel `collide` is oversized: it is 95 %"));
  assert_true(made_says(finding, "before a split: what a module of one small kernel costs here was not measured"));
  assert_true(made_points_at(finding, 12));
  kiln_report_free(report);
}

static void
a_dominant_module_of_many_kernels(void **state)
{
  (void)state;
  struct kiln_report *report = dominated(60000);
  assert_int_equal(judged(&kiln_rule_n7, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "dominates with 12 kernels"));
  kiln_report_free(report);
}

static void
backward_code_that_nobody_needs_goes_first(void **state)
{
  (void)state;
  struct kiln_report *report = dominated(180000);
  made_cold(report, 0)->builds[0].source_bytes = 200000;
  made_cold(report, 0)->builds[0].backward_bytes = 120000;
  kiln_finding_add(report, "CS-10");
  kiln_rule_n7.run(report);
  assert_int_equal(report->finding_count, 1);
  assert_int_equal(report->others[0].state, KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "CS-10"));
  kiln_report_free(report);
}

static void
unrolling_explains_the_size(void **state)
{
  (void)state;
  struct kiln_report *report = dominated(380000);
  made_cold(report, 0)->builds[0].unrolled = 200;
  assert_int_equal(judged(&kiln_rule_n7, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "CS-11"));
  kiln_report_free(report);
  report = dominated(380000);
  made_cold(report, 0)->builds[0].cpu_ns = 300 * MS;
  assert_int_equal(judged(&kiln_rule_n7, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
}

static void
sizes_that_were_not_recorded(void **state)
{
  (void)state;
  struct kiln_report *report = dominated(0);
  assert_int_equal(judged(&kiln_rule_n7, report), KILN_FINDING_NOT_REACHED);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_kernel_is_most_of_it),
      cmocka_unit_test(a_dominant_module_of_many_kernels), cmocka_unit_test(backward_code_that_nobody_needs_goes_first),
      cmocka_unit_test(unrolling_explains_the_size), cmocka_unit_test(sizes_that_were_not_recorded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
