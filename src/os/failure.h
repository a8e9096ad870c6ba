/*
 * Errors of the system as kiln_error: one place decides which errno is the environment's fault, and what to advise.
 */
#ifndef KILN_OS_FAILURE_H
#define KILN_OS_FAILURE_H

#include "kiln/error.h"

/* "cannot <verb> '<path>': <text of sys_errno>", with status and advice by sys_errno. Returns the status. Thread safe.
 */
enum kiln_status kiln_failure_set(struct kiln_error *error, int sys_errno, const char *verb, const char *path);

#endif
