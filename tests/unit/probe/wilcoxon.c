#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probe/wilcoxon.h"

/* By counting all 2^n signs. */
static size_t
count_rank(unsigned n, double p, int *found)
{
  size_t counts[16 * 17 / 2 + 1] = {0}, k = 0;
  double below = 0;
  for (unsigned signs = 0; signs < 1u << n; signs++) {
    size_t w = 0;
    for (unsigned r = 1; r <= n; r++)
      w += signs >> (r - 1) & 1 ? r : 0;
    counts[w]++;
  }
  *found = 0;
  for (size_t w = 0; w <= n * (n + 1) / 2; w++) {
    below += (double)counts[w];
    if (below > p * (double)(1u << n))
      break;
    k = w;
    *found = 1;
  }
  return k;
}

static void
test_small_n_by_counting(void **state)
{
  static const double levels[] = {0.5, 0.25, 0.05, 0.01, 0.001};
  (void)state;
  for (unsigned n = 1; n <= 12; n++)
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
      int found;
      size_t k = 99;
      const size_t expected = count_rank(n, levels[i], &found);
      assert_int_equal(kiln_wilcoxon_rank(n, levels[i], &k), found);
      if (found)
        assert_int_equal(k, expected);
    }
}

/* Printed tables: the critical value of W at 0.005 one-sided. */
static void
test_printed_table(void **state)
{
  static const size_t table[][2] = {{8, 0}, {10, 3}, {15, 15}, {20, 37}, {25, 68}, {30, 109}, {40, 220}, {50, 373}};
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    size_t k;
    assert_true(kiln_wilcoxon_rank(table[i][0], 0.005, &k));
    assert_int_equal(k, table[i][1]);
  }
}

static void
test_limits(void **state)
{
  size_t k;
  (void)state;
  assert_false(kiln_wilcoxon_rank(0, 0.5, &k));
  assert_false(kiln_wilcoxon_rank(1001, 0.5, &k));
  assert_false(kiln_wilcoxon_rank(10, 0.0009, &k)); /* P(W = 0) = 1 / 1024 */
  assert_true(kiln_wilcoxon_rank(10, 0.001, &k));
  assert_int_equal(k, 0);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_small_n_by_counting), cmocka_unit_test(test_printed_table), cmocka_unit_test(test_limits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
