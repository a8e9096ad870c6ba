/*
 * The levers, one a file. Only src/registry/probe.c and tests name them.
 */
#ifndef KILN_PROBE_LEVERS_LIST_H
#define KILN_PROBE_LEVERS_LIST_H

#include "probe/lever.h"

extern const struct kiln_lever kiln_lever_enable_backward, kiln_lever_pch, kiln_lever_shared_pch;
extern const struct kiln_lever kiln_lever_prebuild, kiln_lever_prebuild_threads, kiln_lever_lto_ahead;
extern const struct kiln_lever kiln_lever_persistent_cache, kiln_lever_readonly_cache;
extern const struct kiln_lever kiln_lever_mathdx_gemm, kiln_lever_mathdx_fft, kiln_lever_mathdx_solver;
extern const struct kiln_lever kiln_lever_max_unroll, kiln_lever_optimization_level, kiln_lever_fast_math;

#endif
