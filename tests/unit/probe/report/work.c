#include "unit/probe/made.h"

#include "probe/report/launches.h"
#include "probe/report/work.h"

static void
module_work_counts_each_instant_once(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  struct kiln_model *cold = made_cold(report, 0);
  const struct kiln_report_run *run = &report->arms[0].samples[0].cold;
  assert_true(kiln_run_module_work_s(run) == 0);
  made_build(cold, "b", "b", 2, 150, 100); /* 150 … 250 */
  made_build(cold, "a", "a", 1, 100, 100); /* 100 … 200 */
  made_build(cold, "c", "c", 3, 160, 10);  /* inside both */
  made_load(cold, "a", "a", 1, 400);       /* 400 … 401 */
  assert_true(kiln_run_module_work_s(run) == 0.151);
  cold->builds[0].native.wall_ns = 30 * MS;
  cold->builds[1].native.wall_ns = 40 * MS;
  assert_true(kiln_run_native_s(run) == 0.07);
  kiln_report_free(report);
}

static void
own_time_is_never_negative(void **state)
{
  (void)state;
  struct kiln_model_build build = {.wall_ns = 10, .cpu_ns = 8, .pch = {4, 3}};
  assert_int_equal(kiln_build_own_wall_ns(&build), 6);
  assert_int_equal(kiln_build_own_cpu_ns(&build), 5);
  build.pch = (struct kiln_span_time){11, 9};
  assert_int_equal(kiln_build_own_wall_ns(&build), 0);
  assert_int_equal(kiln_build_own_cpu_ns(&build), 0);
}

static void
devices_are_ordered_by_kind(void **state)
{
  (void)state;
  assert_int_equal(kiln_order_device_kind("cuda:0", "cuda:1"), 0);
  assert_int_equal(kiln_order_device_kind("cuda", "cuda:1"), 0);
  assert_int_equal(kiln_order_device_kind(NULL, ""), 0);
  assert_true(kiln_order_device_kind("cpu", "cuda:0") < 0);
  assert_true(kiln_order_device_kind("cuda:0", "cud") > 0);
  /* a kind that begins like another: the order must be one for all three */
  assert_true(kiln_order_device_kind("a:1", "a-") < 0 && kiln_order_device_kind("a", "a-") < 0);
}

static void
launches_are_summed(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  struct kiln_model *cold = made_cold(report, 0);
  size_t count = 9;
  assert_null(kiln_launches_sum(cold, &count));
  assert_int_equal(count, 0);
  made_launch(cold, "k", 1, 8, 1);
  made_launch(cold, "k", 1, 9, 10);
  made_launch(cold, "k", 2, 8, 100);
  made_launch(cold, "k", 2, 8, 1000);
  cold->launches[3].direction = "backward";
  struct kiln_model_launch *sums = kiln_launches_sum(cold, &count);
  assert_int_equal(count, 3);
  assert_int_equal(sums[0].count, 1000); /* backward sorts first */
  assert_int_equal(sums[1].count, 101);
  assert_int_equal(sums[2].count, 10);
  assert_int_equal(cold->launch_count, 4);
  free(sums);
  kiln_report_free(report);
}

static void
a_device_without_block_size_stands_alone(void **state)
{
  (void)state;
  char label[KILN_DEVICE_LABEL];
  assert_string_equal(kiln_device_label(label, "cuda:0", 256), "cuda:0, block 256");
  assert_string_equal(kiln_device_label(label, "cpu", 0), "cpu");
  assert_string_equal(kiln_device_label(label, NULL, 1), "?, block 1");
}

/* Each field decides where all before it are equal, in this order; devices count by their kind. */
static void
uses_are_ordered_by_module_then_identity(void **state)
{
  (void)state;
  const struct kiln_use rising[] = {
      {NULL, "z", "z", "z:9", 9},
      {"sim", NULL, "z", "z:9", 9},
      {"sim", "m", "z", "cpu", 9},
      {"sim", "m", "z", "cuda:1", 64},
      {"sim", "m", NULL, "cuda:7", 256},
      {"sim", "m", "1", "cuda:0", 256},
      {"sim", "m", "2", "cuda:0", 256},
      {"sim", "n", "1", "cpu", 1},
      {"warp", "a", "1", "cpu", 1},
  };
  const size_t count = sizeof rising / sizeof *rising;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < count; j++) {
      const int order = kiln_order_use(&rising[i], &rising[j]), module = kiln_order_module(&rising[i], &rising[j]);
      assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
      const bool together = i >= 4 && i <= 6 && j >= 4 && j <= 6;
      assert_int_equal((module > 0) - (module < 0), together ? 0 : (i > j) - (i < j));
    }
  const struct kiln_use other_gpu = {"sim", "m", "1", "cuda:3", 256};
  assert_int_equal(kiln_order_use(&rising[5], &other_gpu), 0);
}

static void
builds_and_loads_are_uses(void **state)
{
  (void)state;
  const struct kiln_model_build build = {
      .framework = "sim", .module = "m", .identity = "i", .device = "cuda:0", .block_dim = 64};
  const struct kiln_model_load load = {
      .framework = "sim", .module = "m", .identity = "i", .device = "cuda:1", .block_dim = 64};
  const struct kiln_use built = kiln_use_of_build(&build), loaded = kiln_use_of_load(&load);
  assert_int_equal(kiln_order_use(&built, &loaded), 0);
  assert_string_equal(built.device, "cuda:0");
  assert_string_equal(loaded.device, "cuda:1");
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(module_work_counts_each_instant_once),
      cmocka_unit_test(own_time_is_never_negative), cmocka_unit_test(devices_are_ordered_by_kind),
      cmocka_unit_test(launches_are_summed), cmocka_unit_test(a_device_without_block_size_stands_alone),
      cmocka_unit_test(uses_are_ordered_by_module_then_identity), cmocka_unit_test(builds_and_loads_are_uses)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
