#include "unit/probe/rules/judged.h"

static struct kiln_report *
restored(const char *stale, const char *fresh, const char *elsewhere)
{
  struct kiln_report *report = judged_report("warp 1.19.0");
  struct kiln_model_build *build = made_build(made_cold(report, 0), "m", A, 1, 10, 50);
  build->stale = stale;
  build->fresh = fresh;
  build->elsewhere = elsewhere;
  build->path = "/cache/wp_m";
  build->where = AT(6);
  return report;
}

static void
another_machine_is_named(void **state)
{
  (void)state;
  struct kiln_report *report = restored("m.cpu1.o", "m.cpu2.o", NULL);
  assert_int_equal(judged(&kiln_rule_n10, report), KILN_FINDING_FIRED);
  assert_true(made_says(&report->findings[0], "the cache had m.cpu1.o, this machine needs m.cpu2.o"));
  assert_true(made_says(&report->findings[0], "not for this machine"));
  assert_true(made_points_at(&report->findings[0], 6));
  kiln_report_free(report);
}

static void
another_version_is_named(void **state)
{
  (void)state;
  struct kiln_report *report = restored(NULL, NULL, "1.18.0");
  assert_int_equal(judged(&kiln_rule_n10, report), KILN_FINDING_FIRED);
  assert_true(made_says(&report->findings[0], "under version 1.18.0"));
  kiln_report_free(report);
}

static void
an_empty_cache_and_a_neighbour(void **state)
{
  (void)state;
  struct kiln_report *report = restored(NULL, NULL, NULL);
  assert_int_equal(judged(&kiln_rule_n10, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
  /* the older file is another rank's */
  report = restored("m.cpu1.o", "m.cpu2.o", NULL);
  made_build(made_cold(report, 0), "m", A, 2, 5, 50)->path = "/cache/wp_m";
  assert_int_equal(judged(&kiln_rule_n10, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
  /* several architectures into one folder, on purpose */
  report = restored("m.sm80.ptx", "m.sm90.ptx", NULL);
  made_cold(report, 0)->builds[0].aot = true;
  assert_int_equal(judged(&kiln_rule_n10, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(another_machine_is_named),
      cmocka_unit_test(another_version_is_named), cmocka_unit_test(an_empty_cache_and_a_neighbour)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
