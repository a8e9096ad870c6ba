/*
 * `kiln op bench`: how long an op takes, with its result checked in the same run and a plain copy of as many bytes
 * beside it.
 *
 * CUDA: a graph of calls that walk through so many sets of buffers that the L2 cache holds none of them when it comes
 * round again; the graph is run again and again, events say how long. CPU: single calls by the clock, walking through
 * the sets in the same way. All sets together take at most a quarter of the GPU's memory, or 2 GiB of the host's.
 * A wrong result is no result: then there are no times.
 */
#ifndef KILN_OP_TOOL_BENCH_H
#define KILN_OP_TOOL_BENCH_H

#include "op/tool/run.h"

enum { KILN_BENCH_MOST = 101 };

/* Times of one call, seconds; sorted. */
struct kiln_series {
  double times[KILN_BENCH_MOST];
  unsigned count;
};
/* The q-quantile, 0 … 1, by rank; 0 of nothing. */
double kiln_series_quantile(const struct kiln_series *series, double q);

struct kiln_bench {
  struct kiln_run run;     /* the check; run.result.ok false: nothing was timed */
  const char *timer;       /* "graph replay, events" or "clock" */
  unsigned sets;           /* of buffers */
  uint64_t bytes;          /* that one call reads and writes */
  unsigned graph_calls;    /* in one replay; 1 on the CPU */
  struct kiln_series call; /* of the op */
  struct kiln_series copy; /* of a copy of bytes / 2, which moves as many bytes */
};

/* Make, check and time one trial, `rounds` times (at most KILN_BENCH_MOST). The caller releases the trial. */
enum kiln_status kiln_bench_trial(
    struct kiln_trial *trial, unsigned rounds, struct kiln_bench *bench, struct kiln_error *error);

#endif
