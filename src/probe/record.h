/*
 * `kiln record`: observe one run of a command in its own surroundings, no sandbox, and read it later.
 *
 * A record is a folder: the event files of docs/events.md, and record.json (schema kiln-record-1, docs/record.md),
 * which says what kiln knows beyond the events. A folder of events without record.json is a record too: job scripts
 * make them with two exported variables.
 */
#ifndef KILN_PROBE_RECORD_H
#define KILN_PROBE_RECORD_H

#include <stdbool.h>

#include "base/buf.h"
#include "kiln/error.h"
#include "os/runner.h"
#include "probe/report.h"

#define KILN_RECORD_SCHEMA "kiln-record-1"
#define KILN_RECORD_FILE "record.json"

struct kiln_record_options {
  char *const *command;   /* argv, NULL-terminated */
  const char *folder;     /* from kiln_record_folder */
  double timeout_s;       /* 0: none */
  const char *preload;    /* path of libkiln-preload.so */
  const char *supervisor; /* path of kiln-spawn */
};

/* Make the folder of a record and append its absolute path to `path`. wanted NULL: "kiln-record-<time>" here, a new
 * one. KILN_ERROR_ARGUMENT when `fresh` and the folder holds a record already: two runs in one would be one run. */
enum kiln_status kiln_record_folder(const char *wanted, bool fresh, struct kiln_buf *path, struct kiln_error *error);
/* Run the command with kiln's own standard streams and descriptors, observed. KILN_OK whenever *result is there, also
 * for a failed command; record.json is then complete. */
enum kiln_status kiln_record_run(
    const struct kiln_record_options *options, struct kiln_run_result *result, struct kiln_error *error);
/* One sentence on how the run ended when it was not well: failed, timed out, interrupted; false and nothing appended
 * when it was well. */
bool kiln_record_complaint(const char *command, double timeout_s, const struct kiln_run_result *result,
    enum kiln_report_state *state, struct kiln_buf *text);
/* Lines for a POSIX shell that make it observe what it starts from then on, into `folder` (absolute). */
enum kiln_status kiln_record_shell(
    const char *folder, const char *preload, struct kiln_buf *lines, struct kiln_error *error);
/* Read a record as a report with one sample, whose cold run is the recorded one; its rules have run, report->recorded
 * is set. KILN_ERROR_FORMAT when the folder holds no events. Free with kiln_report_free. */
enum kiln_status kiln_record_read(const char *folder, struct kiln_report **report, struct kiln_error *error);

#endif
