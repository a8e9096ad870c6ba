/*
 * A list of spec files, as `kiln cache prewarm` takes it: a folder (every *.json below it), a file that names one spec
 * a line (relative to its own folder; "#" begins a comment), "-" for such a list on standard input, or a single spec.
 */
#ifndef KILN_CLI_SPEC_LIST_H
#define KILN_CLI_SPEC_LIST_H

#include "base/arena.h"
#include "kiln/error.h"

struct kiln_cli_spec_list {
  const char **paths; /* in the order of the list; of a folder sorted */
  size_t count, capacity;
  struct kiln_arena arena; /* holds the paths */
};

/* Order: read, …, release (in every case). KILN_ERROR_NOT_FOUND and others as kiln_file_read; KILN_ERROR_FORMAT: no
 * spec is named. */
enum kiln_status kiln_cli_spec_list_read(
    struct kiln_cli_spec_list *list, const char *argument, struct kiln_error *error);
void kiln_cli_spec_list_release(struct kiln_cli_spec_list *list);

#endif
