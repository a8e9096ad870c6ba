/*
 * The rules, one a file. Only src/registry/probe.c and tests name them.
 */
#ifndef KILN_PROBE_RULES_LIST_H
#define KILN_PROBE_RULES_LIST_H

#include "probe/rule.h"

extern const struct kiln_rule kiln_rule_cs1, kiln_rule_cs2, kiln_rule_cs3, kiln_rule_cs6, kiln_rule_n3;
extern const struct kiln_rule kiln_rule_unexplained, kiln_rule_none;

#endif
