/*
 * What the two ways of building ahead share: in processes (prebuild.c) and by the framework's threads
 * (prebuild_threads.c).
 */
#ifndef KILN_PROBE_LEVERS_AHEAD_H
#define KILN_PROBE_LEVERS_AHEAD_H

#include "probe/levers/facts.h"

/* What building ahead could give at best: each number in seconds. */
struct kiln_lever_ahead {
  size_t builds;       /* distinct identities that the run built */
  double sum_s;        /* of them */
  double largest_s;    /* the largest, without the header that it happened to make */
  double header_s;     /* the dearest precompiled header, which comes before any build that uses it */
  double speedup;      /* sum ÷ (largest + header): the builds cannot become faster than that */
  const char *largest; /* module; NULL without builds */
  double rest_s;       /* elapsed outside builds */
  double best_s;       /* the whole cold run at best: max(largest + header, rest), and what cores carry */
  double elapsed_s;    /* the whole cold run as it was */
};
struct kiln_lever_ahead kiln_lever_ahead_of(const struct kiln_lever_view *view);
/* {"id": "prebuild", "how": how, "modules": […]} */
void kiln_lever_ahead_write(const struct kiln_lever_view *view, const char *how, struct kiln_json *json);

#endif
