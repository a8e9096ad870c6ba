/* An architecture without assembled thunks: launches are not counted. */
#include "agents/preload/count.h"

void *
kiln_thunk_code(uint32_t index)
{
  (void)index;
  return NULL;
}
