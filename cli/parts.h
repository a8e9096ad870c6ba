/*
 * Where kiln's own parts are: the preload library and the supervisor.
 */
#ifndef KILN_CLI_PARTS_H
#define KILN_CLI_PARTS_H

#include "base/buf.h"
#include "kiln/error.h"

struct kiln_cli_parts {
  struct kiln_buf preload, supervisor; /* absolute paths */
};

/* Look beside the executable (build tree), then in the installed places; KILN_PRELOAD (a file) and KILN_LIBEXEC (a
 * folder) come first. KILN_ERROR_ENVIRONMENT names the places looked at; the other part may have been found
 * all the same. Release in every case. */
enum kiln_status kiln_cli_parts_find(struct kiln_cli_parts *parts, struct kiln_error *error);
void kiln_cli_parts_release(struct kiln_cli_parts *parts);

#endif
