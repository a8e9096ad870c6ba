#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/lock.h"
#include "os/publish.h"
#include "os/user.h"
#include "store/place.h"
#include "store/record.h"
#include "store/workspace.h"
#include "store/workspace_owner.h"

#define KIND "builder"
#define NS_PER_S 1000000000ull
#define YOUNG_S 60       /* a folder may be between its making and the lock on its owner file */
#define FOREIGN_S 86400  /* of another host: nothing can be asked */
#define TEMPORARY_S 3600 /* a temporary file lives for milliseconds */
#define MAX_OWNER_FILE 4096

void
kiln_owner_format(const struct kiln_instance *instance, struct kiln_buf *text)
{
  kiln_record_begin(text, KIND);
  kiln_buf_printf(text, "host %s\nboot %s\npid %d\nstart %" PRIu64 "\n", instance->host, instance->boot, instance->pid,
      instance->start);
  kiln_record_end(text);
}

bool
kiln_owner_parse(const struct kiln_buf *text, struct kiln_instance *instance)
{
  struct kiln_record_reader reader;
  uint64_t pid;
  *instance = (struct kiln_instance){0};
  if (!kiln_record_open(&reader, text, KIND) ||
      !kiln_record_text(&reader, "host", instance->host, sizeof instance->host) ||
      !kiln_record_text(&reader, "boot", instance->boot, sizeof instance->boot) ||
      !kiln_record_number(&reader, "pid", &pid) || pid > INT32_MAX ||
      !kiln_record_number(&reader, "start", &instance->start))
    return false;
  instance->pid = (int)pid;
  return true;
}

/* One reclaiming. Folders are removed after the walk, not under its feet. */
struct reclaim {
  const char *lead;      /* only names that begin so */
  struct kiln_buf paths; /* each with its NUL */
  uint64_t now;
  int removed;
};

static bool
is_older(const struct reclaim *reclaim, uint64_t mtime_ns, uint64_t seconds)
{
  return mtime_ns + seconds * NS_PER_S < reclaim->now;
}

/* Whether nobody works in it any more; then *lock holds its owner file (-1: it has none). */
static bool
is_left(const struct reclaim *reclaim, const char *folder, int *lock)
{
  struct kiln_buf path, text;
  struct kiln_instance owner;
  struct kiln_file_info info, file;
  bool left = false;
  *lock = -1;
  kiln_buf_init(&path);
  kiln_buf_init(&text);
  kiln_buf_printf(&path, "%s/%s", folder, KILN_OWNER_FILE);
  if (path.failed || kiln_file_info(folder, &info, NULL) != KILN_OK)
    goto out;
  if (kiln_file_info(path.data, &file, NULL) != KILN_OK ||
      kiln_file_read(path.data, MAX_OWNER_FILE, &text, NULL) != KILN_OK || !kiln_owner_parse(&text, &owner)) {
    left = is_older(reclaim, info.mtime_ns, YOUNG_S);
    if (left && kiln_file_exists(path.data)) {
      *lock = kiln_lock_try(path.data);
      left = *lock >= 0;
    }
    goto out;
  }
  if (file.mtime_ns > info.mtime_ns)
    info.mtime_ns = file.mtime_ns;
  switch (kiln_instance_state(&owner)) {
  case KILN_INSTANCE_ELSEWHERE:
    left = is_older(reclaim, info.mtime_ns, FOREIGN_S);
    break;
  case KILN_INSTANCE_ENDED:
    left = true;
    break;
  case KILN_INSTANCE_RUNNING:
    left = is_older(reclaim, info.mtime_ns, YOUNG_S);
    break;
  }
  if (left) {
    /* The lock knows best: another container's process looks ended, a running one may have kept no lock. */
    *lock = kiln_lock_try(path.data);
    left = *lock >= 0;
  }
out:
  kiln_buf_release(&path);
  kiln_buf_release(&text);
  return left;
}

static bool
collect(void *context, const char *path, const struct kiln_file_info *info)
{
  struct reclaim *reclaim = context;
  if (info->uid != kiln_user_id() || !kiln_text_starts(kiln_text_base_name(path), reclaim->lead))
    return false;
  bool is_folder = info->kind == KILN_FILE_FOLDER;
  bool is_file = info->kind == KILN_FILE_REGULAR && !*reclaim->lead && is_older(reclaim, info->mtime_ns, TEMPORARY_S);
  if (is_folder || is_file)
    kiln_buf_append(&reclaim->paths, path, strlen(path) + 1);
  return false;
}

static void
remove_left(struct reclaim *reclaim, const char *path)
{
  struct kiln_file_info info;
  int lock;
  if (kiln_file_info(path, &info, NULL) != KILN_OK)
    return;
  if (info.kind == KILN_FILE_REGULAR) {
    (void)kiln_file_remove(path, NULL);
    return;
  }
  if (!is_left(reclaim, path, &lock))
    return;
  reclaim->removed += kiln_folder_remove(path, NULL) == KILN_OK;
  kiln_fd_close(lock);
}

static int
reclaim_in(const char *folder, const char *lead)
{
  struct reclaim reclaim = {.lead = lead, .now = kiln_clock_real()};
  kiln_buf_init(&reclaim.paths);
  (void)kiln_folder_walk(folder, 1, collect, &reclaim, NULL);
  for (size_t at = 0; at < reclaim.paths.len; at += strlen(reclaim.paths.data + at) + 1)
    remove_left(&reclaim, reclaim.paths.data + at);
  kiln_buf_release(&reclaim.paths);
  return reclaim.removed;
}

int
kiln_workspace_reclaim(struct kiln_store *store)
{
  enum kiln_location_state state = kiln_location_check(store, 0);
  struct kiln_buf folder;
  int removed = 0;
  kiln_buf_init(&folder);
  if (state == KILN_LOCATION_TRUSTED && !atomic_load(&store->unwritable))
    removed += reclaim_in(kiln_store_path(store, "build", &folder), "");
  if (state == KILN_LOCATION_REFUSED || atomic_load(&store->unwritable) || atomic_load(&store->fell_back))
    removed += reclaim_in(kiln_folder_temporary(), KILN_WORKSPACE_TEMPORARY);
  kiln_buf_release(&folder);
  return removed;
}
