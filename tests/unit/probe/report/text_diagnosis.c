#include "unit/probe/made.h"

#include "probe/report/render.h"

static bool
shows(const struct kiln_buf *out, const char *text)
{
  return strstr(kiln_buf_text(out), text) != NULL;
}

static void
every_state_is_shown(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  struct kiln_finding *finding = kiln_finding_add(report, "CS-10");
  kiln_finding_sentence(report, finding, "backward code that nobody needs");
  kiln_finding_remedy(report, finding, "switch it off");
  kiln_finding_remedy(report, finding, "for one module");
  kiln_finding_ruled_out(report, "CS-1", "no module moved");
  kiln_finding_not_reached(report, "N-2", "more samples", "one build only");
  report->diagnosis = (struct kiln_diagnosis){.made = true, .sentence = "Compiling is 80 %.", .floor_s = 0.25};
  struct kiln_buf out;
  kiln_buf_init(&out);
  kiln_report_text(report, 80, false, &out);
  assert_memory_equal(kiln_buf_text(&out), "Compiling is 80 %.\n", 19); /* the first line */
  assert_true(shows(&out, "1 finding, 1 mechanism ruled out, 1 not reached"));
  assert_true(shows(&out, "CS-10  backward code"));
  assert_true(shows(&out, "remedy    switch it off"));
  assert_true(shows(&out, "else      for one module"));
  assert_true(shows(&out, "not when  A tape"));
  assert_true(shows(&out, "deadline  before"));
  assert_true(shows(&out, "confirm   The identity"));
  assert_true(shows(&out, "ruled out\n  CS-1   no module moved"));
  assert_true(shows(&out, "not reached\n  N-2    one build only"));
  assert_true(shows(&out, "to tell   more samples"));
  assert_true(shows(&out, "250 ms for a module of one small kernel"));
  kiln_buf_clear(&out);
  report->diagnosis.made = false; /* a measurement shows what fired */
  kiln_report_text(report, 80, false, &out);
  assert_true(shows(&out, "CS-10  backward code"));
  assert_false(shows(&out, "no module moved") || shows(&out, "not when"));
  kiln_buf_release(&out);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_state_is_shown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
