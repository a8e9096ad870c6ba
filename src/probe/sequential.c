#include "probe/sequential.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rough: scatter is known badly from few pairs. */
#define WANTED_MARGIN 1.5
#define WANTED_MOST 1e6

const struct kiln_look_plan kiln_looks[KILN_SEQUENTIAL_LOOKS] = {{11, 0, 7}, {16, 10, 23}, {23, 38, 62}, {32, 99, 140},
    {45, 242, 312}, {64, 572, 693}, {90, 1267, 1471}, {128, 2803, 3152}, {181, 6007, 6596}};

const char *
kiln_verdict_name(enum kiln_verdict verdict)
{
  static const char *const names[] = {"INCONCLUSIVE", "SAME", "IMPROVED", "REGRESSED"};
  return (unsigned)verdict < sizeof names / sizeof *names ? names[verdict] : "UNKNOWN";
}

double
kiln_log_percent(double value)
{
  return 100 * expm1(value);
}

size_t
kiln_look_reached(size_t pairs)
{
  size_t reached = 0;
  for (int i = 0; i < KILN_SEQUENTIAL_LOOKS && kiln_looks[i].pairs <= pairs; i++)
    reached = kiln_looks[i].pairs;
  return reached;
}

static int
compare_values(const void *a, const void *b)
{
  const double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static void
walsh_averages(const double *d, size_t n, double *walsh)
{
  size_t m = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = i; j < n; j++)
      walsh[m++] = (d[i] + d[j]) / 2;
  qsort(walsh, m, sizeof *walsh, compare_values);
}

static enum kiln_verdict
decide(const struct kiln_look *look, double resolution)
{
  const double floor = log1p(KILN_SEQUENTIAL_FLOOR), margin = log1p(resolution);
  if (look->low > 0 && look->estimate >= floor)
    return KILN_VERDICT_REGRESSED;
  if (look->high < 0 && look->estimate <= -floor)
    return KILN_VERDICT_IMPROVED;
  if (look->inner_low > -margin && look->inner_high < margin)
    return KILN_VERDICT_SAME;
  return KILN_VERDICT_INCONCLUSIVE;
}

enum kiln_status
kiln_look_make(const double *d, const struct kiln_look_plan *plan, double resolution, struct kiln_look *look,
    struct kiln_error *error)
{
  const size_t n = plan->pairs, m = n * (n + 1) / 2;
  double *walsh = malloc(m * sizeof *walsh);
  if (!walsh)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short for a look at %zu pairs.", n);
  walsh_averages(d, n, walsh);
  look->pairs = n;
  look->estimate = m % 2 ? walsh[m / 2] : (walsh[m / 2 - 1] + walsh[m / 2]) / 2;
  look->low = walsh[plan->k_alpha];
  look->high = walsh[m - 1 - plan->k_alpha];
  look->inner_low = walsh[plan->k_beta];
  look->inner_high = walsh[m - 1 - plan->k_beta];
  look->verdict = decide(look, resolution);
  free(walsh);
  return KILN_OK;
}

enum kiln_status
kiln_sequence_judge(
    const double *d, size_t n, double resolution, struct kiln_sequence *sequence, struct kiln_error *error)
{
  memset(sequence, 0, sizeof *sequence);
  for (int i = 0; i < KILN_SEQUENTIAL_LOOKS && kiln_looks[i].pairs <= n; i++) {
    const enum kiln_status status = kiln_look_make(d, &kiln_looks[i], resolution, &sequence->looks[i], error);
    if (status != KILN_OK)
      return status;
    sequence->look_count++;
    sequence->verdict = sequence->looks[i].verdict;
    if (sequence->verdict != KILN_VERDICT_INCONCLUSIVE)
      break;
  }
  return KILN_OK;
}

size_t
kiln_sequence_wanted(const struct kiln_sequence *sequence, double resolution)
{
  if (sequence->look_count == 0)
    return 0;
  const struct kiln_look *last = &sequence->looks[sequence->look_count - 1];
  const double scale = (last->inner_high - last->inner_low) / (2 * log1p(resolution)) * WANTED_MARGIN;
  const double wanted = ceil((double)last->pairs * scale * scale);
  const size_t next =
      sequence->look_count < KILN_SEQUENTIAL_LOOKS ? kiln_looks[sequence->look_count].pairs : last->pairs;
  if (!(wanted < WANTED_MOST))
    return (size_t)WANTED_MOST;
  return wanted > (double)next ? (size_t)wanted : next;
}
