#include "unit/probe/rules/judged.h"

static void
one_identity_two_sources(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(2);
  made_build(made_cold(report, 0), "m", A, 1, 10, 50)->source_digest = "1111";
  struct kiln_model_build *build = made_build(made_cold(report, 1), "m", A, 2, 10, 50);
  build->source_digest = "2222";
  build->where = AT(9);
  assert_int_equal(judged(&kiln_rule_n2, report), KILN_FINDING_FIRED);
  assert_true(made_says(&report->findings[0], "digest 1111") && made_says(&report->findings[0], "digest 2222"));
  assert_true(made_points_at(&report->findings[0], 9));
  assert_int_equal(report->findings[0].cited_count, 2);
  kiln_report_free(report);
}

static void
the_same_source_each_time(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(2);
  for (int i = 0; i < 2; i++)
    made_build(made_cold(report, i), "m", A, 1 + i, 10, 50)->source_digest = "1111";
  assert_int_equal(judged(&kiln_rule_n2, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "2 builds of 1 identity"));
  kiln_report_free(report);
}

static void
one_build_cannot_be_compared(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  made_build(made_cold(report, 0), "m", A, 1, 10, 50)->source_digest = "1111";
  assert_int_equal(judged(&kiln_rule_n2, report), KILN_FINDING_NOT_REACHED);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_identity_two_sources),
      cmocka_unit_test(the_same_source_each_time), cmocka_unit_test(one_build_cannot_be_compared)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
