/*
 * A rule recognises one mechanism. One file a rule in src/probe/rules/, one line a rule in src/registry/probe.c.
 *
 * A rule reads the report's models. It adds at most one finding per thing it found (usually per module), or says once
 * why its mechanism is ruled out (with the signal that rules it out) or was not reached (with what would have to be
 * measured). It never writes anything else. A rule that says nothing about an arm has not reached it.
 */
#ifndef KILN_PROBE_RULE_H
#define KILN_PROBE_RULE_H

#include "probe/report.h"

/* Advice that is the same for every finding of a rule stands here; NULL: there is none. */
struct kiln_rule {
  const char *id;    /* "CS-1" */
  const char *title; /* "kernels declared after their module loaded" */
  void (*run)(struct kiln_report *report);
  const char *not_when, *confirm, *deadline; /* as in struct kiln_finding */
  bool correctness;                          /* as in struct kiln_finding */
  bool remark;                               /* no mechanism: it has nothing to rule out */
};

/* For rules: start a finding that fired, add facts to it. All text is copied; NULL finding is ignored (memory was
 * short). The pointer is valid until the next finding is added. */
struct kiln_finding *kiln_finding_add(struct kiln_report *report, const char *id);
void kiln_finding_sentence(struct kiln_report *report, struct kiln_finding *finding, const char *format, ...)
    KILN_PRINTF(3, 4);
/* The best remedy first; each further call adds the next best. */
void kiln_finding_remedy(struct kiln_report *report, struct kiln_finding *finding, const char *format, ...)
    KILN_PRINTF(3, 4);
void kiln_finding_evidence(struct kiln_report *report, struct kiln_finding *finding, const char *format, ...)
    KILN_PRINTF(3, 4);
/* What of the advice depends on the observed version. */
void kiln_finding_gate(struct kiln_report *report, struct kiln_finding *finding, const char *format, ...)
    KILN_PRINTF(3, 4);
void kiln_finding_where(struct kiln_report *report, struct kiln_finding *finding, struct kiln_where where);
/* The event behind the fact that was added last; its `evidence` is filled in, texts are copied. */
void kiln_finding_cite(struct kiln_report *report, struct kiln_finding *finding, struct kiln_cited event);

/* The mechanism is not there: the sentence names the signal that says so. */
struct kiln_finding *kiln_finding_ruled_out(struct kiln_report *report, const char *id, const char *format, ...)
    KILN_PRINTF(3, 4);
/* The record cannot tell. to_measure: what would have to be measured; the sentence says what is missing. */
struct kiln_finding *kiln_finding_not_reached(
    struct kiln_report *report, const char *id, const char *to_measure, const char *format, ...) KILN_PRINTF(4, 5);

/* Run every registered rule on every arm, in order of the registry. Afterwards each mechanism has a state in each arm
 * that has a run. */
void kiln_rules_run(struct kiln_report *report);
/* The registered rule of this name; NULL when there is none. */
const struct kiln_rule *kiln_rule_named(const char *id);

#endif
