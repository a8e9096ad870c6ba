/*
 * What several rules ask of a report: which samples count, and small comparisons.
 */
#ifndef KILN_PROBE_RULES_FACTS_H
#define KILN_PROBE_RULES_FACTS_H

#include "probe/report.h"

/* The samples that a rule looks at: the valid ones; when there is none, every sample, since an invalid measurement is
 * the one that most needs an explanation. */
size_t kiln_facts_sample_count(const struct kiln_report *report);
const struct kiln_report_sample *kiln_facts_sample(const struct kiln_report *report, size_t index);
/* Were these builds of one artefact: framework, module, identity, device kind, block size? */
bool kiln_facts_same_artefact(const struct kiln_model_build *a, const struct kiln_model_build *b);
/* The same for sorting: less, equal or greater than zero. */
int kiln_facts_compare_artefact(const struct kiln_model_build *a, const struct kiln_model_build *b);
/* Is this the user's own code to change? Installed packages are not, but for their examples and tests: one program's
 * profile supports no change there. An unknown place counts as the user's. */
bool kiln_facts_is_users(struct kiln_where where);
/* "warp 1.19.0" of the first process that imported it: major × 1000 + minor; 0: no Warp was seen. */
int kiln_facts_warp(const struct kiln_model *model);
/* The last version of Warp whose CPU loads must not overlap: 1.16. */
#define KILN_WARP_CPU_RACE 1016
/* What that version says about options of modules. */
#define KILN_GATE_OPTIONS                                                                                              \
  "until Warp 1.16 `wp.set_module_options` names no other module: call it in the file of the kernels, or set "         \
  "`wp.get_module(name).options`"
/* The first that makes a precompiled header on the CPU: 1.13. */
#define KILN_WARP_CPU_HEADER 1013

#endif
