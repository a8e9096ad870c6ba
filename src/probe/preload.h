/*
 * Bringing the agent into a command's environment.
 */
#ifndef KILN_PROBE_PRELOAD_H
#define KILN_PROBE_PRELOAD_H

#include "kiln/error.h"
#include "os/process.h"

/* Can LD_PRELOAD carry this path of libkiln-preload.so? KILN_ERROR_ENVIRONMENT for one with a space or a colon. */
enum kiln_status kiln_preload_check(const char *preload, struct kiln_error *error);
/* Put it in front of the LD_PRELOAD that is there. */
enum kiln_status kiln_preload_put(struct kiln_environment *env, const char *preload, struct kiln_error *error);

#endif
