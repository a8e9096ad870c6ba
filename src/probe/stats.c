#include "probe/stats.h"

#include <math.h>
#include <stdlib.h>

static int
compare_values(const void *a, const void *b)
{
  const double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

/* Probability that exactly k of n fair coins show heads. By logarithms, because 2^-n underflows beyond n = 1074. */
static double
coin_probability(size_t n, size_t k)
{
  const double ways = lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
  return exp(ways - (double)n * log(2.0));
}

/* Zero-based rank of the lower end: values[rank] … values[n - 1 - rank] misses the median with the probability that at
 * most `rank` values fall on one side of it, twice. */
static size_t
interval_rank(size_t n)
{
  if (n < 6)
    return 0;
  size_t rank = 0;
  double below = coin_probability(n, 0);
  while (2 * (rank + 2) < n) {
    below += coin_probability(n, rank + 1);
    if (2 * below > 0.05)
      break;
    rank++;
  }
  return rank;
}

struct kiln_interval
kiln_interval_of(double *values, size_t n)
{
  struct kiln_interval interval = {0, 0, 0, n};
  if (n == 0)
    return interval;
  qsort(values, n, sizeof *values, compare_values);
  interval.median = (values[(n - 1) / 2] + values[n / 2]) / 2;
  const size_t rank = interval_rank(n);
  interval.lo = values[rank];
  interval.hi = values[n - 1 - rank];
  return interval;
}
