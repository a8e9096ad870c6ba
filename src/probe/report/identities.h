/*
 * What the identities of a report were made of: kernels with their digests, and options.
 */
#ifndef KILN_PROBE_REPORT_IDENTITIES_H
#define KILN_PROBE_REPORT_IDENTITIES_H

#include "probe/report.h"

/* Each identity of the report once, sorted by framework, module, block size and identity; those of which no table was
 * recorded are left out. Strings and tables stay the report's. Free with free(); NULL and *count 0 when there is none
 * or memory is short. */
struct kiln_model_hash *kiln_report_identities(const struct kiln_report *report, size_t *count);

#endif
