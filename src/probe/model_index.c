#include "probe/model_index.h"

#include <stdlib.h>

#define FIRST_CAPACITY ((size_t)64)

void
kiln_index_release(struct kiln_index *index)
{
  free(index->slots);
  *index = (struct kiln_index){0};
}

/* The finaliser of SplitMix64 over both numbers: every input bit reaches every output bit. */
static uint64_t
mix(uint64_t a, uint64_t b)
{
  uint64_t x = a * 0x9e3779b97f4a7c15u + b;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/* The slot of (a, b), or the free one where it belongs. There is always a free one. */
static struct kiln_index_slot *
probe(const struct kiln_index *index, uint64_t a, uint64_t b)
{
  size_t mask = index->capacity - 1;
  size_t at = (size_t)mix(a, b) & mask;
  while (index->slots[at].used && (index->slots[at].a != a || index->slots[at].b != b))
    at = (at + 1) & mask;
  return &index->slots[at];
}

static bool
grow(struct kiln_index *index)
{
  if (index->capacity > SIZE_MAX / 2 / sizeof *index->slots)
    return false;
  struct kiln_index larger = {.capacity = index->capacity ? index->capacity * 2 : FIRST_CAPACITY};
  larger.slots = calloc(larger.capacity, sizeof *larger.slots);
  if (!larger.slots)
    return false;
  for (size_t i = 0; i < index->capacity; i++)
    if (index->slots[i].used)
      *probe(&larger, index->slots[i].a, index->slots[i].b) = index->slots[i];
  larger.used = index->used;
  free(index->slots);
  *index = larger;
  return true;
}

uint64_t *
kiln_index_at(struct kiln_index *index, uint64_t a, uint64_t b, uint64_t fresh)
{
  if (index->used >= index->capacity / 2 && !grow(index))
    return NULL;
  struct kiln_index_slot *slot = probe(index, a, b);
  if (!slot->used) {
    *slot = (struct kiln_index_slot){a, b, fresh, true};
    index->used++;
  }
  return &slot->value;
}
