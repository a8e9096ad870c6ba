/*
 * The one place that names all rules of the probe.
 */
#ifndef KILN_REGISTRY_PROBE_H
#define KILN_REGISTRY_PROBE_H

#include <stddef.h>

#include "probe/rule.h"

extern const struct kiln_rule *const kiln_registered_rules[];
extern const size_t kiln_registered_rule_count;

#endif
