/*
 * Readiness of a program that does not end: what `until` asks, for the runner.
 *
 * Order: init, run with kiln_until_ready, release. Not thread safe.
 */
#ifndef KILN_PROBE_MEASURE_UNTIL_H
#define KILN_PROBE_MEASURE_UNTIL_H

#include <stdbool.h>

#include "base/buf.h"
#include "os/runner.h"
#include "probe/measure.h"

struct kiln_until {
  struct kiln_run_ready ready; /* points back to this struct, which must not move */
  const char *events;          /* folder of the run, not owned */
  uint64_t launches;           /* wanted */
};

/* For one run whose events go to this folder. */
void kiln_until_init(struct kiln_until *until, const struct kiln_measure_until *wanted, const char *events);
/* For kiln_run_options.ready; NULL when nothing is asked. */
const struct kiln_run_ready *kiln_until_ready(const struct kiln_until *until);
/* Kernels entered so far, by the counter files of a folder; those that found no room in a table included. */
uint64_t kiln_until_count_launches(const char *events);
/* Is anything asked? */
bool kiln_measure_until_asked(const struct kiln_measure_until *until);
/* "a line that matches 'RE'", appended to text. */
void kiln_measure_until_name(const struct kiln_measure_until *until, struct kiln_buf *text);

#endif
