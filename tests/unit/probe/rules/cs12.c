#include "unit/probe/rules/judged.h"

static const char *const modules[] = {"a", "b", "c"};
static const char *const identities[] = {A, B, C};

/* `count` builds for the CPU whose native compile takes native_ms. */
static struct kiln_report *
builds(const char *version, size_t count, uint64_t native_ms, const char *options)
{
  struct kiln_report *report = judged_report(version);
  for (size_t i = 0; i < count; i++) {
    struct kiln_model_build *build = made_build(made_cold(report, 0), modules[i], identities[i], 1, 10 + i, native_ms);
    build->native = (struct kiln_span_time){native_ms * MS, native_ms * MS};
    made_hash(made_cold(report, 0), modules[i], identities[i], 1, 9, "k=1", options);
  }
  return report;
}

static void
switched_off_and_slow(void **state)
{
  (void)state;
  struct kiln_report *report = builds("warp 1.19.0", 3, 1500, "use_precompiled_headers=False");
  made_option(made_cold(report, 0), NULL, "use_precompiled_headers", "True", "False", 2, 33);
  assert_int_equal(judged(&kiln_rule_cs12, report), KILN_FINDING_FIRED);
  assert_true(made_says(&report->findings[0], "1.5 s of native compile each"));
  assert_true(made_points_at(&report->findings[0], 33));
  assert_true(JUDGED_NEAR(report->findings[0].saves_at_most_s, 3.0));
  kiln_report_free(report);
}

static void
shared_affordable_or_not_there(void **state)
{
  (void)state;
  struct kiln_report *report = builds("warp 1.19.0", 3, 200, "use_precompiled_headers=True");
  judged_header(made_cold(report, 0), 1, 1, "/t/h.pch");
  assert_int_equal(judged(&kiln_rule_cs12, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "3 builds for the CPU shared 1.90 s"));
  kiln_report_free(report);
  report = builds("warp 1.19.0", 2, 1500, "use_precompiled_headers=False");
  assert_int_equal(judged(&kiln_rule_cs12, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
  report = builds("warp 1.12.0", 1, 1500, "fast=1");
  assert_int_equal(judged(&kiln_rule_cs12, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "from 1.13"));
  kiln_report_free(report);
}

/* How fast the machine is does not matter: on a faster one the same three builds are found. */
static void
on_a_faster_machine(void **state)
{
  (void)state;
  struct kiln_report *report = builds("warp 1.19.0", 3, 650, "use_precompiled_headers=False");
  assert_int_equal(judged(&kiln_rule_cs12, report), KILN_FINDING_FIRED);
  assert_true(JUDGED_NEAR(report->findings[0].saves_at_most_s, 1.3));
  kiln_report_free(report);
}

/* Each process would make a header of its own, and an older Warp none for the CPU. */
static void
where_no_header_would_be_shared(void **state)
{
  (void)state;
  struct kiln_report *report = builds("warp 1.19.0", 3, 1500, "use_precompiled_headers=False");
  made_cold(report, 0)->builds[2].pid = 2;
  assert_int_equal(judged(&kiln_rule_cs12, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
  report = builds("warp 1.19.0", 3, 1500, "use_precompiled_headers=False");
  made_cold(report, 0)->builds[0].tid = 7;
  assert_int_equal(judged(&kiln_rule_cs12, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
  report = builds("warp 1.12.0", 3, 1500, "use_precompiled_headers=False");
  assert_int_equal(judged(&kiln_rule_cs12, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "from 1.13"));
  kiln_report_free(report);
}

static void
what_only_a_trial_can_tell(void **state)
{
  (void)state;
  struct kiln_report *report = builds("warp 1.19.0", 1, 200, "use_precompiled_headers=True");
  judged_header(made_cold(report, 0), 1, 1, "/t/h.pch");
  assert_int_equal(judged(&kiln_rule_cs12, report), KILN_FINDING_NOT_REACHED);
  kiln_report_free(report);
  report = builds("warp 1.19.0", 3, 1500, "use_precompiled_headers=False");
  for (int i = 0; i < 3; i++)
    made_cold(report, 0)->builds[i].device = "cuda:0";
  assert_int_equal(judged(&kiln_rule_cs12, report), KILN_FINDING_NOT_REACHED);
  assert_non_null(strstr(report->others[0].to_measure, "kiln try"));
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(switched_off_and_slow),
      cmocka_unit_test(shared_affordable_or_not_there), cmocka_unit_test(on_a_faster_machine),
      cmocka_unit_test(where_no_header_would_be_shared), cmocka_unit_test(what_only_a_trial_can_tell)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
