/* Where each framework keeps what it compiled, how much that is, and who says so. */
#include <string.h>

#include "base/text.h"
#include "os/file.h"
#include "os/filesystem.h"
#include "os/process.h"
#include "os/user.h"
#include "probe/doctor_parts.h"
#include "probe/frameworks.h"

#define CACHE_FOLDER ".cache/"

struct size {
  uint64_t bytes;
  size_t files;
};

static bool
add_size(void *context, const char *path, const struct kiln_file_info *info)
{
  struct size *size = context;
  (void)path;
  if (info->kind == KILN_FILE_REGULAR) {
    size->bytes += info->size;
    size->files++;
  }
  return true;
}

/* Of the framework's default; false when it has none, or nobody has a home. */
static bool
default_place(const struct kiln_framework *framework, struct kiln_buf *path, const char **source)
{
  const char *home = kiln_environment_current("HOME"), *xdg = kiln_environment_current("XDG_CACHE_HOME");
  struct kiln_buf own;
  *source = "default";
  if (!framework->home)
    return false;
  if (xdg && xdg[0] == '/' && kiln_text_starts(framework->home, CACHE_FOLDER)) {
    kiln_text_join(path, xdg, framework->home + strlen(CACHE_FOLDER));
    *source = "XDG_CACHE_HOME";
    return true;
  }
  if (home && *home) {
    kiln_text_join(path, home, framework->home);
    return true;
  }
  kiln_buf_init(&own);
  const bool known = kiln_user_home(&own);
  if (known)
    kiln_text_join(path, kiln_buf_text(&own), framework->home);
  kiln_buf_release(&own);
  return known;
}

static void
add_cache(struct kiln_doctor *doctor, const struct kiln_framework *framework, const char *path, const char *source)
{
  struct size size = {0, 0};
  struct kiln_filesystem disk;
  struct kiln_buf value;
  const char *note = NULL;
  kiln_buf_init(&value);
  kiln_buf_printf(&value, "%s: ", path);
  if (kiln_file_exists(path)) {
    kiln_folder_walk(path, 0, add_size, &size, NULL);
    kiln_text_bytes(&value, (double)size.bytes);
    kiln_buf_printf(&value, " in %zu files", size.files);
  } else {
    kiln_buf_text_append(&value, "not there");
  }
  if (kiln_filesystem_of(path, &disk) && (disk.network || disk.noexec))
    note = disk.noexec ? "Code cannot be loaded from it (noexec)."
                       : "It lies on a network file system: loads and locks are slower there.";
  kiln_doctor_add(
      doctor, "caches", note ? KILN_FACT_NOTE : KILN_FACT_INFO, framework->name, kiln_buf_text(&value), source, note);
  kiln_buf_release(&value);
}

void
kiln_doctor_caches(struct kiln_doctor *doctor)
{
  struct kiln_buf path;
  kiln_buf_init(&path);
  for (size_t i = 0; i < kiln_framework_count; i++) {
    const struct kiln_framework *framework = &kiln_frameworks[i];
    const char *set = framework->variable ? kiln_environment_current(framework->variable) : NULL;
    const char *source = framework->variable;
    kiln_buf_clear(&path);
    if (set && *set)
      kiln_buf_text_append(&path, set);
    else if (!default_place(framework, &path, &source))
      continue;
    if (!path.failed)
      add_cache(doctor, framework, kiln_buf_text(&path), source);
  }
  kiln_buf_release(&path);
}
