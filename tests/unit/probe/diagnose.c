#include "unit/probe/made.h"

#include "probe/diagnose.h"

#define SECOND 1000

/* One sample; the cold run takes elapsed_s and built for work_ms. */
static struct kiln_report *
costing(double elapsed_s, double warm_s, uint64_t work_ms)
{
  struct kiln_report *report = made_report(1);
  struct kiln_report_sample *sample = &report->arms[0].samples[0];
  sample->cold.elapsed_s = elapsed_s;
  sample->warm.elapsed_s = warm_s;
  sample->cold.phase[KILN_PHASE_PROGRAM].wall_ns = (uint64_t)(elapsed_s * 1e9) / 2;
  if (work_ms)
    made_build(sample->cold.model, "m", "aaaaaaaaaa", 1, 10, work_ms);
  kiln_report_summarise(report);
  return report;
}

static struct kiln_finding *
advised(struct kiln_report *report, const char *id)
{
  struct kiln_finding *finding = kiln_finding_add(report, id);
  kiln_finding_remedy(report, finding, "do this");
  kiln_finding_remedy(report, finding, "or that");
  return finding;
}

static void
a_small_share_is_the_first_line(void **state)
{
  (void)state;
  struct kiln_report *report = costing(20, 19.5, 400);
  advised(report, "CS-10");
  advised(report, "N-14");
  kiln_diagnosis_fill(report);
  assert_true(report->diagnosis.made && report->diagnosis.small);
  assert_non_null(strstr(report->diagnosis.sentence, "Compiling is 2 % of the elapsed time"));
  assert_non_null(strstr(report->diagnosis.sentence, "most of it is `program`"));
  assert_non_null(strstr(report->diagnosis.sentence, "No lever is advised"));
  assert_null(report->findings[0].remedy);
  assert_int_equal(report->findings[0].otherwise_count, 0);
  assert_non_null(report->findings[1].remedy); /* about right results, not about time */
  kiln_report_free(report);
}

static void
a_large_share_keeps_the_advice(void **state)
{
  (void)state;
  struct kiln_report *report = costing(4, 1, 2 * SECOND);
  advised(report, "CS-10");
  kiln_diagnosis_fill(report);
  assert_false(report->diagnosis.small);
  assert_non_null(strstr(report->diagnosis.sentence, "75 %"));
  assert_string_equal(report->findings[0].remedy, "do this");
  kiln_report_free(report);
}

/* The warm run compiles as well, so the difference says nothing. */
static void
builds_count_where_the_difference_hides_them(void **state)
{
  (void)state;
  struct kiln_report *report = costing(4, 4, 2 * SECOND);
  kiln_diagnosis_fill(report);
  assert_false(report->diagnosis.small);
  assert_true(report->diagnosis.compile_s > 1.9 && report->diagnosis.compile_s < 2.1);
  kiln_report_free(report);
}

static void
nothing_built_and_no_run(void **state)
{
  (void)state;
  struct kiln_report *report = costing(4, 1, 0);
  kiln_diagnosis_fill(report);
  assert_true(report->diagnosis.small);
  assert_non_null(strstr(report->diagnosis.sentence, "No module was built"));
  kiln_report_free(report);
  report = costing(4, 1, SECOND);
  report->arms[0].samples[0].valid = false;
  kiln_report_summarise(report);
  kiln_diagnosis_fill(report);
  assert_non_null(strstr(report->diagnosis.sentence, "No run counts"));
  kiln_report_free(report);
}

/* A report of an older kiln holds only what fired. */
static void
what_the_report_does_not_say_is_not_reached(void **state)
{
  (void)state;
  struct kiln_report *report = costing(4, 1, SECOND);
  advised(report, "CS-1");
  kiln_finding_ruled_out(report, "CS-2", "the warm run compiled nothing.");
  kiln_diagnosis_fill(report);
  assert_int_equal(report->other_count, 27);
  for (size_t i = 1; i < report->other_count; i++) {
    assert_int_equal(report->others[i].state, KILN_FINDING_NOT_REACHED);
    assert_string_equal(report->others[i].arm, "base");
  }
  kiln_diagnosis_fill(report); /* and only once */
  assert_int_equal(report->other_count, 27);
  assert_string_equal(report->diagnosis.floor_note, "not measured");
  kiln_report_free(report);
}

static void
the_floor_is_wanted_for_merges_and_splits(void **state)
{
  (void)state;
  struct kiln_report *report = costing(4, 1, SECOND);
  advised(report, "CS-1");
  assert_false(kiln_diagnosis_wants_floor(report));
  advised(report, "N-7");
  assert_true(kiln_diagnosis_wants_floor(report));
  kiln_report_free(report);
}

/* No interpreter was seen: the diagnosis stands, and says that the floor was not measured. */
static void
a_floor_that_cannot_be_measured(void **state)
{
  (void)state;
  struct kiln_report *report = costing(4, 1, SECOND);
  kiln_diagnosis_measure_floor(report, &(struct kiln_measure_options){0});
  assert_true(report->diagnosis.floor_s <= 0);
  assert_non_null(strstr(report->diagnosis.floor_note, "no interpreter"));
  assert_int_equal(report->finding_count + report->other_count, 28);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_small_share_is_the_first_line),
      cmocka_unit_test(a_large_share_keeps_the_advice), cmocka_unit_test(builds_count_where_the_difference_hides_them),
      cmocka_unit_test(nothing_built_and_no_run), cmocka_unit_test(what_the_report_does_not_say_is_not_reached),
      cmocka_unit_test(the_floor_is_wanted_for_merges_and_splits), cmocka_unit_test(a_floor_that_cannot_be_measured)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
