/*
 * Pieces of the JSON report, shared by the files that write it. Names and units: docs/report.md.
 */
#ifndef KILN_PROBE_REPORT_JSON_PARTS_H
#define KILN_PROBE_REPORT_JSON_PARTS_H

#include "base/json_write.h"
#include "probe/report.h"

/* {"file", "line"}, or null when the place is not known. */
void kiln_report_json_where(struct kiln_json *json, struct kiln_where where);
/* Object of phases: name → {"elapsed_s", "cpu_s"}. */
void kiln_report_json_phases(struct kiln_json *json, const struct kiln_span_time phase[KILN_PHASE_COUNT]);
/* Members arms: samples and summary of each arm. */
void kiln_report_json_arms(struct kiln_json *json, const struct kiln_report *report);
/* Members findings, not_fired, diagnosis: all mechanisms are findings once a diagnosis was made. */
void kiln_report_json_findings(struct kiln_json *json, const struct kiln_report *report);
/* Members time, verdicts, pairs, max_pairs, max_time_s: of several arms; null, empty or 0 for one. */
void kiln_report_json_verdicts(struct kiln_json *json, const struct kiln_report *report);
/* Members builds, loads, launches, processes, marks: flat lists over all samples and runs. */
void kiln_report_json_tables(struct kiln_json *json, const struct kiln_report *report);
/* Member identities: what the keys of the whole report were made of. */
void kiln_report_json_identities(struct kiln_json *json, const struct kiln_report *report);

#endif
