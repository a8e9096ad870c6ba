/*
 * Pieces of the terminal report, one subject a file.
 */
#ifndef KILN_PROBE_REPORT_TEXT_PARTS_H
#define KILN_PROBE_REPORT_TEXT_PARTS_H

#include "probe/report.h"
#include "probe/report/page.h"

/* Work and time of each candidate against the baseline. Nothing for one arm. */
void kiln_report_text_verdicts(struct kiln_page *page, const struct kiln_report *report);
/* Where the time goes: the phases, elapsed and CPU, cold and warm. Nothing without a valid sample. */
void kiln_report_text_phases(struct kiln_page *page, const struct kiln_report_arm *arm);
/* The builds that cost most without the precompiled header. Nothing when none was built. */
void kiln_report_text_builds(struct kiln_page *page, const struct kiln_report_arm *arm);
/* All numbers of a recorded run (report->recorded), with its processes. */
void kiln_report_text_record(struct kiln_page *page, const struct kiln_report *report);
/* A diagnosis: what compiling costs, then every mechanism with its state. */
void kiln_report_text_diagnosis(struct kiln_page *page, const struct kiln_report *report);
/* Findings with evidence and remedy, then warnings. */
void kiln_report_text_findings(struct kiln_page *page, const struct kiln_report *report);

#endif
