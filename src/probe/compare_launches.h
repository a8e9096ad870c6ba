/*
 * Are the launches of two reports alike? Notes say what is not. Internal to compare.
 */
#ifndef KILN_PROBE_COMPARE_LAUNCHES_H
#define KILN_PROBE_COMPARE_LAUNCHES_H

#include "probe/compare.h"

/* Add a sentence; false when memory is short. Defined in compare.c. */
bool kiln_comparison_note(struct kiln_comparison *comparison, const char *format, ...) KILN_PRINTF(2, 3);
/* First valid samples, run 0 (cold) or 1 (warm): kernel, device, block size, direction, dim and count must be equal.
 * *kept becomes false when memory is short. */
bool kiln_compare_launches(struct kiln_comparison *comparison, const char *run_name, const struct kiln_loaded_report *a,
    const struct kiln_loaded_report *b, int run, bool *kept);
/* Note kernels that come from modules of other names in the cold runs; false when memory is short. */
bool kiln_compare_names(
    struct kiln_comparison *comparison, const struct kiln_loaded_report *a, const struct kiln_loaded_report *b);

#endif
