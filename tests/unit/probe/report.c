#include "unit/probe/made.h"

static void
names_are_those_of_the_json(void **state)
{
  (void)state;
  assert_string_equal(kiln_count_name(KILN_COUNT_BUILDS), "builds");
  assert_string_equal(kiln_count_name(KILN_COUNT_SOURCE_BYTES), "source_bytes");
  const struct kiln_counts counts = {1, 2, 3, 4, 5, 6, 7, 8};
  for (int i = 0; i < KILN_COUNT_COUNT; i++)
    assert_int_equal(kiln_count_of(&counts, (enum kiln_count)i), i + 1);
  assert_string_equal(kiln_report_state_name(KILN_REPORT_COMPLETE), "complete");
  assert_string_equal(kiln_report_state_name(KILN_REPORT_INVALID), "invalid");
}

static void
equal_warnings_are_kept_once(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  for (int i = 0; i < 30; i++)
    kiln_report_warn(report, "warning %d", i / 2);
  assert_int_equal(report->warning_count, 15);
  assert_string_equal(report->warnings[14], "warning 14");
  kiln_report_free(report);
}

static void
summary_takes_valid_samples_only(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(3);
  report->arms[0].samples[1].valid = false;
  made_build(made_cold(report, 0), "m", "a", 1, 10, 5);
  made_cold(report, 2)->counts.builds = 3;
  report->arms[0].samples[2].cold.phase[KILN_PHASE_PCH] = (struct kiln_span_time){2000 * MS, 1000 * MS};
  kiln_report_summarise(report);
  const struct kiln_report_arm *arm = &report->arms[0];
  assert_int_equal(arm->cold.elapsed_s.n, 2);
  assert_true(arm->cold.elapsed_s.lo == 3 && arm->cold.elapsed_s.hi == 5 && arm->cold.elapsed_s.median == 4);
  assert_true(arm->cold.count[KILN_COUNT_BUILDS].median == 2);
  assert_true(arm->cold.phase_wall_s[KILN_PHASE_PCH].hi == 2 && arm->cold.phase_cpu_s[KILN_PHASE_PCH].hi == 1);
  assert_true(arm->compile_elapsed_s.lo == 2 && arm->compile_elapsed_s.hi == 4);
  assert_true(arm->compile_cpu_s.median == 2.75);
  kiln_report_free(report);
}

/* Without a warm run there is a cold number, but no pair. */
static void
a_pair_needs_both_runs(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(2);
  report->arms[0].samples[1].warm.present = false;
  kiln_report_summarise(report);
  assert_int_equal(report->arms[0].cold.elapsed_s.n, 2);
  assert_int_equal(report->arms[0].warm.elapsed_s.n, 1);
  assert_int_equal(report->arms[0].compile_elapsed_s.n, 1);
  assert_true(report->arms[0].compile_elapsed_s.median == 2);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_those_of_the_json),
      cmocka_unit_test(equal_warnings_are_kept_once), cmocka_unit_test(summary_takes_valid_samples_only),
      cmocka_unit_test(a_pair_needs_both_runs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
