/*
 * record.json: what kiln knows of a recorded run beyond its events. docs/record.md lists every name.
 */
#ifndef KILN_PROBE_RECORD_FILE_H
#define KILN_PROBE_RECORD_FILE_H

#include "base/arena.h"
#include "probe/record.h"

/* Write it into options->folder. result NULL: the run is still going on. */
enum kiln_status kiln_record_file_write(
    const struct kiln_record_options *options, const struct kiln_run_result *result, struct kiln_error *error);

struct kiln_record_file {
  bool present;         /* there is one */
  bool finished;        /* with the result of a run */
  const char **command; /* strings in the arena; NULL when there is no file */
  size_t command_count;
  const char *date; /* NULL when not known */
  double timeout_s;
  struct kiln_host host; /* where it ran; all unknown without a file */
  struct kiln_run_result result;
};

/* Read it, strings into the arena. A missing file is no error; a broken one is KILN_ERROR_FORMAT. */
enum kiln_status kiln_record_file_read(
    const char *folder, struct kiln_arena *arena, struct kiln_record_file *file, struct kiln_error *error);

#endif
