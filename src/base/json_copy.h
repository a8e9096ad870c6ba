/*
 * A value that was read, written again: for files that carry a part of another format as it came.
 */
#ifndef KILN_BASE_JSON_COPY_H
#define KILN_BASE_JSON_COPY_H

#include "base/json_read.h"
#include "base/json_write.h"

/* Write the value (NULL: null) with all that is in it. Whole numbers up to 2^53 stay exact, others keep 9 digits. What
 * lies deeper than the writer can nest is written as null. */
void kiln_json_copy(const struct cJSON *value, struct kiln_json *json);
/* The same of a text: parse, then write. KILN_ERROR_FORMAT when it is no JSON; nothing is written then. */
enum kiln_status kiln_json_copy_text(const char *text, struct kiln_json *json, struct kiln_error *error);

#endif
