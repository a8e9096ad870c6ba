/*
 * The levers, one a file. Only src/registry/probe.c and tests name them.
 */
#ifndef KILN_PROBE_LEVERS_LIST_H
#define KILN_PROBE_LEVERS_LIST_H

#include "probe/lever.h"

extern const struct kiln_lever kiln_lever_enable_backward, kiln_lever_pch;

#endif
