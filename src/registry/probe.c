#include "registry/probe.h"

#include "probe/levers/list.h"
#include "probe/rules/list.h"

/* Findings come in this order; CS-13 is last, because builds that are not needed go before those that could overlap. */
const struct kiln_rule *const kiln_registered_rules[] = {
    &kiln_rule_cs1,
    &kiln_rule_cs2,
    &kiln_rule_cs3,
    &kiln_rule_cs4,
    &kiln_rule_cs5,
    &kiln_rule_cs6,
    &kiln_rule_cs7,
    &kiln_rule_cs8,
    &kiln_rule_cs9,
    &kiln_rule_cs10,
    &kiln_rule_cs11,
    &kiln_rule_cs12,
    &kiln_rule_n1,
    &kiln_rule_n2,
    &kiln_rule_n3,
    &kiln_rule_n4,
    &kiln_rule_n5,
    &kiln_rule_n6,
    &kiln_rule_n7,
    &kiln_rule_n8,
    &kiln_rule_n9,
    &kiln_rule_n10,
    &kiln_rule_n11,
    &kiln_rule_n12,
    &kiln_rule_n13,
    &kiln_rule_n14,
    &kiln_rule_n15,
    &kiln_rule_cs13,
    &kiln_rule_unexplained,
    &kiln_rule_too_late,
    &kiln_rule_none,
};
const size_t kiln_registered_rule_count = sizeof kiln_registered_rules / sizeof *kiln_registered_rules;

/* In the order in which they are tried and told. */
const struct kiln_lever *const kiln_registered_levers[] = {
    &kiln_lever_enable_backward,
    &kiln_lever_pch,
    &kiln_lever_shared_pch,
    &kiln_lever_prebuild,
    &kiln_lever_prebuild_threads,
    &kiln_lever_lto_ahead,
    &kiln_lever_persistent_cache,
    &kiln_lever_readonly_cache,
    &kiln_lever_mathdx_gemm,
    &kiln_lever_mathdx_fft,
    &kiln_lever_mathdx_solver,
    &kiln_lever_max_unroll,
    &kiln_lever_optimization_level,
    &kiln_lever_fast_math,
};
const size_t kiln_registered_lever_count = sizeof kiln_registered_levers / sizeof *kiln_registered_levers;
