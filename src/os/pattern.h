/*
 * POSIX extended regular expressions over lines of bytes, in the "C" locale unless the program has set another.
 */
#ifndef KILN_OS_PATTERN_H
#define KILN_OS_PATTERN_H

#include <stdbool.h>

#include "kiln/error.h"

struct kiln_pattern;

/* KILN_ERROR_ARGUMENT quotes the expression and says what the system dislikes in it. Free with kiln_pattern_free. */
enum kiln_status kiln_pattern_new(const char *text, struct kiln_pattern **pattern, struct kiln_error *error);
void kiln_pattern_free(struct kiln_pattern *pattern);
/* Does the expression match anywhere in this text? */
bool kiln_pattern_matches(const struct kiln_pattern *pattern, const char *text);

#endif
