/*
 * The rules, one a file. Only src/registry/probe.c and tests name them.
 */
#ifndef KILN_PROBE_RULES_LIST_H
#define KILN_PROBE_RULES_LIST_H

#include "probe/rule.h"

extern const struct kiln_rule kiln_rule_cs1, kiln_rule_cs2, kiln_rule_cs3, kiln_rule_cs4, kiln_rule_cs5, kiln_rule_cs6,
    kiln_rule_cs7, kiln_rule_cs8, kiln_rule_cs9, kiln_rule_cs10, kiln_rule_cs11, kiln_rule_cs12, kiln_rule_cs13;
extern const struct kiln_rule kiln_rule_n1, kiln_rule_n2, kiln_rule_n3, kiln_rule_n4, kiln_rule_n5, kiln_rule_n6,
    kiln_rule_n7, kiln_rule_n8, kiln_rule_n9, kiln_rule_n10, kiln_rule_n11, kiln_rule_n12, kiln_rule_n13, kiln_rule_n14,
    kiln_rule_n15;
extern const struct kiln_rule kiln_rule_unexplained, kiln_rule_too_late, kiln_rule_none;

#endif
