#include "unit/probe/made.h"

#include "probe/report/render.h"
#include "probe/report_read.h"

static struct kiln_report *
back(struct kiln_report *report)
{
  struct kiln_buf text;
  struct kiln_report *read = NULL;
  kiln_buf_init(&text);
  kiln_report_json(report, &text);
  assert_int_equal(kiln_report_parse(text.data, text.len, "r.json", &read, NULL), KILN_OK);
  kiln_buf_release(&text);
  kiln_report_free(report);
  return read;
}

static struct kiln_report *
written(void)
{
  struct kiln_report *report = made_report(1);
  struct kiln_finding *finding = kiln_finding_add(report, "CS-8");
  kiln_finding_sentence(report, finding, "s");
  kiln_finding_evidence(report, finding, "one");
  kiln_finding_evidence(report, finding, "two");
  kiln_finding_cite(report, finding,
      (struct kiln_cited){
          .kind = "load", .pid = 4, .tid = 5, .start_s = -0.5, .wall_s = -1, .what = "m", .where = AT(6)});
  kiln_finding_remedy(report, finding, "first");
  kiln_finding_remedy(report, finding, "second");
  kiln_finding_gate(report, finding, "until 1.16");
  finding->saves_at_most_s = 2;
  finding->saves_cpu = true;
  kiln_finding_ruled_out(report, "CS-1", "not there");
  kiln_finding_not_reached(report, "N-2", "more samples", "cannot tell");
  kiln_report_summarise(report);
  return report;
}

static void
check(const struct kiln_report *report)
{
  assert_int_equal(report->finding_count, 1);
  const struct kiln_finding *finding = &report->findings[0];
  assert_string_equal(finding->remedy, "first");
  assert_int_equal(finding->otherwise_count, 1);
  assert_string_equal(finding->otherwise[0], "second");
  assert_string_equal(finding->gate, "until 1.16");
  assert_true(finding->correctness && finding->saves_cpu);
  assert_int_equal(finding->cited_count, 1);
  assert_int_equal(finding->cited[0].evidence, 1);
  assert_int_equal(finding->cited[0].where.line, 6);
  assert_true(finding->cited[0].wall_s < 0 && finding->cited[0].start_s < 0);
  assert_int_equal(report->other_count, 2);
  assert_int_equal(report->others[0].state, KILN_FINDING_RULED_OUT);
  assert_int_equal(report->others[1].state, KILN_FINDING_NOT_REACHED);
  assert_string_equal(report->others[1].to_measure, "more samples");
}

/* A measurement keeps what did not fire apart, a diagnosis in one list: both come back the same. */
static void
states_come_back(void **state)
{
  (void)state;
  struct kiln_report *report = back(written());
  check(report);
  assert_false(report->diagnosis.made);
  kiln_report_free(report);
  report = written();
  report->diagnosis = (struct kiln_diagnosis){
      .made = true, .small = true, .compile_s = 1, .elapsed_s = 20, .sentence = "small", .floor_s = -1};
  report = back(report);
  check(report);
  assert_true(report->diagnosis.made && report->diagnosis.small);
  assert_string_equal(report->diagnosis.sentence, "small");
  assert_true(report->diagnosis.floor_s < 0);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(states_come_back)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
