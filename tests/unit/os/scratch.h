/*
 * A private folder for one test, removed again, and short ways to fill it.
 */
#ifndef KILN_TEST_OS_SCRATCH_H
#define KILN_TEST_OS_SCRATCH_H

#include <stdio.h>

#include "os/file.h"

struct scratch {
  struct kiln_buf folder;
  char path[1024]; /* of the last scratch_path */
};

static inline int
scratch_make(void **state)
{
  static struct scratch scratch;
  kiln_buf_init(&scratch.folder);
  *state = &scratch;
  return kiln_folder_make_private(kiln_folder_temporary(), "kiln-test-", &scratch.folder, NULL) == KILN_OK ? 0 : -1;
}

static inline int
scratch_remove(void **state)
{
  struct scratch *scratch = *state;
  enum kiln_status status = kiln_folder_remove(scratch->folder.data, NULL);
  kiln_buf_release(&scratch->folder);
  return status == KILN_OK ? 0 : -1;
}

/* "<folder>/<name>"; valid until the next call. */
static inline const char *
scratch_path(struct scratch *scratch, const char *name)
{
  snprintf(scratch->path, sizeof scratch->path, "%.500s/%.500s", scratch->folder.data, name);
  return scratch->path;
}

#endif
