/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014): one addition, one mix. */
#include "op/op.h"

uint64_t
kiln_rng_next(struct kiln_rng *rng)
{
  uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

double
kiln_rng_unit(struct kiln_rng *rng)
{
  return (double)(kiln_rng_next(rng) >> 11) * 0x1p-53;
}
