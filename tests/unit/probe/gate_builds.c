#include "unit/probe/gated.h"

static void
test_no_build_when_warm(void **state)
{
  (void)state;
  struct kiln_report *report = gated_report();
  gated_is(report, "no-build-when-warm", KILN_GATE_KEPT, "no build in 2 warm runs");
  made_build(made_warm(report, 1), "late", "b", 1, 20, 5)->where = AT(40);
  gated_is(report, "no-build-when-warm", KILN_GATE_BROKEN,
      "the warm run of sample 2 made 1 build: late (/home/somebody/app.py:40)");
  report->folder = "/home/somebody";
  gated_is(report, "no-build-when-warm", KILN_GATE_BROKEN, "late (app.py:40)");
  report->arms[0].samples[1].valid = false;
  gated_is(report, "no-build-when-warm", KILN_GATE_KEPT, "1 warm run");
  report->arms[0].samples[0].warm.present = false;
  gated_is(report, "no-build-when-warm", KILN_GATE_OPEN, "no warm run");
  kiln_report_free(report);
}

static void
test_what_saw_nothing_proves_nothing(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  static const char *const rules[] = {
      "no-build-when-warm", "max-builds 0", "no-build-after-launch 1", "no-build-after-mark m", "stable-identities"};
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    gated_is(report, rules[i], KILN_GATE_OPEN, "proves nothing");
  report->arms[0].samples[0].cold.artefacts_new = 3;
  gated_is(report, rules[0], KILN_GATE_OPEN, "3 artefacts are new");
  kiln_report_free(report);
  report = gated_report();
  made_cold(report, 0)->bad_lines = 2;
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    gated_is(report, rules[i], KILN_GATE_OPEN, "event lines were lost (2)");
  kiln_report_free(report);
}

static void
test_max_builds(void **state)
{
  (void)state;
  struct kiln_report *report = gated_report();
  gated_is(report, "max-builds 1", KILN_GATE_KEPT, "1 build in a cold run");
  gated_is(report, "max-builds 0", KILN_GATE_BROKEN, "the cold run of sample 1 made 1 build: sim");
  for (int i = 0; i < 4; i++)
    made_build(made_cold(report, 1), "more", "c", 1, 30, 5);
  gated_is(report, "max-builds 4", KILN_GATE_BROKEN, "sample 2 made 5 builds");
  gated_is(report, "max-builds 4", KILN_GATE_BROKEN, "sim (/home/somebody/app.py:31), more, more and 2 more");
  made_build(made_warm(report, 0), "more", "c", 1, 30, 5);
  gated_is(report, "max-builds 5", KILN_GATE_KEPT, "5 builds");
  kiln_report_free(report);
}

static void
test_after_launch(void **state)
{
  (void)state;
  struct kiln_report *report = gated_report();
  gated_is(report, "no-build-after-launch 1", KILN_GATE_KEPT, "no build after launch 1");
  gated_is(report, "no-build-after-launch 101", KILN_GATE_OPEN, "made 100 launches, so launch 101 never came");
  struct kiln_model_build *late = made_build(made_warm(report, 1), "late", "b", 1, 20, 5);
  late->launches = 50;
  gated_is(
      report, "no-build-after-launch 50", KILN_GATE_BROKEN, "the warm run of sample 2 made 1 build after launch 50");
  gated_is(report, "no-build-after-launch 51", KILN_GATE_KEPT, "");
  late->launches = -1;
  gated_is(report, "no-build-after-launch 50", KILN_GATE_OPEN, "it is not known after which launch");
  late->result = KILN_BUILD_CACHED;
  gated_is(report, "no-build-after-launch 50", KILN_GATE_KEPT, "");
  kiln_report_free(report);
}

/* A process is held against its own mark; one without against the first of the run. */
static void
test_after_mark(void **state)
{
  (void)state;
  struct kiln_report *report = gated_report();
  gated_is(report, "no-build-after-mark ready", KILN_GATE_OPEN, "the cold run of sample 1 never set the mark 'ready'");
  for (int i = 0; i < 2; i++) {
    gated_mark(made_cold(report, i), "ready", 1, 11);
    gated_mark(made_warm(report, i), "ready", 1, 11);
  }
  gated_is(report, "no-build-after-mark ready", KILN_GATE_KEPT, "no build after the mark 'ready'");
  gated_is(report, "no-build-after-mark other", KILN_GATE_OPEN, "'other'");
  made_build(made_cold(report, 1), "rank", "d", 2, 20, 5);
  gated_is(report, "no-build-after-mark ready", KILN_GATE_BROKEN, "sample 2 made 1 build after the mark 'ready': rank");
  gated_mark(made_cold(report, 1), "ready", 2, 30);
  gated_is(report, "no-build-after-mark ready", KILN_GATE_KEPT, "");
  made_build(made_cold(report, 1), "rank", "d", 2, 30, 5);
  gated_is(report, "no-build-after-mark ready", KILN_GATE_BROKEN, "1 build");
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_build_when_warm),
      cmocka_unit_test(test_what_saw_nothing_proves_nothing),
      cmocka_unit_test(test_max_builds),
      cmocka_unit_test(test_after_launch),
      cmocka_unit_test(test_after_mark),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
