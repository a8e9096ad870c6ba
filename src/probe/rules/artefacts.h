/*
 * What a run built, one row an artefact (framework, module, identity, device kind, block size), with what rules ask of
 * it: cost, kernels, options, launches.
 *
 * Order: kiln_artefacts_find, use, kiln_artefacts_release. Strings and rows belong to the model. Not thread safe.
 */
#ifndef KILN_PROBE_RULES_ARTEFACTS_H
#define KILN_PROBE_RULES_ARTEFACTS_H

#include "base/buf.h"
#include "probe/report.h"
#include "probe/rule.h"

struct kiln_artefact {
  const struct kiln_model_build *build; /* the first that compiled it */
  const struct kiln_model_hash *hash;   /* kernels and options; NULL: not recorded */
  size_t builds;                        /* times it was compiled */
  uint64_t own_ns, own_cpu_ns;          /* of `build`, without the precompiled header */
  uint64_t forward, backward;           /* launches */
};

struct kiln_artefacts {
  const struct kiln_report_run *run; /* cold */
  const struct kiln_model *model;
  struct kiln_artefact *items; /* by time of the first build; owned */
  size_t count;
  uint64_t sum_ns, largest_ns, sum_cpu_ns, largest_cpu_ns; /* of own_ns and own_cpu_ns */
};

/* The artefacts of the first sample that counts and has a cold run. When there is no such run it says nothing; when
 * nothing was built, it rules `id` out (NULL: it does not). Both give false; release in every case. */
bool kiln_artefacts_find(struct kiln_artefacts *artefacts, struct kiln_report *report, const char *id);
void kiln_artefacts_release(struct kiln_artefacts *artefacts);

/* Value of an option under which it was built; NULL when it is not known. */
const char *kiln_artefact_option(const struct kiln_artefact *artefact, const char *name);
/* Kernels in it, overloads counted one by one; 0: not known. */
size_t kiln_artefact_kernels(const struct kiln_artefact *artefact);
/* Was it built for a GPU? */
bool kiln_artefact_on_gpu(const struct kiln_artefact *artefact);
/* Same options, block size and kind of device: could one module hold the kernels of both? */
bool kiln_artefacts_alike(const struct kiln_artefact *a, const struct kiln_artefact *b);
/* Where the first kernel of its module was declared. */
struct kiln_where kiln_artefact_declared(const struct kiln_artefacts *artefacts, const struct kiln_artefact *artefact);

/* Is so much CPU time worth a word in this run: at least 0.4 s, and a tenth of the run? */
bool kiln_artefacts_worth(const struct kiln_artefacts *artefacts, double cpu_s);
/* A fact about a build, with the event and the place that triggered it. */
void kiln_finding_build(struct kiln_report *report, struct kiln_finding *finding, const struct kiln_report_run *run,
    const struct kiln_model_build *build);
/* Cite an event of any kind for the fact added last; wall_ns UINT64_MAX: no span. */
void kiln_finding_event(struct kiln_report *report, struct kiln_finding *finding, const struct kiln_report_run *run,
    const char *kind, int pid, int tid, uint64_t t_ns, uint64_t wall_ns, const char *what, struct kiln_where where);
/* "0.21 s" for a floor that was measured; else why there is none. */
void kiln_floor_text(const struct kiln_report *report, struct kiln_buf *text);

#endif
