/*
 * What the levers that change kernels or numerics share: options with a value.
 */
#ifndef KILN_PROBE_LEVERS_KERNELS_H
#define KILN_PROBE_LEVERS_KERNELS_H

#include "probe/levers/facts.h"

#define KILN_LEVER_KERNELS_UNDO "Leave out the setting: the next start builds the kernels as before."

/* A whole number that the option may have. */
bool kiln_lever_is_number(const char *value, uint64_t most);
/* The number that was asked for, else the lever's own. */
int64_t kiln_lever_number(const struct kiln_lever_view *view, int64_t own);
/* Nothing was built: says so, and there is nothing to look at. */
bool kiln_lever_nothing_built(const struct kiln_lever_view *view, struct kiln_buf *reason);

#endif
