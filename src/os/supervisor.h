/*
 * Starting kiln-spawn: its command line and its environment, from what a run wants. Used by the runner only.
 */
#ifndef KILN_OS_SUPERVISOR_H
#define KILN_OS_SUPERVISOR_H

#include "kiln/error.h"
#include "os/runner.h"

/* Start the supervisor of this run with the read end `owner` and the write end `status` (both stay the caller's). The
 * command's preloaded libraries are handed over as an option, so that the supervisor does not load them. */
enum kiln_status kiln_supervisor_start(
    const struct kiln_run_options *options, int owner, int status, int *pid, struct kiln_error *error);
/* Value of a variable in a NULL-terminated environment; NULL when it is not there. */
const char *kiln_supervisor_variable(char *const *environment, const char *name);

#endif
