/*
 * The live view of one run: which module is being built and for how long, read from the events while they are written.
 *
 * Order: init before the run, tick while it runs, end after it, release. Not thread safe.
 */
#ifndef KILN_PROBE_MEASURE_LIVE_H
#define KILN_PROBE_MEASURE_LIVE_H

#include <stddef.h>
#include <stdint.h>

#include "event/reader.h"
#include "probe/measure.h"

#define KILN_LIVE_MODULES 64
#define KILN_LIVE_NAME 120

struct kiln_live_module {
  char name[KILN_LIVE_NAME];
  int pid;
  uint64_t since_ns;
};

struct kiln_live {
  const struct kiln_measure_options *options; /* not owned */
  struct kiln_event_follower *follower;       /* NULL: nobody looks */
  const char *run;
  int sample, samples; /* of arms: the pair, and the pairs of the next look */
  uint64_t begin_ns;
  struct kiln_live_module building[KILN_LIVE_MODULES]; /* in order of their begin */
  size_t building_count;
  unsigned builds_done;
};

/* Also reports the begin of the run. */
void kiln_live_init(struct kiln_live *live, const struct kiln_measure_options *options, int sample, const char *run,
    const char *events);
/* For kiln_run_options.tick; context is the struct. */
void kiln_live_tick(void *context);
void kiln_live_end(struct kiln_live *live, double elapsed_s, unsigned builds_done);
void kiln_live_release(struct kiln_live *live);
/* One event, as the follower gives it. Always true: go on. */
bool kiln_live_event(void *context, const struct kiln_event *event);

#endif
