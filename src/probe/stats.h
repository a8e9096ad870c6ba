/*
 * Order statistics of a few samples.
 */
#ifndef KILN_PROBE_STATS_H
#define KILN_PROBE_STATS_H

#include <stddef.h>

/* Median with its interval. From n = 6: the narrowest symmetric pair of order statistics that covers the median with at
 * least 95 % (exact, binomial); below that the range. n = 0: all zero. */
struct kiln_interval {
  double median, lo, hi;
  size_t n;
};

/* values is sorted in place. */
struct kiln_interval kiln_interval_of(double *values, size_t n);

#endif
