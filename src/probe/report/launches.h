/*
 * Launches of a run, summed over its processes.
 */
#ifndef KILN_PROBE_REPORT_LAUNCHES_H
#define KILN_PROBE_REPORT_LAUNCHES_H

#include "probe/model.h"

/* One row for each distinct framework, kernel, module, identity, device, block size, dim and direction; pid is 0.
 * Sorted by these. Free with free(); NULL and *count 0 when there is none or memory is short. */
struct kiln_model_launch *kiln_launches_sum(const struct kiln_model *model, size_t *count);

#endif
