#include "unit/probe/rules/judged.h"

static struct kiln_model_load *
gpu_load(struct kiln_model *model, bool jit, uint64_t wall_ms)
{
  struct kiln_model_load *load = made_load(model, "m", A, 1, 10);
  load->device = "cuda:0";
  load->jit = jit;
  load->wall_ns = wall_ms * MS;
  load->where = AT(8);
  return load;
}

static void
slow_loads_from_ptx(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.19.0");
  gpu_load(made_cold(report, 0), true, 400);
  gpu_load(made_cold(report, 0), false, 2);
  made_cache(made_cold(report, 0), "off", NULL, "environment", 0);
  made_cold(report, 0)->caches[0].framework = "cuda";
  assert_int_equal(judged(&kiln_rule_n9, report), KILN_FINDING_FIRED);
  assert_true(made_says(&report->findings[0], "1 of 2 loads onto a GPU in the cold run came from PTX"));
  assert_non_null(strstr(report->findings[0].remedy, "CUDA_CACHE_DISABLE"));
  assert_true(made_points_at(&report->findings[0], 8));
  assert_true(JUDGED_NEAR(report->findings[0].saves_at_most_s, 0.4));
  kiln_report_free(report);
}

/* In the warm run everything is "cached", and it is slow all the same: that is told first. */
static void
the_warm_run_counts_more(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  gpu_load(made_cold(report, 0), true, 400);
  gpu_load(made_warm(report, 0), true, 390);
  assert_int_equal(judged(&kiln_rule_n9, report), KILN_FINDING_FIRED);
  assert_true(made_says(&report->findings[0], "in the warm run"));
  kiln_report_free(report);
}

static void
no_gpu_no_ptx_or_fast(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.19.0");
  made_load(made_cold(report, 0), "m", A, 1, 10);
  assert_int_equal(judged(&kiln_rule_n9, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "no module was loaded onto a GPU"));
  kiln_report_free(report);
  report = judged_report("warp 1.19.0");
  gpu_load(made_cold(report, 0), true, 20);
  assert_int_equal(judged(&kiln_rule_n9, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(slow_loads_from_ptx), cmocka_unit_test(the_warm_run_counts_more),
      cmocka_unit_test(no_gpu_no_ptx_or_fast)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
