/*
 * A small process that removes a folder should this one be killed: kiln-spawn in its role as guard.
 *
 * The supervisor of a run does that too, but only while a run goes on. Order: start, then at most one name, end.
 */
#ifndef KILN_OS_GUARD_H
#define KILN_OS_GUARD_H

#include <stdbool.h>

#include "kiln/error.h"

struct kiln_guard {
  int pid;     /* 0: none */
  int pipe[2]; /* both ends: with a reader of its own, a write after the guard's death is no SIGPIPE */
};

/* Start one. supervisor: path of kiln-spawn. KILN_ERROR_ENVIRONMENT when it cannot be started. */
enum kiln_status kiln_guard_start(const char *supervisor, struct kiln_guard *guard, struct kiln_error *error);
/* From now on this folder (absolute) goes when this process dies without kiln_guard_end, after the processes that carry
 * its mark. false when the guard is gone. */
bool kiln_guard_name(struct kiln_guard *guard, const char *folder);
/* Dismiss it: the folder is looked after, or removed already. Nothing to do for one that was not started. */
void kiln_guard_end(struct kiln_guard *guard);

#endif
