/*
 * Flags that a spec may not have, because they would make the build read, write or run something that its key does not
 * know of.
 */
#ifndef KILN_JIT_FLAGS_H
#define KILN_JIT_FLAGS_H

#include <stdbool.h>

#include "kiln/error.h"

/* false, and the error filled, when the flag is refused. */
bool kiln_flag_check(const char *flag, struct kiln_error *error);

#endif
