/*
 * Numbers of one run that are derived from its model's tables.
 */
#ifndef KILN_PROBE_REPORT_WORK_H
#define KILN_PROBE_REPORT_WORK_H

#include "probe/report.h"

/* Seconds in native compilers, summed over the run's builds, without the precompiled header. */
double kiln_run_native_s(const struct kiln_report_run *run);
/* Seconds during which at least one build or load was going on in any process or thread; 0 without a model. */
double kiln_run_module_work_s(const struct kiln_report_run *run);
/* The build's wall time without the precompiled header it happened to make, ns: what the module itself costs. */
uint64_t kiln_build_own_wall_ns(const struct kiln_model_build *build);
/* The same in CPU time of the building thread, ns. */
uint64_t kiln_build_own_cpu_ns(const struct kiln_model_build *build);
/* Was anything seen that splits the time of this run? Of a command without Python (and without libkiln) all of it is
 * `rest`. */
bool kiln_run_is_split(const struct kiln_report_run *run);
/* The same of any valid run of the arm. */
bool kiln_arm_is_split(const struct kiln_report_arm *arm);
/* "cuda:0, block 256", or the device alone where the framework has no block size (0). label holds KILN_DEVICE_LABEL
 * bytes. */
#define KILN_DEVICE_LABEL 96
const char *kiln_device_label(char *label, const char *device, int block_dim);
#define KILN_NO_SPLIT "no Python program was observed, so there is no split"
/* One use of a module: what was built or loaded. Any text may be NULL. The model owns them. */
struct kiln_use {
  const char *framework, *module, *identity, *device;
  int block_dim;
};
struct kiln_use kiln_use_of_build(const struct kiln_model_build *build);
struct kiln_use kiln_use_of_load(const struct kiln_model_load *load);
/* Order of uses for sorting: framework, module, kind of device, block size. 0: of one module, compiled for one target,
 * whatever its identities. */
int kiln_order_module(const struct kiln_use *a, const struct kiln_use *b);
/* The same, then by identity. 0: of one artefact. */
int kiln_order_use(const struct kiln_use *a, const struct kiln_use *b);
/* Order of two strings for sorting; NULL is equal to "". */
int kiln_order_text(const char *a, const char *b);
/* Order of two devices by their kind, "cuda" of "cuda:0": 0 when they are of one kind. */
int kiln_order_device_kind(const char *a, const char *b);

#endif
