#include "os/heap.h"

#include <stdlib.h>

void
kiln_heap_keep(size_t bytes)
{
  void *volatile block = malloc(bytes); /* volatile: the compiler may leave out a pair that it can see through */
  free(block);
}
