/*
 * The one place that names all rules and levers of the probe.
 */
#ifndef KILN_REGISTRY_PROBE_H
#define KILN_REGISTRY_PROBE_H

#include <stddef.h>

#include "probe/lever.h"
#include "probe/rule.h"

extern const struct kiln_rule *const kiln_registered_rules[];
extern const size_t kiln_registered_rule_count;
extern const struct kiln_lever *const kiln_registered_levers[];
extern const size_t kiln_registered_lever_count;

#endif
