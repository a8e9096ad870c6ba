#include "os/path.h"

#include <stdlib.h>

bool
kiln_path_resolve(const char *path, struct kiln_buf *out)
{
  char *resolved = realpath(path, NULL);
  if (!resolved) {
    return false;
  }
  kiln_buf_text_append(out, resolved);
  free(resolved);
  return !out->failed;
}
