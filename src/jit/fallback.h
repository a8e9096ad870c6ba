/*
 * Builds in the background, begun by kiln_module_load_or (kiln/prefetch.h): a list that only grows, newest first.
 */
#ifndef KILN_JIT_FALLBACK_H
#define KILN_JIT_FALLBACK_H

#include "jit/context.h"

struct kiln_background;

/* End what still runs and release all: of a kiln that ends. */
void kiln_background_release(struct kiln *kiln);

#endif
