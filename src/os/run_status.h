/*
 * The lines that the supervisor writes while a command runs (libexec/status.h), read without trust: bounded, in order,
 * every number within its range. Used by the runner only. Not thread safe.
 */
#ifndef KILN_OS_RUN_STATUS_H
#define KILN_OS_RUN_STATUS_H

#include <stdbool.h>
#include <stddef.h>

#include "kiln/error.h"
#include "os/runner.h"

#define KILN_RUN_STATUS_LINE 4096 /* a longer line breaks the protocol */

struct kiln_run_status {
  bool started, not_started, ready, exited, done; /* lines seen */
  bool killed;                                    /* the command ended after the supervisor had begun to kill */
  bool stopped;                                   /* … after the supervisor had asked it to end */
  size_t len;                                     /* bytes of a line that is not complete yet */
  char line[KILN_RUN_STATUS_LINE];
};

void kiln_run_status_init(struct kiln_run_status *status);
/* Take bytes as they come and fill *result from every complete line: pid, begin and end, exit, usage, counts; never
 * result->end but for NOT_STARTED. KILN_ERROR_ENVIRONMENT: the supervisor reports that it cannot work, or the bytes
 * break the protocol (the sentence says which). Lines of an unknown kind are ignored. */
enum kiln_status kiln_run_status_take(struct kiln_run_status *status, const char *data, size_t len,
    struct kiln_run_result *result, struct kiln_error *error);

#endif
