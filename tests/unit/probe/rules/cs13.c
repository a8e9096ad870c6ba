#include "unit/probe/rules/judged.h"

static const char *const modules[] = {"a", "b", "c", "d"};
static const char *const identities[] = {A, B, C, D};

/* Four builds one after another, 600 ms each but the first. */
static struct kiln_report *
serial(const char *version, const char *device, uint64_t first_ms)
{
  struct kiln_report *report = judged_report(version);
  for (size_t i = 0; i < 4; i++)
    made_build(made_cold(report, 0), modules[i], identities[i], 1, 10 + 1000 * i, i ? 600 : first_ms)->device = device;
  made_cold(report, 0)->overlap = 1;
  report->host.cores = 16;
  return report;
}

static void
builds_one_after_another(void **state)
{
  (void)state;
  struct kiln_report *report = serial("warp 1.19.0", "cuda:0", 600);
  assert_int_equal(judged(&kiln_rule_cs13, report), KILN_FINDING_FIRED);
  const struct kiln_finding *finding = &report->findings[0];
  assert_true(made_says(finding, "4 independent modules"));
  assert_true(made_says(finding, "at most 4.0 times"));
  assert_true(made_says(finding, "this machine has 16"));
  assert_true(JUDGED_NEAR(finding->saves_at_most_s, 1.8));
  assert_non_null(strstr(finding->remedy, "in processes"));
  assert_int_equal(finding->otherwise_count, 1);
  assert_non_null(strstr(finding->otherwise[0], "max_workers"));
  assert_null(finding->gate);
  kiln_report_free(report);
}

/* Threads are no remedy where a load may hit the CPU. */
static void
on_the_cpu_no_threads_are_advised(void **state)
{
  (void)state;
  struct kiln_report *report = serial("warp 1.19.0", "cpu", 600);
  assert_int_equal(judged(&kiln_rule_cs13, report), KILN_FINDING_FIRED);
  assert_int_equal(report->findings[0].otherwise_count, 0);
  assert_non_null(strstr(report->findings[0].gate, "no preload by threads"));
  kiln_report_free(report);
}

/* The rule that outranks any gain. */
static void
an_old_version_gets_a_warning_instead(void **state)
{
  (void)state;
  static const char *const lists[][2] = {{"cpu", "cpu"}, {"cuda:0", "cpu"}};
  for (size_t i = 0; i < 2; i++) {
    struct kiln_report *report = serial("warp 1.16.1", lists[i][0], 600);
    made_cold(report, 0)->builds[3].device = lists[i][1];
    assert_int_equal(judged(&kiln_rule_cs13, report), KILN_FINDING_RULED_OUT);
    assert_int_equal(report->warning_count, 1);
    assert_non_null(strstr(report->warnings[0], "must not overlap"));
    assert_null(report->others[0].remedy);
    kiln_report_free(report);
  }
  struct kiln_report *report = serial("warp 1.16.1", "cuda:0", 600);
  assert_int_equal(judged(&kiln_rule_cs13, report), KILN_FINDING_FIRED);
  assert_int_equal(report->warning_count, 0);
  kiln_report_free(report);
}

static void
one_module_dominates(void **state)
{
  (void)state;
  struct kiln_report *report = serial("warp 1.19.0", "cpu", 6000);
  assert_int_equal(judged(&kiln_rule_cs13, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "one module dominates"));
  kiln_report_free(report);
}

static void
overlapped_cheap_or_few(void **state)
{
  (void)state;
  struct kiln_report *report = serial("warp 1.19.0", "cpu", 600);
  made_cold(report, 0)->overlap = 2.5;
  assert_int_equal(judged(&kiln_rule_cs13, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
  report = serial("warp 1.19.0", "cpu", 600);
  for (int i = 0; i < 4; i++)
    made_cold(report, 0)->builds[i].cpu_ns = 100 * MS;
  assert_int_equal(judged(&kiln_rule_cs13, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "too little"));
  kiln_report_free(report);
  report = judged_report("warp 1.19.0");
  made_build(made_cold(report, 0), "a", A, 1, 1, 5000);
  assert_int_equal(judged(&kiln_rule_cs13, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
}

/* Builds that are not needed go first. */
static void
another_repair_comes_before(void **state)
{
  (void)state;
  struct kiln_report *report = serial("warp 1.19.0", "cpu", 600);
  kiln_finding_add(report, "CS-1");
  kiln_rule_cs13.run(report);
  assert_int_equal(report->finding_count, 1);
  assert_int_equal(report->others[0].state, KILN_FINDING_NOT_REACHED);
  assert_non_null(strstr(report->others[0].sentence, "CS-1 goes first"));
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(builds_one_after_another),
      cmocka_unit_test(on_the_cpu_no_threads_are_advised), cmocka_unit_test(an_old_version_gets_a_warning_instead),
      cmocka_unit_test(one_module_dominates), cmocka_unit_test(overlapped_cheap_or_few),
      cmocka_unit_test(another_repair_comes_before)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
