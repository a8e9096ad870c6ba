/*
 * A fair coin with a seed, so that the order of a measurement can be repeated from its report.
 *
 * The generator is splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
 */
#ifndef KILN_PROBE_COIN_H
#define KILN_PROBE_COIN_H

#include <stdbool.h>
#include <stdint.h>

struct kiln_coin {
  uint64_t state;
};

void kiln_coin_init(struct kiln_coin *coin, uint64_t seed);
/* The next 64 bits. */
uint64_t kiln_coin_bits(struct kiln_coin *coin);
/* Heads? */
bool kiln_coin_flip(struct kiln_coin *coin);
/* Evenly from 0 … count - 1; count ≥ 1. */
uint64_t kiln_coin_below(struct kiln_coin *coin, uint64_t count);

#endif
