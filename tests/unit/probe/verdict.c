#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probe/verdict.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static void
test_deciding_metric(void **state)
{
  (void)state;
  assert_int_equal(kiln_metric_deciding(true, 1, 1), KILN_METRIC_COLD_CPU);
  assert_int_equal(kiln_metric_deciding(true, 1, 1.2), KILN_METRIC_COLD_ELAPSED);
  assert_int_equal(kiln_metric_deciding(true, 3, 1), KILN_METRIC_COLD_ELAPSED);
  assert_int_equal(kiln_metric_deciding(true, 3, 0), KILN_METRIC_COLD_ELAPSED); /* nothing built: no overlap */
  assert_int_equal(kiln_metric_deciding(false, 1, 1.2), KILN_METRIC_COLD_CPU);
  assert_int_equal(kiln_metric_deciding(true, 1.2, 1.2), KILN_METRIC_COLD_CPU); /* both overlap */
  assert_int_equal(kiln_metric_deciding(true, 1, 1.19), KILN_METRIC_COLD_CPU);
  assert_int_equal(kiln_metric_deciding(true, 1.1, 1.3), KILN_METRIC_COLD_CPU);
}

/* n pairs: CPU of the candidate grows by `cpu`, elapsed by `elapsed`; warm is the same. */
static void
fill(struct kiln_timed_pair *pairs, size_t n, double cpu, double elapsed)
{
  for (size_t i = 0; i < n; i++) {
    const double scatter = 1 + 0.001 * (double)(i % 5);
    const struct kiln_timed_pair pair = {{[KILN_METRIC_COLD_CPU] = {2 * scatter, 2 * scatter * cpu},
        [KILN_METRIC_WARM_CPU] = {0.5 * scatter, 0.5 * scatter},
        [KILN_METRIC_COLD_ELAPSED] = {4 * scatter, 4 * scatter * elapsed},
        [KILN_METRIC_WARM_ELAPSED] = {1 * scatter, 1 * scatter}}};
    pairs[i] = pair;
  }
}

static void
test_one_decides_the_others_are_shown(void **state)
{
  struct kiln_timed_pair pairs[20];
  struct kiln_time time;
  (void)state;
  fill(pairs, 20, 1.1, 0.5);
  assert_int_equal(kiln_time_judge(pairs, 20, KILN_METRIC_COLD_CPU, 0.05, &time, NULL), KILN_OK);
  assert_int_equal(time.sequence.verdict, KILN_VERDICT_REGRESSED);
  assert_int_equal(time.pairs_used, 11);
  assert_int_equal(time.pairs_made, 20);
  assert_int_equal(time.pairs_wanted, 0);
  NEAR(kiln_log_percent(time.metrics[KILN_METRIC_COLD_CPU].look.estimate), 10);
  NEAR(kiln_log_percent(time.metrics[KILN_METRIC_COLD_ELAPSED].look.estimate), -50);
  assert_int_equal(time.metrics[KILN_METRIC_WARM_CPU].look.verdict, KILN_VERDICT_SAME);
  assert_int_equal(kiln_time_judge(pairs, 20, KILN_METRIC_COLD_ELAPSED, 0.05, &time, NULL), KILN_OK);
  assert_int_equal(time.sequence.verdict, KILN_VERDICT_IMPROVED);
  assert_int_equal(time.metric, KILN_METRIC_COLD_ELAPSED);
}

static void
test_numbers_are_of_the_pairs_used(void **state)
{
  struct kiln_timed_pair pairs[12];
  struct kiln_time time;
  (void)state;
  fill(pairs, 12, 1.1, 1);
  pairs[11].seconds[KILN_METRIC_COLD_CPU][0] = 1000; /* behind the look */
  kiln_time_judge(pairs, 12, KILN_METRIC_COLD_CPU, 0.05, &time, NULL);
  NEAR(time.metrics[KILN_METRIC_COLD_CPU].most[0], 2.008);
  NEAR(time.metrics[KILN_METRIC_COLD_CPU].least[0], 2);
  NEAR(time.metrics[KILN_METRIC_COLD_CPU].median[0], 2.004);
  NEAR(time.difference[0][0], 2.004 - 0.501);
  NEAR(time.difference[1][0], 4.008 - 1.002);
}

static void
test_few_pairs(void **state)
{
  struct kiln_timed_pair pairs[10];
  struct kiln_time time;
  (void)state;
  fill(pairs, 10, 2, 2);
  assert_int_equal(kiln_time_judge(pairs, 10, KILN_METRIC_COLD_CPU, 0.05, &time, NULL), KILN_OK);
  assert_int_equal(time.sequence.verdict, KILN_VERDICT_INCONCLUSIVE);
  assert_int_equal(time.pairs_used, 10);
  assert_int_equal(time.metrics[KILN_METRIC_COLD_CPU].look.pairs, 0);
  NEAR(time.metrics[KILN_METRIC_COLD_CPU].median[1], 4.008);
  assert_int_equal(kiln_time_judge(pairs, 0, KILN_METRIC_COLD_CPU, 0.05, &time, NULL), KILN_OK);
  assert_int_equal(time.pairs_used, 0);
}

/* A run shorter than the clock resolves has no ratio. */
static void
test_times_of_zero(void **state)
{
  struct kiln_timed_pair pairs[11];
  struct kiln_time time;
  (void)state;
  memset(pairs, 0, sizeof pairs);
  assert_int_equal(kiln_time_judge(pairs, 11, KILN_METRIC_COLD_CPU, 0.05, &time, NULL), KILN_OK);
  assert_int_equal(time.sequence.verdict, KILN_VERDICT_SAME);
  assert_true(isfinite(time.metrics[KILN_METRIC_COLD_CPU].look.high));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_deciding_metric),
      cmocka_unit_test(test_one_decides_the_others_are_shown),
      cmocka_unit_test(test_numbers_are_of_the_pairs_used),
      cmocka_unit_test(test_few_pairs),
      cmocka_unit_test(test_times_of_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
