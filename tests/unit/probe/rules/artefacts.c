#include "unit/probe/rules/judged.h"

#include "probe/rules/artefacts.h"
#include "probe/rules/facts.h"

static void
one_row_an_artefact(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.19.0");
  struct kiln_model *cold = made_cold(report, 0);
  made_build(cold, "m", A, 1, 10, 100)->pch.wall_ns = 40 * MS;
  made_build(cold, "m", A, 2, 20, 100);
  made_build(cold, "n", B, 1, 30, 50)->device = "cuda:0";
  made_build(cold, "x", C, 1, 40, 50)->result = KILN_BUILD_FAILED;
  made_hash(cold, "m", A, 1, 9, "k=1 l=2", "fast=1");
  judged_launch(cold, "m", A, "cpu", 1);
  judged_launch(cold, "m", A, "cpu", 1)->direction = "backward";
  judged_launch(cold, "m", A, "cpu", 64);
  struct kiln_artefacts artefacts;
  assert_true(kiln_artefacts_find(&artefacts, report, "X"));
  assert_int_equal(artefacts.count, 2);
  assert_int_equal(artefacts.items[0].builds, 2);
  assert_int_equal(artefacts.items[0].own_ns, 60 * MS);
  assert_int_equal(artefacts.items[0].forward, 2);
  assert_int_equal(artefacts.items[0].backward, 2);
  assert_int_equal(kiln_artefact_kernels(&artefacts.items[0]), 2);
  assert_string_equal(kiln_artefact_option(&artefacts.items[0], "fast"), "1");
  assert_null(kiln_artefact_option(&artefacts.items[1], "fast"));
  assert_false(kiln_artefact_on_gpu(&artefacts.items[0]));
  assert_true(kiln_artefact_on_gpu(&artefacts.items[1]));
  assert_false(kiln_artefacts_alike(&artefacts.items[0], &artefacts.items[1]));
  assert_int_equal(artefacts.sum_ns, 110 * MS);
  assert_int_equal(artefacts.largest_ns, 60 * MS);
  kiln_artefacts_release(&artefacts);
  assert_int_equal(report->other_count, 0);
  kiln_report_free(report);
}

static void
users_code_is_told_from_packages(void **state)
{
  (void)state;
  assert_true(kiln_facts_is_users(AT(1)));
  assert_true(kiln_facts_is_users(NOWHERE));
  assert_false(kiln_facts_is_users((struct kiln_where){"/v/lib/python3/site-packages/warp/_src/sparse.py", 1}));
  assert_true(kiln_facts_is_users((struct kiln_where){"/v/lib/python3/site-packages/warp/examples/a.py", 1}));
  struct kiln_report *report = judged_report("warp 1.16.3");
  assert_int_equal(kiln_facts_warp(made_cold(report, 0)), 1016);
  kiln_report_free(report);
  report = judged_report("numba 0.68");
  assert_int_equal(kiln_facts_warp(made_cold(report, 0)), 0);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_row_an_artefact), cmocka_unit_test(users_code_is_told_from_packages)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
