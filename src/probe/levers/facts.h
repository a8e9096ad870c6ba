/*
 * What several levers ask of a measured run, and the small writers they share.
 */
#ifndef KILN_PROBE_LEVERS_FACTS_H
#define KILN_PROBE_LEVERS_FACTS_H

#include <stdint.h>

#include "probe/lever.h"

/* Builds that produced something, in all processes of the cold run. */
size_t kiln_lever_builds(const struct kiln_lever_view *view);
/* The same, of which the device is of this kind: "cpu", "cuda". */
size_t kiln_lever_builds_on(const struct kiln_lever_view *view, const char *kind);
/* Value of an option in the identity that was built; NULL: not recorded. */
const char *kiln_lever_option(
    const struct kiln_lever_view *view, const struct kiln_model_build *build, const char *option);
/* Builds whose identity has this option at this value. */
size_t kiln_lever_builds_with(const struct kiln_lever_view *view, const char *option, const char *value);
/* Sum of builds, and the largest, in seconds; each identity once. *largest: its module, NULL without builds. */
void kiln_lever_costs(const struct kiln_lever_view *view, double *sum_s, double *largest_s, const char **largest);
/* How often a precompiled header was made, in all processes of the cold run; *seconds: what they took together. */
size_t kiln_lever_headers(const struct kiln_lever_view *view, double *seconds);
/* Did the diagnosis find this mechanism in the run? */
bool kiln_lever_fired(const struct kiln_lever_view *view, const char *mechanism);
/* Is the observed Warp at least this version? true when it is not known. */
bool kiln_lever_warp_from(const struct kiln_lever_view *view, unsigned major, unsigned minor);
/* "in 'sim.py', before the first 'import warp'": where the lines of an option lever belong. The program is the first
 * word of the command that ends in .py; without one "in the program". */
void kiln_lever_entry(const struct kiln_lever_view *view, struct kiln_buf *where);
/* "in each file that declares kernels, before its first launch: 'main.py', 'flow.py'": those whose kernels were built.
 */
void kiln_lever_files(const struct kiln_lever_view *view, struct kiln_buf *where);

/* {"id": id, "value": value} */
void kiln_lever_write_bool(struct kiln_json *json, const char *id, bool value);
void kiln_lever_write_int(struct kiln_json *json, const char *id, int64_t value);

#endif
