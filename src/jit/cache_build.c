#include <stdlib.h>
#include <string.h>

#include "jit/build.h"
#include "jit/cache_item.h"
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

/* What the spec names and is not there is a mistake in the spec; NOT_FOUND is left for what this machine lacks. */
enum kiln_status
kiln_cache_plan(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_plan *plan, struct kiln_error *error)
{
  enum kiln_status status = kiln_plan_init(kiln, spec, plan, error);
  if (status != KILN_ERROR_NOT_FOUND)
    return status;
  if (error)
    error->status = KILN_ERROR_ARGUMENT;
  return KILN_ERROR_ARGUMENT;
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
  status = kiln_cache_plan(kiln, spec, &plan, error);
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
