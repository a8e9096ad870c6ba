#include "probe/coin.h"

void
kiln_coin_init(struct kiln_coin *coin, uint64_t seed)
{
  coin->state = seed;
}

uint64_t
kiln_coin_bits(struct kiln_coin *coin)
{
  uint64_t bits = coin->state += UINT64_C(0x9e3779b97f4a7c15);
  bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
  return bits ^ (bits >> 31);
}

bool
kiln_coin_flip(struct kiln_coin *coin)
{
  return kiln_coin_bits(coin) >> 63;
}

uint64_t
kiln_coin_below(struct kiln_coin *coin, uint64_t count)
{
  /* What is beyond the last whole multiple would favour small numbers. */
  const uint64_t beyond = UINT64_MAX - UINT64_MAX % count;
  uint64_t bits;
  do
    bits = kiln_coin_bits(coin);
  while (bits >= beyond);
  return bits % count;
}
