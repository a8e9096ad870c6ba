/*
 * A report file (docs/report.md) back in memory, to be shown again.
 */
#ifndef KILN_PROBE_REPORT_READ_H
#define KILN_PROBE_REPORT_READ_H

#include "base/json_read.h"
#include "probe/report.h"

/* Read what kiln_report_json wrote. Everything that a renderer shows is there again; summaries and verdicts are
 * computed anew from the samples and pairs, declarations are not in a report, hashes are those of the whole. Times are
 * exact to 9 digits. KILN_ERROR_FORMAT for a file that is no report. Free with kiln_report_free. */
enum kiln_status kiln_report_read(const char *path, struct kiln_report **report, struct kiln_error *error);
/* As above from memory; `name` stands for the path in sentences. Fuzzed. */
enum kiln_status kiln_report_parse(
    const char *data, size_t len, const char *name, struct kiln_report **report, struct kiln_error *error);

/* For kiln_report_read: fill the tables of the models from the flat lists. Rows that name no run are left out; false
 * when memory is short. */
bool kiln_report_read_tables(struct kiln_report *report, const struct cJSON *tree);
/* For kiln_report_read: fill findings, others, the diagnosis and warnings; false when memory is short. */
bool kiln_report_read_findings(struct kiln_report *report, const struct cJSON *tree);
/* For kiln_report_read: fill identities; false when memory is short. */
bool kiln_report_read_identities(struct kiln_report *report, const struct cJSON *tree);
/* For kiln_report_read: fill pairs and verdicts of a report with several arms. */
enum kiln_status kiln_report_read_pairs(struct kiln_report *report, const struct cJSON *tree, struct kiln_error *error);
/* Number of an arm by its name; arm_count when there is none. */
size_t kiln_report_arm_named(const struct kiln_report *report, const char *name);
/* Seconds of a member as nanoseconds; 0 when it is absent, negative or beyond a century. */
uint64_t kiln_report_read_ns(const struct cJSON *object, const char *key);

#endif
