#include "unit/probe/rules/judged.h"

static const char *const identities[] = {A, B, C};

/* Three workers, each with a header of its own; they build the same module or one each. */
static struct kiln_report *
workers(bool same)
{
  struct kiln_report *report = judged_report("warp 1.19.0");
  for (int i = 0; i < 3; i++) {
    judged_header(made_cold(report, 0), 1 + i, 10, "/t/h.pch");
    made_build(made_cold(report, 0), "m", same ? A : identities[i], 1 + i, 9 + (uint64_t)i, 2500);
  }
  return report;
}

static void
a_header_for_each_worker(void **state)
{
  (void)state;
  struct kiln_report *report = workers(false);
  assert_int_equal(judged(&kiln_rule_n15, report), KILN_FINDING_FIRED);
  assert_true(made_says(&report->findings[0], "made 3 times in one run"));
  assert_true(report->findings[0].saves_cpu);
  assert_true(JUDGED_NEAR(report->findings[0].saves_at_most_s, 3.8));
  kiln_report_free(report);
}

/* Where the builds themselves are repeated, N-3 counts them with their headers. */
static void
repeated_builds_bring_their_headers(void **state)
{
  (void)state;
  struct kiln_report *report = workers(true);
  assert_int_equal(judged(&kiln_rule_n15, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "N-3"));
  kiln_report_free(report);
}

/* The process whose build came first need not have made the first header. */
static void
the_order_of_headers_is_chance(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.19.0");
  for (int i = 0; i < 3; i++) {
    judged_header(made_cold(report, 0), 3 - i, 10 + (uint64_t)i, "/t/h.pch");
    made_build(made_cold(report, 0), "m", A, 1 + i, 5 + (uint64_t)i, 2500);
  }
  assert_int_equal(judged(&kiln_rule_n15, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "N-3"));
  kiln_report_free(report);
}

static void
one_process_or_other_headers(void **state)
{
  (void)state;
  struct kiln_report *report = workers(false);
  made_cold(report, 0)->headers[1].path = "/t/other.pch";
  made_cold(report, 0)->headers[2].path = "/t/third.pch";
  assert_int_equal(judged(&kiln_rule_n15, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
  report = judged_report("warp 1.19.0");
  assert_int_equal(judged(&kiln_rule_n15, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_header_for_each_worker),
      cmocka_unit_test(repeated_builds_bring_their_headers), cmocka_unit_test(the_order_of_headers_is_chance),
      cmocka_unit_test(one_process_or_other_headers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
