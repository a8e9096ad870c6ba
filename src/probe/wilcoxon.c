#include "probe/wilcoxon.h"

#include <stdlib.h>

#define MOST 1000

/* chance[w] = P(W = w): adding rank r leaves the sum with one half, and raises it by r with the other. Only halving and
 * adding positive numbers, so the relative error stays near that of one rounding. */
static void
fill_chances(double *chance, size_t n)
{
  size_t r, w, reached = 0;
  chance[0] = 1;
  for (r = 1; r <= n; r++) {
    for (w = reached + r + 1; w-- > 0;) {
      const double stay = w <= reached ? chance[w] : 0;
      chance[w] = (stay + (w >= r ? chance[w - r] : 0)) / 2;
    }
    reached += r;
  }
}

bool
kiln_wilcoxon_rank(size_t n, double p, size_t *k)
{
  if (n < 1 || n > MOST)
    return false;
  const size_t count = n * (n + 1) / 2 + 1;
  double *chance = calloc(count, sizeof *chance);
  if (!chance)
    return false;
  fill_chances(chance, n);
  double below = chance[0];
  const bool found = below <= p;
  for (*k = 0; found && *k + 1 < count && below + chance[*k + 1] <= p; ++*k)
    below += chance[*k + 1];
  free(chance);
  return found;
}
