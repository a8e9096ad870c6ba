/*
 * The two verdicts of a candidate against its baseline, from a report in memory.
 */
#ifndef KILN_PROBE_JUDGE_H
#define KILN_PROBE_JUDGE_H

#include "kiln/error.h"
#include "probe/report.h"

/* Valid pairs of one candidate in time order, as times. Free with free(); NULL: memory is short. */
struct kiln_timed_pair *kiln_report_timed_pairs(const struct kiln_report *report, size_t candidate, size_t *count);
/* Fill verdict->work, decided_by and notes from the valid samples of both arms. Nothing valid: work is NULL. */
enum kiln_status kiln_report_judge_work(
    struct kiln_report *report, struct kiln_report_verdict *verdict, struct kiln_error *error);
/* Fill verdict->time from the valid pairs so far. The metric that decides is chosen at the first look and kept; before
 * it, and without one, it is cold CPU. */
enum kiln_status kiln_report_judge_time(
    struct kiln_report *report, struct kiln_report_verdict *verdict, struct kiln_error *error);

#endif
