/*
 * What the judges of a gate's rules share; private to gate_judge.c, gate_builds.c and gate_identities.c.
 */
#ifndef KILN_PROBE_GATE_JUDGE_H
#define KILN_PROBE_GATE_JUDGE_H

#include "probe/gate.h"

/* One rule that is being judged. The sentence is made in text. */
struct kiln_judging {
  struct kiln_gate *gate;
  const struct kiln_report *report;
  struct kiln_gate_rule *rule;
  struct kiln_buf *text;
};

/* One run of a gated arm. */
struct kiln_gated_run {
  const struct kiln_report_arm *arm;
  const struct kiln_report_sample *sample;
  const struct kiln_report_run *run;
  bool warm;
};
/* Runs one after the other: `at` begins at 0. false behind the last. Runs that were not made, invalid samples and the
 * baseline of several arms are left out. */
bool kiln_gated_next(const struct kiln_report *report, size_t *at, struct kiln_gated_run *run);
/* "the cold run of sample 2 of arm 'cand'" */
void kiln_gated_name(const struct kiln_judging *judging, const struct kiln_gated_run *run, struct kiln_buf *out);
/* Add a place to what broke the rule. Memory shortage leaves it out. */
void kiln_judging_where(struct kiln_judging *judging, struct kiln_where where);
/* Append ": sim.kernels (sim.py:31), …", the first few builds of a run for which chosen says true (NULL: all), and
 * note their places; how many there are. */
typedef bool kiln_build_filter(
    const struct kiln_judging *judging, const struct kiln_gated_run *run, const struct kiln_model_build *build);
size_t kiln_judging_builds(struct kiln_judging *judging, const struct kiln_gated_run *run, kiln_build_filter *chosen);
/* Nothing was seen of any framework, or not all of it: "no build" would then say nothing. The rule is open, and the
 * sentence says why. */
bool kiln_judging_saw_nothing(struct kiln_judging *judging);

/* The judges: each sets the rule's state and appends its sentence. */
typedef void kiln_gate_judge_rule(struct kiln_judging *judging);
kiln_gate_judge_rule kiln_judge_no_build_when_warm, kiln_judge_max_builds, kiln_judge_after_launch,
    kiln_judge_after_mark, kiln_judge_identities;

#endif
