#include "probe/judge.h"
#include "probe/report/anonymise.h"
#include "probe/report/render.h"
#include "unit/probe/made.h"

static void
render(const struct kiln_report *report, struct kiln_buf *out)
{
  kiln_buf_init(out);
  kiln_report_markdown(report, out);
  assert_false(out->failed);
}

static void
has(const struct kiln_buf *out, const char *text)
{
  if (!strstr(kiln_buf_text(out), text))
    fail_msg("'%s' is not in:\n%s", text, kiln_buf_text(out));
}

static void
lacks(const struct kiln_buf *out, const char *text)
{
  if (strstr(kiln_buf_text(out), text))
    fail_msg("'%s' is in:\n%s", text, kiln_buf_text(out));
}

static struct kiln_report *
with_finding(void)
{
  struct kiln_report *report = made_report(3);
  report->state = KILN_REPORT_COMPLETE;
  for (int i = 0; i < 3; i++)
    made_build(made_cold(report, i), "sim_core", "aaaaaaaaaa", 1, 10, 500)->where = AT(31);
  struct kiln_finding *finding = kiln_finding_add(report, "CS-1");
  kiln_finding_sentence(report, finding, "module `sim_core` was built twice");
  kiln_finding_evidence(report, finding, "process 7 used two identities");
  kiln_finding_where(report, finding, AT(40));
  kiln_finding_where(report, finding, AT(40));
  kiln_finding_remedy(report, finding, "Declare the kernels at module scope.");
  finding->not_when = "data makes a kernel for each call";
  finding->saves_at_most_s = 1.5;
  kiln_report_warn(report, "beware of *stars*");
  kiln_report_summarise(report);
  return report;
}

static void
test_what_it_says(void **state)
{
  (void)state;
  struct kiln_report *report = with_finding();
  struct kiln_buf out;
  render(report, &out);
  has(&out, "## Cold start of `python app.py`\n");
  has(&out, "A first run, with empty caches, takes **4.00 s**; the next one, which finds everything compiled, takes "
            "**1.00 s**. Compiling costs **3.00 s (2.00 s to 4.00 s, n = 3)** of the first run.");
  has(&out, "1. **module `sim_core` was built twice**\n");
  has(&out, "   - where: `/home/somebody/app.py:40`\n");
  has(&out, "   - what to change: Declare the kernels at module scope.\n");
  has(&out, "   - it can save at most 1.50 s\n");
  has(&out, "   - not when: data makes a kernel for each call\n");
  has(&out, "| elapsed | 4.00 s (3.00 s to 5.00 s, n = 3) | 1.00 s (1.00 s to 1.00 s, n = 3) |");
  has(&out, "| modules compiled | 1 | 0 |");
  has(&out, "| `sim_core` | cpu, block 1 | 1 | 500 ms (500 ms to 500 ms, n = 3) | `/home/somebody/app.py:31` |");
  has(&out, "- beware of \\*stars\\*\n");
  has(&out, "3 valid samples, no unmeasured one before.");
  has(&out, "- framework: warp 1.19.0\n");
  lacks(&out, "CS-1");
  kiln_buf_release(&out);
  kiln_report_free(report);
}

static void
test_without_names(void **state)
{
  (void)state;
  struct kiln_report *report = with_finding();
  struct kiln_buf out;
  assert_int_equal(kiln_report_anonymise(report, NULL), KILN_OK);
  render(report, &out);
  lacks(&out, "somebody");
  lacks(&out, "sim_core");
  lacks(&out, "app.py");
  has(&out, "module `module-1` was built twice");
  kiln_buf_release(&out);
  kiln_report_free(report);
}

static void
test_nothing_found_and_nothing_measured(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  struct kiln_buf out;
  made_build(made_cold(report, 0), "m", "a", 1, 1, 1);
  kiln_report_summarise(report);
  render(report, &out);
  has(&out, "No module was built twice without need.");
  kiln_buf_release(&out);
  report->arms[0].samples[0].valid = false;
  report->state = KILN_REPORT_FAILED;
  report->failure = "The command `x` failed.";
  kiln_report_summarise(report);
  render(report, &out);
  has(&out, "> **The command failed.** The command `x` failed.\n");
  has(&out, "No valid sample was measured");
  kiln_buf_release(&out);
  kiln_report_free(report);
}

static void
test_a_diagnosis(void **state)
{
  (void)state;
  struct kiln_report *report = with_finding();
  struct kiln_finding others[2] = {
      {.id = "CS-2", .state = KILN_FINDING_RULED_OUT, .sentence = "the warm run compiled nothing"},
      {.id = "N-7", .state = KILN_FINDING_NOT_REACHED, .sentence = "one build only", .to_measure = "a larger program"}};
  struct kiln_buf out;
  report->diagnosis.made = true;
  report->diagnosis.sentence = "Compiling is a small share.";
  report->others = others;
  report->other_count = 2;
  render(report, &out);
  has(&out, "Compiling is a small share.\n");
  has(&out, "<details><summary>What was ruled out (1)</summary>\n\n- the warm run compiled nothing\n");
  has(&out, "(1)</summary>\n\n- one build only To tell: a larger program\n");
  lacks(&out, "N-7");
  kiln_buf_release(&out);
  report->others = NULL;
  report->other_count = 0;
  kiln_report_free(report);
}

static void
test_arms(void **state)
{
  (void)state;
  struct kiln_report *report = made_arms(12, 1);
  struct kiln_report_verdict verdict = {.candidate = 1, .work = "FEWER", .decided_by = "builds"};
  struct kiln_buf out;
  static const char *words[] = {"python", "cand.py"};
  report->state = KILN_REPORT_COMPLETE;
  report->arms[0].command = report->arms[1].command = words;
  report->arms[0].command_count = report->arms[1].command_count = 2;
  for (int i = 0; i < 12; i++)
    report->arms[1].samples[i].cold.cpu_s = report->arms[0].samples[i].cold.cpu_s / 2;
  verdict.time.resolution = 0.05;
  assert_int_equal(kiln_report_judge_time(report, &verdict, NULL), KILN_OK);
  report->verdicts = &verdict;
  report->verdict_count = 1;
  kiln_report_summarise(report);
  render(report, &out);
  has(&out, "- `cand` does less work (`builds` of the cold runs); time: **faster** (IMPROVED: cold CPU -50.0 %");
  has(&out, "The arms ran in pairs");
  kiln_buf_release(&out);
  report->verdicts = NULL;
  report->verdict_count = 0;
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_it_says),
      cmocka_unit_test(test_without_names),
      cmocka_unit_test(test_nothing_found_and_nothing_measured),
      cmocka_unit_test(test_a_diagnosis),
      cmocka_unit_test(test_arms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
