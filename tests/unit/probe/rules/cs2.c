#include "unit/probe/made.h"

#include "probe/rules/list.h"

#define A "aaaaaaaaaa11"
#define B "bbbbbbbbbb22"

/* The same module compiled cold and warm. */
static struct kiln_report *
compiled_twice(const char *cold, const char *warm)
{
  struct kiln_report *report = made_report(1);
  made_build(made_cold(report, 0), "m", cold, 1, 10, 50)->path = "/cache/cold/m";
  struct kiln_model_build *build = made_build(made_warm(report, 0), "m", warm, 2, 10, 50);
  build->path = "/cache/warm/m";
  build->where = AT(40);
  return report;
}

static const struct kiln_finding *
fired(struct kiln_report *report)
{
  made_run(&kiln_rule_cs2, report);
  assert_int_equal(report->finding_count, 1);
  const struct kiln_finding *finding = &report->findings[0];
  assert_true(made_says(finding, "the warm run compiled module `m`"));
  assert_true(made_points_at(finding, 40));
  assert_true(finding->saves_at_most_s > 0.0499 && finding->saves_at_most_s < 0.0501);
  return finding;
}

static void
a_cache_folder_of_the_programs_own(void **state)
{
  (void)state;
  struct kiln_report *report = compiled_twice(A, A);
  made_cache(made_cold(report, 0), "root", "/cache/cold", "program", 9);
  made_cache(made_warm(report, 0), "root", "/cache/warm", "program", 9);
  made_cache(made_warm(report, 0), "root", "/cache/warm", "program", 9);
  const struct kiln_finding *finding = fired(report);
  assert_non_null(strstr(finding->sentence, "set its own cache folder /cache/warm"));
  assert_non_null(strstr(finding->sentence, "kernel_cache_dir"));
  assert_non_null(strstr(finding->sentence, "app.py:9"));
  assert_non_null(strstr(finding->sentence, "another one than in the cold run"));
  assert_true(made_points_at(finding, 9));
  kiln_report_free(report);
}

static void
a_folder_that_did_not_keep(void **state)
{
  (void)state;
  struct kiln_report *report = compiled_twice(A, A);
  made_cache(made_cold(report, 0), "root", "/cache", "program", 9);
  made_cache(made_warm(report, 0), "root", "/cache", "program", 9);
  assert_non_null(strstr(fired(report)->sentence, "own cache folder /cache did not keep"));
  kiln_report_free(report);
}

static void
a_cleared_cache_and_a_switched_off_one(void **state)
{
  (void)state;
  struct kiln_report *report = compiled_twice(A, A);
  made_cache(made_warm(report, 0), "clear", NULL, NULL, 11);
  assert_non_null(strstr(fired(report)->sentence, "cleared the cache at app.py:11"));
  kiln_report_free(report);
  report = compiled_twice(A, A);
  made_cache(made_warm(report, 0), "off", NULL, NULL, 12);
  assert_non_null(strstr(fired(report)->sentence, "reuse of the cache off (`cache_kernels`) at app.py:12"));
  kiln_report_free(report);
}

/* What no cache could have kept is another mechanism's. */
static void
an_identity_that_moves_is_not_this(void **state)
{
  (void)state;
  struct kiln_report *report = compiled_twice(A, B);
  made_run(&kiln_rule_cs2, report);
  assert_int_equal(report->finding_count, 0);
  assert_int_equal(report->others[0].state, KILN_FINDING_RULED_OUT);
  assert_non_null(strstr(report->others[0].sentence, "N-1"));
  kiln_report_free(report);
}

/* A record has no warm run, but what spoils the cache is seen. */
static void
a_record_that_clears_the_cache(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  kiln_model_free(made_warm(report, 0));
  report->arms[0].samples[0].warm.model = NULL;
  made_build(made_cold(report, 0), "m", A, 1, 10, 50);
  made_run(&kiln_rule_cs2, report);
  assert_int_equal(report->others[0].state, KILN_FINDING_NOT_REACHED);
  assert_non_null(strstr(report->others[0].to_measure, "second run"));
  made_cache(made_cold(report, 0), "clear", NULL, NULL, 11);
  made_run(&kiln_rule_cs2, report);
  assert_int_equal(report->finding_count, 1);
  assert_true(made_says(&report->findings[0], "cleared the cache at app.py:11"));
  kiln_report_free(report);
}

static void
an_artefact_outside_the_cache(void **state)
{
  (void)state;
  struct kiln_report *report = compiled_twice(A, A);
  made_cache(made_warm(report, 0), "root", "/sandbox/cache", "environment", 0);
  assert_non_null(strstr(fired(report)->sentence, "is written to /cache/warm/m, outside the cache /sandbox/cache"));
  kiln_report_free(report);
}

static void
no_reason_is_invented(void **state)
{
  (void)state;
  struct kiln_report *report = compiled_twice(A, A);
  assert_non_null(strstr(fired(report)->sentence, "nothing in the record says why"));
  kiln_report_free(report);
}

static void
a_warm_run_without_builds_is_silent(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  made_build(made_cold(report, 0), "m", A, 1, 10, 50);
  made_build(made_warm(report, 0), "m", A, 2, 10, 50)->result = KILN_BUILD_CACHED;
  made_build(made_warm(report, 0), "n", A, 2, 10, 50)->result = KILN_BUILD_FAILED;
  made_cache(made_warm(report, 0), "clear", NULL, NULL, 11);
  made_run(&kiln_rule_cs2, report);
  assert_int_equal(report->finding_count, 0);
  assert_int_equal(report->others[0].state, KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
}

static void
a_later_sample_may_show_it(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(2);
  made_build(made_cold(report, 1), "m", A, 1, 10, 50);
  made_build(made_warm(report, 1), "m", A, 2, 10, 50);
  made_run(&kiln_rule_cs2, report);
  assert_int_equal(report->finding_count, 1);
  assert_true(made_says(&report->findings[0], "sample 1 differs: its warm run compiled 0"));
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_cache_folder_of_the_programs_own),
      cmocka_unit_test(a_folder_that_did_not_keep), cmocka_unit_test(a_cleared_cache_and_a_switched_off_one),
      cmocka_unit_test(an_identity_that_moves_is_not_this), cmocka_unit_test(a_record_that_clears_the_cache),
      cmocka_unit_test(an_artefact_outside_the_cache), cmocka_unit_test(no_reason_is_invented),
      cmocka_unit_test(a_warm_run_without_builds_is_silent), cmocka_unit_test(a_later_sample_may_show_it)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
