#include <string.h>

#include "base/text.h"
#include "os/clock.h"
#include "os/file.h"
#include "store/request_text.h"

static enum kiln_status
path_of(const struct kiln_dependency *one, const char *const *roots, size_t root_count, struct kiln_buf *path,
    struct kiln_error *error)
{
  kiln_buf_clear(path);
  if (one->root == KILN_ROOT_SYSTEM) {
    kiln_buf_text_append(path, one->path);
  } else if (one->root < 0 || (size_t)one->root >= root_count || !roots[one->root]) {
    return kiln_error_set(error, KILN_ERROR_NOT_FOUND,
        "the recorded dependency '%s' is of folder %d, and there are %zu", one->path, one->root, root_count);
  } else {
    kiln_text_join(path, roots[one->root], one->path);
  }
  return path->failed ? kiln_error_set(error, KILN_ERROR_MEMORY, "no memory for a path") : KILN_OK;
}

static bool
is_unmoved(const struct kiln_dependency *one, const struct kiln_file_info *info)
{
  return one->size == info->size && one->inode == info->inode && one->mtime_ns == info->mtime_ns;
}

bool
kiln_dependency_is_absence(const struct kiln_dependency *dependency)
{
  static const struct kiln_digest nothing;
  return dependency->size == 0 && dependency->inode == 0 && dependency->mtime_ns == 0 &&
         kiln_digest_equal(&dependency->content, &nothing);
}

static enum kiln_status
refresh_one(struct kiln_dependency *one, const char *path, bool *changed, struct kiln_error *error)
{
  struct kiln_file_info info;
  struct kiln_digest content;
  const bool absence = kiln_dependency_is_absence(one);
  enum kiln_status status = kiln_file_target_info(path, &info, absence ? NULL : error);
  if (absence && (status == KILN_ERROR_NOT_FOUND || (status == KILN_OK && info.kind != KILN_FILE_REGULAR)))
    return KILN_OK;
  if (status != KILN_OK || is_unmoved(one, &info))
    return status;
  uint64_t now = kiln_clock_real();
  status = kiln_digest_file(path, &content, error);
  if (status != KILN_OK)
    return status;
  if (!kiln_digest_equal(&content, &one->content))
    *changed = true;
  one->size = info.size;
  one->inode = info.inode;
  one->mtime_ns = kiln_request_believable_time(info.mtime_ns, now);
  one->content = content;
  return KILN_OK;
}

/* Where a system installs compilers with their headers: another system has others, or none. */
static bool
is_installed(const struct kiln_dependency *one)
{
  return one->root == KILN_ROOT_SYSTEM &&
         (kiln_text_starts(one->path, "/usr/") || kiln_text_starts(one->path, "/opt/"));
}

/* foreign: the compiler is not here, and so its headers need not be. */
static enum kiln_status
refresh(struct kiln_request_record *record, const char *const *roots, size_t root_count, bool foreign, bool *changed,
    struct kiln_error *error)
{
  struct kiln_buf path;
  enum kiln_status status = KILN_OK;
  *changed = false;
  kiln_buf_init(&path);
  for (size_t i = 0; i < record->count && status == KILN_OK; i++) {
    struct kiln_dependency *one = &record->dependencies[i];
    if (foreign && is_installed(one))
      continue;
    status = path_of(one, roots, root_count, &path, error);
    if (status == KILN_OK)
      status = refresh_one(one, path.data, changed, error);
    if (status == KILN_ERROR_NOT_FOUND && foreign && one->root == KILN_ROOT_SYSTEM)
      status = KILN_OK;
  }
  kiln_buf_release(&path);
  return status;
}

enum kiln_status
kiln_request_refresh(struct kiln_request_record *record, const char *const *roots, size_t root_count, bool *changed,
    struct kiln_error *error)
{
  return refresh(record, roots, root_count, false, changed, error);
}

enum kiln_status
kiln_request_refresh_foreign(struct kiln_request_record *record, const char *const *roots, size_t root_count,
    bool *changed, struct kiln_error *error)
{
  return refresh(record, roots, root_count, true, changed, error);
}
