#include "registry/probe.h"

#include "probe/levers/list.h"
#include "probe/rules/list.h"

/* Findings come in this order. */
const struct kiln_rule *const kiln_registered_rules[] = {
    &kiln_rule_cs1,
    &kiln_rule_cs2,
    &kiln_rule_cs3,
    &kiln_rule_cs6,
    &kiln_rule_n3,
    &kiln_rule_unexplained,
    &kiln_rule_none,
};
const size_t kiln_registered_rule_count = sizeof kiln_registered_rules / sizeof *kiln_registered_rules;

/* In the order in which they are tried and told. */
const struct kiln_lever *const kiln_registered_levers[] = {
    &kiln_lever_enable_backward,
    &kiln_lever_pch,
};
const size_t kiln_registered_lever_count = sizeof kiln_registered_levers / sizeof *kiln_registered_levers;
