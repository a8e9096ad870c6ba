/*
 * The spec that a manifest was built from, as kiln_spec_parse reads it.
 */
#ifndef KILN_JIT_CACHE_SPEC_H
#define KILN_JIT_CACHE_SPEC_H

#include "base/json_read.h"
#include "base/json_write.h"

/* Write the spec as one value; null when the manifest has none. A source file is named by its path while its content is
 * still what was compiled, else its text is given. A text too large to be kept is null, which no reader accepts. */
void kiln_cache_spec_write(const struct cJSON *manifest, struct kiln_json *json);

#endif
