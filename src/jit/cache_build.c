#include <stdlib.h>
#include <string.h>

#include "jit/build.h"
#include "kiln/cache.h"

static enum kiln_status
copy_path(const struct kiln_found *found, char **path, struct kiln_error *error)
{
  size_t len;
  if (!path || !found->path)
    return KILN_OK;
  len = strlen(found->path) + 1;
  *path = malloc(len);
  if (!*path)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short for the path '%.200s'.", found->path);
  memcpy(*path, found->path, len);
  return KILN_OK;
}

enum kiln_status
kiln_cache_build(struct kiln *kiln, const struct kiln_spec *spec, enum kiln_result *result, char *key, char **path,
    double *ms, struct kiln_error *error)
{
  struct kiln_plan plan;
  struct kiln_found found;
  enum kiln_status status;
  *result = KILN_RESULT_FAILED;
  *ms = 0;
  *key = '\0';
  if (path)
    *path = NULL;
  status = kiln_plan_init(kiln, spec, &plan, error);
  if (status != KILN_OK)
    return status;
  status = kiln_entry_obtain(kiln, spec, &plan, &found, result, ms, error);
  if (status == KILN_OK) {
    kiln_digest_hex(&found.entry.key, key);
    status = copy_path(&found, path, error);
    kiln_found_release(&found);
  }
  kiln_plan_release(&plan);
  return status;
}
