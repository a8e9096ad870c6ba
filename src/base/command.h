/*
 * Splitting a command line into words without a shell.
 *
 * As in a POSIX shell, blanks separate words, '…' takes everything as it is, "…" everything but \" \\ \$ \` , and \x is
 * x. Nothing is expanded or executed: an unquoted character that a shell would act on ($ ` | & ; < > ( ) * ? [ # ~ and
 * a line end) is refused, so that nobody measures something else than was meant.
 */
#ifndef KILN_BASE_COMMAND_H
#define KILN_BASE_COMMAND_H

#include <stddef.h>

#include "kiln/error.h"

/* NULL-terminated; one block, free with free(). *count may be 0. KILN_ERROR_ARGUMENT quotes what is refused. */
enum kiln_status kiln_command_split(const char *line, char ***words, size_t *count, struct kiln_error *error);

#endif
