#include "unit/probe/made.h"

#include "probe/stats.h"

static void
nothing_is_zero(void **state)
{
  (void)state;
  const struct kiln_interval interval = kiln_interval_of(NULL, 0);
  assert_int_equal(interval.n, 0);
  assert_true(interval.median == 0 && interval.lo == 0 && interval.hi == 0);
}

static void
few_samples_give_the_range(void **state)
{
  (void)state;
  double one[] = {4}, two[] = {3, 1}, five[] = {5, 1, 4, 2, 3};
  struct kiln_interval interval = kiln_interval_of(one, 1);
  assert_true(interval.median == 4 && interval.lo == 4 && interval.hi == 4);
  interval = kiln_interval_of(two, 2);
  assert_true(interval.median == 2 && interval.lo == 1 && interval.hi == 3);
  interval = kiln_interval_of(five, 5);
  assert_true(interval.median == 3 && interval.lo == 1 && interval.hi == 5 && interval.n == 5);
}

/* Ranks from the binomial table: n = 8 is the last with the whole range (96 % needs k = 1), 9 to 11 leave one value out
 * on each side, 12 to 14 two, 20 five, 100 thirty-nine. */
static void
ranks_follow_the_binomial_table(void **state)
{
  (void)state;
  static const struct {
    size_t n;
    int left_out;
  } table[] = {{6, 0}, {7, 0}, {8, 0}, {9, 1}, {11, 1}, {12, 2}, {14, 2}, {15, 3}, {20, 5}, {100, 39}};
  double values[100];
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    for (size_t j = 0; j < table[i].n; j++)
      values[j] = (double)(table[i].n - j);
    const struct kiln_interval interval = kiln_interval_of(values, table[i].n);
    assert_int_equal((int)interval.lo, 1 + table[i].left_out);
    assert_int_equal((int)interval.hi, (int)table[i].n - table[i].left_out);
  }
}

static void
many_samples_do_not_underflow(void **state)
{
  (void)state;
  static double values[4000];
  for (int i = 0; i < 4000; i++)
    values[i] = i;
  const struct kiln_interval interval = kiln_interval_of(values, 4000);
  /* half a width is 1.96 × √n / 2 ranks */
  assert_in_range((int)interval.lo, 1935, 1940);
  assert_in_range((int)interval.hi, 2059, 2064);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_zero), cmocka_unit_test(few_samples_give_the_range),
      cmocka_unit_test(ranks_follow_the_binomial_table), cmocka_unit_test(many_samples_do_not_underflow)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
