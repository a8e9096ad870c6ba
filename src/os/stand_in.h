/*
 * Running a program in the place of this process: same group, terminal, streams, descriptors, signals and exit status,
 * as after exec, but with this process still there when it ends.
 */
#ifndef KILN_OS_STAND_IN_H
#define KILN_OS_STAND_IN_H

#include "os/process.h"

/* Start argv[0] (searched in PATH of `environment`) and wait until it ended. Signals that somebody sends to this
 * process go to the program; those of the terminal reach it anyway. When it is stopped, this process stops too. It dies
 * with this process, also by SIGKILL. To be called while this process has one thread. KILN_ERROR_COMMAND when it could
 * not be started, KILN_ERROR_ENVIRONMENT when the system had no process left. */
enum kiln_status kiln_stand_in(
    char *const *argv, char *const *environment, struct kiln_exit *result, struct kiln_error *error);
/* End this process as the program ended: by the same signal, without a second core file, or with its code. */
_Noreturn void kiln_stand_in_end(const struct kiln_exit *result);

#endif
