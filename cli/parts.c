#include "parts.h"

#include <string.h>

#include "base/text.h"
#include "os/file.h"
#include "os/path.h"
#include "os/process.h"

#define PRELOAD_NAME "libkiln-preload.so"
#define SUPERVISOR_NAME "kiln-spawn"

/* A search for one file: the places tried, for the sentence. */
struct search {
  struct kiln_buf *found; /* empty until found */
  struct kiln_buf tried;
  const char *name; /* behind each folder of a walk */
};

/* Take the file if it is there. */
static void
try_file(struct search *search, const char *path)
{
  struct kiln_file_info info;
  struct kiln_buf resolved;
  if (search->found->len > 0) {
    return;
  }
  kiln_buf_printf(&search->tried, "%s'%s'", search->tried.len > 0 ? ", " : "", path);
  kiln_buf_init(&resolved);
  if (kiln_path_resolve(path, &resolved) && kiln_file_info(kiln_buf_text(&resolved), &info, NULL) == KILN_OK &&
      info.kind == KILN_FILE_REGULAR) {
    kiln_buf_text_append(search->found, kiln_buf_text(&resolved));
  }
  kiln_buf_release(&resolved);
}

static void
try_in(struct search *search, const char *folder, const char *relative)
{
  struct kiln_buf path;
  kiln_buf_init(&path);
  try_file(search, kiln_text_join(&path, folder, relative));
  kiln_buf_release(&path);
}

/* lib/<multiarch>/kiln/: the triplet is Debian's, so look instead of knowing. */
static bool
try_multiarch(void *context, const char *path, const struct kiln_file_info *info)
{
  struct search *search = context;
  bool root = kiln_text_equal(kiln_text_base_name(path), "lib");
  if (!root && info->kind == KILN_FILE_FOLDER && strstr(kiln_text_base_name(path), "-linux-")) {
    try_in(search, path, "kiln/" PRELOAD_NAME);
  }
  return root;
}

static void
find_preload(struct search *search, const char *bin)
{
  const char *named = kiln_environment_current("KILN_PRELOAD");
  struct kiln_buf lib;
  if (named && *named) {
    try_file(search, named);
    return;
  }
  try_in(search, bin, "../lib/" PRELOAD_NAME);
  try_in(search, bin, "../lib/kiln/" PRELOAD_NAME);
  try_in(search, bin, "../lib64/kiln/" PRELOAD_NAME);
  if (search->found->len == 0) {
    kiln_buf_init(&lib);
    kiln_folder_walk(kiln_text_join(&lib, bin, "../lib"), 1, try_multiarch, search, NULL);
    kiln_buf_release(&lib);
  }
}

static void
find_supervisor(struct search *search, const char *bin)
{
  const char *named = kiln_environment_current("KILN_LIBEXEC");
  if (named && *named) {
    try_in(search, named, SUPERVISOR_NAME);
    return;
  }
  try_in(search, bin, SUPERVISOR_NAME);
  try_in(search, bin, "../libexec/kiln/" SUPERVISOR_NAME);
}

static enum kiln_status
find_one(struct kiln_buf *found, const char *name, const char *variable, const char *bin,
    void (*find)(struct search *search, const char *bin), struct kiln_error *error)
{
  struct search search = {found, {0}, name};
  enum kiln_status status = KILN_OK;
  kiln_buf_init(&search.tried);
  find(&search, bin);
  if (found->len == 0) {
    status = kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "kiln's own file '%s' was not found; looked at %s.", name,
        kiln_buf_text(&search.tried));
    kiln_error_advise(error, "Install kiln again, or let %s say where it is.", variable);
  }
  kiln_buf_release(&search.tried);
  return status;
}

enum kiln_status
kiln_cli_parts_find(struct kiln_cli_parts *parts, struct kiln_error *error)
{
  struct kiln_buf bin;
  enum kiln_status status, other;
  char *slash;
  kiln_buf_init(&parts->preload);
  kiln_buf_init(&parts->supervisor);
  kiln_buf_init(&bin);
  if (kiln_process_executable(&bin) && (slash = strrchr(bin.data, '/')) != NULL) {
    *slash = '\0';
  }
  status = find_one(&parts->preload, PRELOAD_NAME, "KILN_PRELOAD", kiln_buf_text(&bin), find_preload, error);
  /* Looked for in any case: what is there is of use to kiln doctor. The first that is missing is reported. */
  other = find_one(&parts->supervisor, SUPERVISOR_NAME, "KILN_LIBEXEC", kiln_buf_text(&bin), find_supervisor,
      status == KILN_OK ? error : NULL);
  kiln_buf_release(&bin);
  return status == KILN_OK ? other : status;
}

void
kiln_cli_parts_release(struct kiln_cli_parts *parts)
{
  kiln_buf_release(&parts->preload);
  kiln_buf_release(&parts->supervisor);
}
