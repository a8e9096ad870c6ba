/*
 * Numbers that nobody can foresee.
 */
#ifndef KILN_OS_RANDOM_H
#define KILN_OS_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

/* 64 random bits from the system; false when it has none to give. Thread safe. */
bool kiln_random_bits(uint64_t *bits);

#endif
