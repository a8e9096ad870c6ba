/*
 * kiln/budget.h: how many compilers run at once on this host.
 *
 * Every build takes places (one for each thread of its compiler) and memory (threads × what a compiler of this kind
 * needs) before its compiler starts, and gives them back when it has ended. All processes of one user on one host share
 * them through one file of locks, so the kernel gives back what a killed process held; there is no daemon. A build that
 * needs more than there is runs alone. A hit takes nothing and asks nobody.
 *
 * Places: KILN_JOBS, else the processors that affinity and control groups leave. Memory: KILN_MEMORY, else seven
 * eighths of the smaller of memory and the limits of control groups. Need of one compiler: KILN_JOB_MEMORY, else the
 * peak that earlier builds by the same toolchain had, else the toolchain's guess. See struct kiln_options.
 */
#ifndef KILN_BUDGET_H
#define KILN_BUDGET_H

#include <stdbool.h>

#include "kiln/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Call visit for each limit: what it is, its value, and which file, variable or rule says so; it returns false to stop,
 * which is no error. Strings are valid during the visit. Starts nothing and takes nothing.
 * KILN_ERROR_ENVIRONMENT quotes a limit of the system that is malformed. */
KILN_API enum kiln_status kiln_budget_list(struct kiln *kiln,
    bool (*visit)(void *context, const struct kiln_setting *limit), void *context, struct kiln_error *error);

/* How many compilers of one thread may run at once by this budget, at least 1: as many threads are enough to fill it.
 * toolchain: "hostcc". Errors as kiln_budget_list; KILN_ERROR_ARGUMENT for an unknown toolchain. */
KILN_API enum kiln_status kiln_budget_width(
    struct kiln *kiln, const char *toolchain, unsigned *width, struct kiln_error *error);

#ifdef __cplusplus
}
#endif
#endif
