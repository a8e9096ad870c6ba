/*
 * The time verdict of one candidate against its baseline: one metric decides by the rule of probe/sequential.h, the
 * others are shown from the same pairs.
 */
#ifndef KILN_PROBE_VERDICT_H
#define KILN_PROBE_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "kiln/error.h"
#include "probe/sequential.h"

enum kiln_metric {
  KILN_METRIC_COLD_CPU,
  KILN_METRIC_WARM_CPU,
  KILN_METRIC_COLD_ELAPSED,
  KILN_METRIC_WARM_ELAPSED,
  KILN_METRIC_COUNT
};
const char *kiln_metric_name(enum kiln_metric metric); /* "cold_cpu" … as in the JSON */

/* Seconds of one pair; [0] baseline, [1] candidate. */
struct kiln_timed_pair {
  double seconds[KILN_METRIC_COUNT][2];
};

struct kiln_timed_metric {
  double median[2], least[2], most[2]; /* seconds, of the pairs used */
  struct kiln_look look;               /* at the stopping look; pairs 0: there was none */
};

struct kiln_time {
  enum kiln_metric metric; /* that decides */
  double resolution;
  size_t pairs_made;   /* valid pairs */
  size_t pairs_used;   /* at the last look; pairs_made when there was none */
  size_t pairs_wanted; /* about so many would decide; 0: decided, or not known */
  struct kiln_sequence sequence;
  struct kiln_timed_metric metrics[KILN_METRIC_COUNT];
  double difference[2][2]; /* median of cold - warm: CPU, elapsed; of baseline, candidate */
};

/* Does elapsed time decide instead of CPU? Only with the same work and when the builds of exactly one arm overlap.
 * overlap: median factor of each arm's cold runs. */
enum kiln_metric kiln_metric_deciding(bool same_work, double overlap_base, double overlap_candidate);
/* Judge n pairs in time order. A time below a microsecond counts as one. Errors: memory. */
enum kiln_status kiln_time_judge(const struct kiln_timed_pair *pairs, size_t n, enum kiln_metric metric,
    double resolution, struct kiln_time *time, struct kiln_error *error);

#endif
