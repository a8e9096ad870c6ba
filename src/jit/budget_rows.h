/*
 * Where things lie in the file of a budget; for jit/budget.c and jit/share.c.
 */
#ifndef KILN_JIT_BUDGET_ROWS_H
#define KILN_JIT_BUDGET_ROWS_H

#include "jit/budget.h"
#include "jit/settings.h"
#include "os/slots.h"

#define KILN_BUDGET_PLACES ((uint64_t)1 << 20)
#define KILN_BUDGET_MEMORY ((uint64_t)1 << 32)

/* Units of memory that hold so many bytes, at least one. */
static inline uint64_t
kiln_budget_units(uint64_t bytes)
{
  const uint64_t units = bytes / KILN_BUDGET_UNIT + (bytes % KILN_BUDGET_UNIT != 0);
  return units > 0 ? units : 1;
}

#endif
