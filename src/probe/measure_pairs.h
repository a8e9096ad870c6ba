/*
 * The order in which pairs of several candidates are made, and when to stop. Used by measure_pairs.c only.
 */
#ifndef KILN_PROBE_MEASURE_PAIRS_H
#define KILN_PROBE_MEASURE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/measure_run.h"

/* Is more than one pair in ten void? One void pair is allowed whatever their number. */
bool kiln_pairs_too_many_void(size_t made, size_t voided);
/* How many valid pairs are worth making: what lies between two looks decides nothing. */
int kiln_pairs_limit(int max_pairs);

#endif
