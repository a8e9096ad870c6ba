#include "store/workspace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "os/failure.h"
#include "os/file.h"
#include "os/filesystem.h"
#include "os/instance.h"
#include "os/lock.h"
#include "os/process.h"
#include "os/publish.h"
#include "store/place.h"
#include "store/workspace_owner.h"

#define ATTEMPTS 4
#define MAX_KEPT_FILE ((size_t)1 << 31)

/* "<lead><host>-<pid>-": the host's name without anything that a file name cannot hold. */
static void
append_prefix(struct kiln_buf *prefix, const char *lead)
{
  char host[128];
  kiln_host_name(host);
  for (char *at = host; *at; at++)
    if (*at == '/')
      *at = '_';
  kiln_buf_printf(prefix, "%s%s-%d-", lead, host, kiln_process_id());
}

static bool
write_owner(int fd)
{
  struct kiln_instance self;
  struct kiln_buf text;
  kiln_instance_self(&self);
  kiln_buf_init(&text);
  kiln_owner_format(&self, &text);
  bool written = !text.failed && kiln_fd_write(fd, text.data, text.len);
  kiln_buf_release(&text);
  return written;
}

/* The descriptor of its locked owner file; -1 with errno when the folder cannot be used. */
static int
take(const char *folder)
{
  struct kiln_buf path;
  kiln_buf_init(&path);
  kiln_buf_printf(&path, "%s/%s", folder, KILN_OWNER_FILE);
  int fd = path.failed ? -1 : kiln_lock_try(path.data);
  if (fd >= 0 && !write_owner(fd)) {
    int failure = errno;
    kiln_fd_close(fd);
    errno = failure;
    fd = -1;
  }
  kiln_buf_release(&path);
  return fd;
}

/* Another process may take the new folder for a leftover in the moment before its owner file is locked: then a next
 * one is made. */
static enum kiln_status
make_in(const char *parent, const char *lead, struct kiln_workspace *workspace, struct kiln_error *error)
{
  struct kiln_buf prefix, folder;
  enum kiln_status status = KILN_OK;
  kiln_buf_init(&prefix);
  kiln_buf_init(&folder);
  append_prefix(&prefix, lead);
  for (int attempt = 0; attempt < ATTEMPTS && workspace->lock < 0 && status == KILN_OK; attempt++) {
    kiln_buf_clear(&folder);
    status = kiln_folder_make_private(parent, kiln_buf_text(&prefix), &folder, error);
    if (status != KILN_OK)
      break;
    workspace->lock = take(folder.data);
    if (workspace->lock < 0) {
      int failure = errno;
      (void)kiln_folder_remove(folder.data, NULL);
      if (attempt + 1 == ATTEMPTS)
        status = kiln_failure_set(error, failure, "use the new folder", folder.data);
    }
  }
  if (status == KILN_OK) {
    workspace->folder = folder.data; /* keeps the memory */
    kiln_buf_init(&folder);
  }
  kiln_buf_release(&prefix);
  kiln_buf_release(&folder);
  return status;
}

static enum kiln_status
make_in_store(struct kiln_store *store, struct kiln_workspace *workspace, struct kiln_error *error)
{
  enum kiln_status status = kiln_store_prepare(store, error);
  if (status != KILN_OK)
    return status;
  struct kiln_buf parent;
  kiln_buf_init(&parent);
  kiln_store_path(store, "build", &parent);
  status = make_in(kiln_buf_text(&parent), "", workspace, error);
  if (status == KILN_ERROR_NOT_FOUND && kiln_store_folder(store, "build", error) == KILN_OK)
    status = make_in(kiln_buf_text(&parent), "", workspace, error);
  kiln_buf_release(&parent);
  return status;
}

enum kiln_status
kiln_workspace_new(struct kiln_store *store, struct kiln_workspace *workspace, struct kiln_error *error)
{
  struct kiln_error cause = {0};
  *workspace = (struct kiln_workspace){.lock = -1, .pid = kiln_process_id()};
  enum kiln_status status = make_in_store(store, workspace, &cause);
  if (status != KILN_OK) {
    atomic_store(&store->fell_back, true);
    if (!kiln_store_warned(store, KILN_WARN_NOT_STORED))
      kiln_store_warn(store, KILN_WARN_FALLBACK, "builds go to the temporary folder '%s' and are not stored: %s",
          kiln_folder_temporary(), cause.what);
    status = make_in(kiln_folder_temporary(), KILN_WORKSPACE_TEMPORARY, workspace, error);
  }
  if (status == KILN_OK && !atomic_exchange(&store->reclaimed, true))
    (void)kiln_workspace_reclaim(store);
  return status;
}

struct keeping {
  size_t root_len;
  const char *target;
};

static void
keep_file(const char *from, const char *to)
{
  struct kiln_buf content;
  if (kiln_publish_over(from, to, NULL) == KILN_OK)
    return;
  kiln_buf_init(&content); /* another file system */
  if (kiln_file_read(from, MAX_KEPT_FILE, &content, NULL) == KILN_OK)
    (void)kiln_file_write(to, kiln_buf_text(&content), content.len, NULL);
  kiln_buf_release(&content);
}

static bool
keep(void *context, const char *path, const struct kiln_file_info *info)
{
  struct keeping *keeping = context;
  const char *relative = path + keeping->root_len;
  struct kiln_buf to;
  kiln_buf_init(&to);
  kiln_buf_printf(&to, "%s%s", keeping->target, relative);
  if (!to.failed && info->kind == KILN_FILE_FOLDER)
    (void)kiln_folder_make(to.data, NULL);
  else if (!to.failed && info->kind == KILN_FILE_REGULAR && strcmp(relative, "/" KILN_OWNER_FILE) != 0)
    keep_file(path, to.data);
  kiln_buf_release(&to);
  return true;
}

void
kiln_workspace_release(struct kiln_workspace *workspace, const char *keep_at)
{
  if (workspace->folder && workspace->pid == kiln_process_id()) {
    if (keep_at && kiln_folder_make(keep_at, NULL) == KILN_OK) {
      struct keeping keeping = {strlen(workspace->folder), keep_at};
      (void)kiln_folder_walk(workspace->folder, 0, keep, &keeping, NULL);
    }
    (void)kiln_folder_remove(workspace->folder, NULL);
  }
  kiln_fd_close(workspace->lock);
  free(workspace->folder);
  *workspace = (struct kiln_workspace){.lock = -1};
}
