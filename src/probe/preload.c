#include "probe/preload.h"

#include <string.h>

#include "base/buf.h"

enum kiln_status
kiln_preload_check(const char *preload, struct kiln_error *error)
{
  if (!strpbrk(preload, " :\t\n"))
    return KILN_OK;
  kiln_error_set(
      error, KILN_ERROR_ENVIRONMENT, "The path '%s' has a space or a colon, which LD_PRELOAD cannot carry.", preload);
  kiln_error_advise(error, "Install kiln in a folder without either, or let KILN_PRELOAD name a link to that file.");
  return KILN_ERROR_ENVIRONMENT;
}

enum kiln_status
kiln_preload_put(struct kiln_environment *env, const char *preload, struct kiln_error *error)
{
  const char *before = kiln_environment_get(env, "LD_PRELOAD");
  struct kiln_buf text;
  enum kiln_status status = kiln_preload_check(preload, error);
  if (status != KILN_OK)
    return status;
  kiln_buf_init(&text);
  kiln_buf_text_append(&text, preload);
  if (before && *before)
    kiln_buf_printf(&text, ":%s", before);
  kiln_environment_set(env, "LD_PRELOAD", kiln_buf_text(&text));
  if (text.failed || env->failed)
    status = kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  kiln_buf_release(&text);
  return status;
}
