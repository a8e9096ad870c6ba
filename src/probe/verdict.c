#include "probe/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "probe/stats.h"

#define OVERLAPPED 1.2
#define NOT_OVERLAPPED 1.1
#define SHORTEST_S 1e-6 /* what the clock of CPU time resolves */

const char *
kiln_metric_name(enum kiln_metric metric)
{
  static const char *const names[KILN_METRIC_COUNT] = {"cold_cpu", "warm_cpu", "cold_elapsed", "warm_elapsed"};
  return (unsigned)metric < KILN_METRIC_COUNT ? names[metric] : "unknown";
}

enum kiln_metric
kiln_metric_deciding(bool same_work, double overlap_base, double overlap_candidate)
{
  const bool one = (overlap_base >= OVERLAPPED && overlap_candidate < NOT_OVERLAPPED) ||
                   (overlap_candidate >= OVERLAPPED && overlap_base < NOT_OVERLAPPED);
  return same_work && one ? KILN_METRIC_COLD_ELAPSED : KILN_METRIC_COLD_CPU;
}

static double
at_least_shortest(double seconds)
{
  return seconds > SHORTEST_S ? seconds : SHORTEST_S;
}

/* A difference of logarithms, not the logarithm of a ratio: swapping the arms then changes the sign and nothing else,
 * and opposite pairs of a coarse clock cancel to zero, as the rule's bound asks for. */
static void
log_ratios(const struct kiln_timed_pair *pairs, size_t n, enum kiln_metric metric, double *d)
{
  for (size_t i = 0; i < n; i++) {
    const double *seconds = pairs[i].seconds[metric];
    d[i] = log(at_least_shortest(seconds[1])) - log(at_least_shortest(seconds[0]));
  }
}

static void
spread(const struct kiln_timed_pair *pairs, size_t n, enum kiln_metric metric, double *values,
    struct kiln_timed_metric *out)
{
  for (int side = 0; side < 2; side++) {
    for (size_t i = 0; i < n; i++)
      values[i] = pairs[i].seconds[metric][side];
    out->median[side] = kiln_interval_of(values, n).median; /* sorts values */
    out->least[side] = n ? values[0] : 0;
    out->most[side] = n ? values[n - 1] : 0;
  }
}

static void
differences(const struct kiln_timed_pair *pairs, size_t n, double *values, double out[2][2])
{
  static const enum kiln_metric cold[2] = {KILN_METRIC_COLD_CPU, KILN_METRIC_COLD_ELAPSED};
  static const enum kiln_metric warm[2] = {KILN_METRIC_WARM_CPU, KILN_METRIC_WARM_ELAPSED};
  for (int kind = 0; kind < 2; kind++)
    for (int side = 0; side < 2; side++) {
      for (size_t i = 0; i < n; i++)
        values[i] = pairs[i].seconds[cold[kind]][side] - pairs[i].seconds[warm[kind]][side];
      out[kind][side] = kiln_interval_of(values, n).median;
    }
}

static const struct kiln_look_plan *
plan_of(size_t pairs)
{
  for (int i = 0; i < KILN_SEQUENTIAL_LOOKS; i++)
    if (kiln_looks[i].pairs == pairs)
      return &kiln_looks[i];
  return NULL;
}

/* The other metrics at the look where the measurement stopped; values has room for n. */
static enum kiln_status
show_metrics(const struct kiln_timed_pair *pairs, double *values, struct kiln_time *time, struct kiln_error *error)
{
  const size_t n = time->pairs_used;
  const struct kiln_look_plan *plan = plan_of(n);
  enum kiln_status status = KILN_OK;
  for (int i = 0; i < KILN_METRIC_COUNT && status == KILN_OK; i++) {
    spread(pairs, n, (enum kiln_metric)i, values, &time->metrics[i]);
    log_ratios(pairs, n, (enum kiln_metric)i, values);
    if (plan && time->sequence.look_count)
      status = kiln_look_make(values, plan, time->resolution, &time->metrics[i].look, error);
  }
  differences(pairs, n, values, time->difference);
  return status;
}

enum kiln_status
kiln_time_judge(const struct kiln_timed_pair *pairs, size_t n, enum kiln_metric metric, double resolution,
    struct kiln_time *time, struct kiln_error *error)
{
  memset(time, 0, sizeof *time);
  double *values = malloc((n + 1) * sizeof *values);
  if (!values)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short for %zu pairs.", n);
  log_ratios(pairs, n, metric, values);
  enum kiln_status status = kiln_sequence_judge(values, n, resolution, &time->sequence, error);
  const size_t looks = time->sequence.look_count;
  time->metric = metric;
  time->resolution = resolution;
  time->pairs_made = n;
  time->pairs_used = looks ? time->sequence.looks[looks - 1].pairs : n;
  if (time->sequence.verdict == KILN_VERDICT_INCONCLUSIVE)
    time->pairs_wanted = kiln_sequence_wanted(&time->sequence, resolution);
  if (status == KILN_OK)
    status = show_metrics(pairs, values, time, error);
  free(values);
  return status;
}
