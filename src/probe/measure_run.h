/*
 * The steps of one measurement: run the command once, look at what it left. Used by measure.c only.
 */
#ifndef KILN_PROBE_MEASURE_RUN_H
#define KILN_PROBE_MEASURE_RUN_H

#include "base/buf.h"
#include "kiln/error.h"
#include "probe/escape.h"
#include "probe/measure.h"
#include "probe/report.h"
#include "probe/sandbox.h"
#include "probe/sweep.h"

/* What all steps share. A step that must stop the measurement sets report->state and report->failure. */
struct kiln_measurement {
  const struct kiln_measure_options *options;
  struct kiln_report *report;
  struct kiln_sandbox *sandbox;
  struct kiln_escape_watch *watch;
  struct kiln_buf *output_tail; /* may be NULL */
  unsigned runs;                /* made so far */
};

/* Stop with this sentence, unless already stopped. */
void kiln_measurement_stop(struct kiln_measurement *measurement, enum kiln_report_state state, const char *format, ...)
    KILN_PRINTF(3, 4);

/* Run the command in sample `index` (0: unmeasured) as `run` ("cold", "warm") and fill *out, whose model the caller
 * frees. A result that stops the measurement is KILN_OK; an error is one of kiln itself. */
enum kiln_status kiln_measurement_run(struct kiln_measurement *measurement, int index, const char *run,
    struct kiln_report_run *out, struct kiln_error *error);

/* Warnings of one run: what was cut, lost, killed or not observed; events against the sweep (measure_check.c).
 * before NULL: the caches were empty. */
void kiln_measurement_check_run(struct kiln_measurement *measurement, int index, const struct kiln_report_run *run,
    const struct kiln_sweep *before, const struct kiln_sweep *after);
/* Stop when an artefact outside the sandbox is new. */
void kiln_measurement_check_escape(struct kiln_measurement *measurement);

#endif
