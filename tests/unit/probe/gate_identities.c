#include "unit/probe/gated.h"

static void
test_the_same_in_every_run(void **state)
{
  (void)state;
  struct kiln_report *report = gated_report();
  gated_is(report, "stable-identities", KILN_GATE_KEPT, "the same identities in 4 runs");
  made_cold(report, 1)->builds[0].identity = "bbbbbbbbbb";
  gated_is(report, "stable-identities", KILN_GATE_BROKEN,
      "'sim' has identity bbbbbbb in the cold run of sample 2, but not in the cold run of sample 1");
  made_cold(report, 1)->builds[0].identity = "aaaaaaaaaa";
  made_warm(report, 1)->loads[0].identity = "cc";
  gated_is(report, "stable-identities", KILN_GATE_BROKEN,
      "'sim' has identity aaaaaaa in the cold run of sample 2, but not in the warm run of sample 2");
  kiln_report_free(report);
}

/* A build that no load follows is cold only: that is no difference to the warm run. */
static void
test_a_build_without_a_load(void **state)
{
  (void)state;
  struct kiln_report *report = gated_report();
  for (int i = 0; i < 2; i++)
    made_build(made_cold(report, i), "ahead", "ddd", 1, 40, 5);
  gated_is(report, "stable-identities", KILN_GATE_KEPT, "");
  made_cold(report, 1)->builds[1].identity = "eee";
  gated_is(report, "stable-identities", KILN_GATE_BROKEN, "'ahead'");
  kiln_report_free(report);
}

static void
test_names_that_differ_are_seen_too(void **state)
{
  (void)state;
  struct kiln_report *report = gated_report();
  made_load(made_cold(report, 0), "k_1234", "fff", 1, 50);
  made_load(made_cold(report, 1), "k_5678", "ggg", 1, 50);
  gated_is(report, "stable-identities", KILN_GATE_BROKEN, "'k_1234'");
  kiln_report_free(report);
}

static void
test_one_run_is_not_enough(void **state)
{
  (void)state;
  struct kiln_report *report = gated_report();
  report->arms[0].sample_count = 1;
  report->arms[0].samples[0].warm.present = false;
  gated_is(report, "stable-identities", KILN_GATE_OPEN, "nothing to hold it against");
  report->arms[0].sample_count = 2;
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_same_in_every_run),
      cmocka_unit_test(test_a_build_without_a_load),
      cmocka_unit_test(test_names_that_differ_are_seen_too),
      cmocka_unit_test(test_one_run_is_not_enough),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
