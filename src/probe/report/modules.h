/*
 * What each module costs in the cold runs of an arm, over its samples.
 */
#ifndef KILN_PROBE_REPORT_MODULES_H
#define KILN_PROBE_REPORT_MODULES_H

#include "probe/report.h"

/* One framework, module, content hash, device and block size. Times are sums over the builds and loads of one cold run,
 * taken over the samples in which it occurs. */
struct kiln_module_cost {
  const char *framework, *module, *identity, *device; /* borrowed from the models */
  int block_dim;
  struct kiln_where where;                  /* what triggered it, of the first build or load that says so */
  double builds, loads;                     /* in the first sample in which it occurs */
  struct kiln_interval own_s;               /* building it, without the precompiled header */
  struct kiln_interval header_s;            /* the header, made inside its build */
  struct kiln_interval native_s, codegen_s; /* parts of own_s */
  struct kiln_interval load_s;
};

/* Rows by own_s + load_s, dearest first; valid samples only (all when none is valid). Free with free(); NULL and *count
 * 0 when there is none or memory is short (*failed tells which). */
struct kiln_module_cost *kiln_module_costs(const struct kiln_report_arm *arm, size_t *count, bool *failed);

#endif
