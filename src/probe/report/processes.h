/*
 * What each process of a run built, loaded and launched.
 */
#ifndef KILN_PROBE_REPORT_PROCESSES_H
#define KILN_PROBE_REPORT_PROCESSES_H

#include "probe/model.h"

struct kiln_process_work {
  uint64_t builds; /* results `compiled` */
  uint64_t loads;
  uint64_t launches;
};

/* One element for each of model->processes, in their order. A process that executed several programs has several
 * elements: what it did belongs to the image that was running, its launches to the last one with an interpreter.
 * Free with free(); NULL when there is no process or memory is short. */
struct kiln_process_work *kiln_processes_work(const struct kiln_model *model);

#endif
