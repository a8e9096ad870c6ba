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

/* Pairs that may be made to have `valid` good ones: one in ten may be void, and one more. */
#define KILN_MEASUREMENT_PAIRS(valid) ((size_t)(valid) + (size_t)(valid) / 9 + 2)

/* What all steps share. A step that must stop the measurement sets report->state and report->failure. */
struct kiln_measurement {
  const struct kiln_measure_options *options;
  struct kiln_report *report;
  struct kiln_sandbox *sandbox;
  struct kiln_escape_watch *watch;
  struct kiln_buf *output_tail; /* may be NULL */
  unsigned runs;                /* made so far */
  bool voids;                   /* a run that fails does not stop the measurement, it voids its pair */
  const char *void_because;     /* it did: sentence in the report's arena */
};

/* Which run: of which arm, where, as what. */
struct kiln_measurement_place {
  const struct kiln_measure_arm *arm;
  int folder;      /* index of the sandbox's folder */
  int sample;      /* 0: unmeasured */
  const char *run; /* "cold", "warm" */
};

/* Stop with this sentence, unless already stopped. */
void kiln_measurement_stop(struct kiln_measurement *measurement, enum kiln_report_state state, const char *format, ...)
    KILN_PRINTF(3, 4);

/* Run the arm's command and fill *out, whose model the caller frees. A result that stops the measurement is KILN_OK; an
 * error is one of kiln itself. */
enum kiln_status kiln_measurement_run(struct kiln_measurement *measurement, const struct kiln_measurement_place *place,
    struct kiln_report_run *out, struct kiln_error *error);
/* The same for two places at the same moment; places[0] is started first. */
enum kiln_status kiln_measurement_run_both(struct kiln_measurement *measurement,
    const struct kiln_measurement_place places[2], struct kiln_report_run *const out[2], struct kiln_error *error);

/* Pairs of all arms (measure_pairs.c). */
enum kiln_status kiln_measurement_pairs(struct kiln_measurement *measurement, struct kiln_error *error);
/* Run, then look at the caches it left. before NULL: they were empty. */
enum kiln_status kiln_measurement_sweep(struct kiln_measurement *measurement,
    const struct kiln_measurement_place *place, struct kiln_report_run *run, const struct kiln_sweep *before,
    struct kiln_sweep *after, struct kiln_error *error);
/* Must no further run be made? Also notices Ctrl-C. */
bool kiln_measurement_stopped(struct kiln_measurement *measurement);
/* What the first cold run tells of the program. */
void kiln_measurement_versions(struct kiln_report *report, const struct kiln_report_run *cold);

/* Warnings of one run: what was cut, lost, killed or not observed; events against the sweep (measure_check.c).
 * before NULL: the caches were empty. */
void kiln_measurement_check_run(struct kiln_measurement *measurement, const struct kiln_measurement_place *place,
    const struct kiln_report_run *run, const struct kiln_sweep *before, const struct kiln_sweep *after);
/* Stop when an artefact outside the sandbox is new. */
void kiln_measurement_check_escape(struct kiln_measurement *measurement);

#endif
