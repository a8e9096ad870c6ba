/*
 * The same module under another identity: in another run, or in another process.
 *
 * Shared by the rules N-1 (the identity moves) and CS-2 (the cache is not reused, though the identity stays).
 */
#ifndef KILN_PROBE_RULES_MOVED_H
#define KILN_PROBE_RULES_MOVED_H

#include "probe/rules/artefacts.h"
#include "probe/rules/churn.h"

/* Same framework, module, block size and kind of device? */
bool kiln_moved_same_slot(const struct kiln_model_build *a, const struct kiln_model_build *b);
/* The build of the cold run that this compiled build of the warm run would have repeated under its identity: same slot,
 * another identity, and its own identity was neither built nor loaded there. NULL when it did not move. */
const struct kiln_model_build *kiln_moved_from(const struct kiln_model *cold, const struct kiln_model_build *build);
/* Do the identities of both builds hold kernels of the same names? */
bool kiln_moved_same_kernels(
    const struct kiln_model *model, const struct kiln_model_build *a, const struct kiln_model_build *b);
/* Did this process build or load the identity? */
bool kiln_moved_used(const struct kiln_model *model, int pid, const char *identity);
/* Where the first kernel of the build's module was declared in this run; an unknown place when none was. */
struct kiln_where kiln_moved_declared(const struct kiln_model *model, const struct kiln_model_build *build);

#endif
