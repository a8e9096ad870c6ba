/*
 * A rule recognises one mechanism. One file a rule in src/probe/rules/, one line a rule in src/registry/probe.c.
 *
 * A rule reads the report's models and adds at most one finding per thing it found (usually per module). It never
 * writes anything else. Here only fired findings are reported.
 */
#ifndef KILN_PROBE_RULE_H
#define KILN_PROBE_RULE_H

#include "probe/report.h"

struct kiln_rule {
  const char *id;    /* "CS-1" */
  const char *title; /* "kernels declared after their module loaded" */
  void (*run)(struct kiln_report *report);
};

/* For rules: start a finding, add facts to it. All text is copied; NULL finding is ignored (memory was short). */
struct kiln_finding *kiln_finding_add(struct kiln_report *report, const char *id);
void kiln_finding_sentence(struct kiln_report *report, struct kiln_finding *finding, const char *format, ...)
    KILN_PRINTF(3, 4);
void kiln_finding_remedy(struct kiln_report *report, struct kiln_finding *finding, const char *format, ...)
    KILN_PRINTF(3, 4);
void kiln_finding_evidence(struct kiln_report *report, struct kiln_finding *finding, const char *format, ...)
    KILN_PRINTF(3, 4);
void kiln_finding_where(struct kiln_report *report, struct kiln_finding *finding, struct kiln_where where);

/* Run every registered rule on every arm, in order of the registry. */
void kiln_rules_run(struct kiln_report *report);

#endif
