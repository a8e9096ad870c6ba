/*
 * `kiln diagnose`: what a report says about each mechanism, and whether compiling is worth looking at.
 *
 * Order: a report from kiln_measure, kiln_record_read or kiln_report_read; kiln_diagnosis_measure_floor where a command
 * was run and kiln_diagnosis_wants_floor says so; kiln_diagnosis_fill. Then render it as any report.
 */
#ifndef KILN_PROBE_DIAGNOSE_H
#define KILN_PROBE_DIAGNOSE_H

#include "kiln/error.h"
#include "probe/measure.h"
#include "probe/report.h"

/* Fill report->diagnosis from summaries and findings, with the floor that is there. Where compiling is a small share of
 * elapsed, remedies of findings about time are taken away: no lever is advised. Mechanisms of which the report says
 * nothing (a file of an older kiln) become not reached. A report that has a diagnosis already is left as it is. */
void kiln_diagnosis_fill(struct kiln_report *report);
/* Does a finding advise to split or to merge modules, so that the cost of a small one must be known? */
bool kiln_diagnosis_wants_floor(const struct kiln_report *report);
/* Measure what a module of one small kernel costs, with the interpreter, the options and the device of the dearest
 * module of the report, in a sandbox of its own; then let the rules run again. `options` gives preload, supervisor and
 * temporary folder. What hinders it becomes diagnosis.floor_note, never an error: the diagnosis stands without it. */
void kiln_diagnosis_measure_floor(struct kiln_report *report, const struct kiln_measure_options *options);

#endif
