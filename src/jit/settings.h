/*
 * Reading the configuration, once: explicit option > KILN_* variable > default, from one table. What was decided, and
 * by what, is kept as a list for kiln doctor.
 */
#ifndef KILN_JIT_SETTINGS_H
#define KILN_JIT_SETTINGS_H

#include "jit/context.h"

#define KILN_CACHE_LIMIT_DEFAULT ((uint64_t)8 << 30)
#define KILN_MOST_JOBS 4096

/* Fill kiln->options from `given` (may be NULL) and the environment; every text is copied into kiln->arena. Afterwards
 * every switch is ON or OFF, a text is set or NULL, cache_folder NULL means "no store" (HOME gives none).
 * KILN_ERROR_ARGUMENT quotes the malformed value and what it came from. */
enum kiln_status kiln_settings_read(struct kiln *kiln, const struct kiln_options *given, struct kiln_error *error);
/* Add a line to the list; texts are copied. false when memory is short. */
bool kiln_settings_add(struct kiln *kiln, const char *name, const char *value, const char *source);
/* Where the setting of this name comes from; "default" for one that is not there. */
const char *kiln_setting_source(const struct kiln *kiln, const char *name);

#endif
