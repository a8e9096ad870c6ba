#include "probe/sandbox.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/event.h"
#include "os/file.h"
#include "os/lock.h"
#include "os/path.h"
#include "os/shared.h"
#include "os/user.h"
#include "probe/frameworks.h"
#include "probe/preload.h"

#define SANDBOX_PREFIX "kiln-"
#define SANDBOX_SUFFIX_LENGTH 6
#define SANDBOX_TRIES 8
#define SANDBOX_OWNER "owner"
#define SANDBOX_MARK "kiln sandbox\n"
/* Events and launch counters of one process. */
#define SANDBOX_ROOM (1024UL * 1024UL)

/* Folders of dead kilns in one parent. */
struct stale_search {
  struct kiln_sandbox *sandbox;
  const char *parent;
};

static bool
name_is_ours(const char *name)
{
  return kiln_text_starts(name, SANDBOX_PREFIX) && strlen(name) == strlen(SANDBOX_PREFIX) + SANDBOX_SUFFIX_LENGTH;
}

/* Only a folder whose `owner` says so is ours to remove: a user may have a folder "kiln-models". */
static bool
owner_is_ours(const char *owner)
{
  struct kiln_buf text;
  struct kiln_file_info info;
  bool ours = false;
  kiln_buf_init(&text);
  if (kiln_file_info(owner, &info, NULL) == KILN_OK && info.kind == KILN_FILE_REGULAR &&
      kiln_file_read(owner, sizeof SANDBOX_MARK, &text, NULL) == KILN_OK) {
    ours = kiln_text_equal(kiln_buf_text(&text), SANDBOX_MARK);
  }
  kiln_buf_release(&text);
  return ours;
}

/* Descriptor that holds the lock of a dead kiln's folder; -1 when its kiln lives or it is not a sandbox. */
static int
lock_if_dead(const char *folder)
{
  struct kiln_buf owner;
  int lock = -1;
  kiln_buf_init(&owner);
  kiln_text_join(&owner, folder, SANDBOX_OWNER);
  if (owner_is_ours(kiln_buf_text(&owner))) {
    lock = kiln_lock_try(kiln_buf_text(&owner));
  }
  kiln_buf_release(&owner);
  return lock;
}

static bool
remove_but_owner(void *context, const char *path, const struct kiln_file_info *info)
{
  const char *folder = context;
  (void)info;
  if (kiln_text_equal(path, folder)) {
    return true;
  }
  if (!kiln_text_equal(kiln_text_base_name(path), SANDBOX_OWNER)) {
    kiln_folder_remove(path, NULL);
  }
  return false;
}

/* `owner` goes last, so that a removal that is cut short is finished by the next start. */
static enum kiln_status
remove_folder(char *folder)
{
  kiln_folder_walk(folder, 1, remove_but_owner, folder, NULL);
  return kiln_folder_remove(folder, NULL);
}

static bool
sweep_one(void *context, const char *path, const struct kiln_file_info *info)
{
  struct stale_search *search = context;
  struct kiln_buf folder;
  int lock;
  if (kiln_text_equal(path, search->parent)) {
    return true;
  }
  if (info->kind != KILN_FILE_FOLDER || info->uid != kiln_user_id() || !name_is_ours(kiln_text_base_name(path))) {
    return false;
  }
  lock = lock_if_dead(path);
  if (lock < 0) {
    return false;
  }
  kiln_buf_init(&folder);
  kiln_buf_text_append(&folder, path);
  search->sandbox->swept_processes += kiln_process_kill_marked(KILN_SANDBOX_VARIABLE, path);
  if (!folder.failed && remove_folder(folder.data) == KILN_OK) {
    search->sandbox->swept_folders++;
  }
  kiln_buf_release(&folder);
  kiln_fd_close(lock);
  return false;
}

/* Lock `owner` and write the mark. A sweeper may have taken it between its making and our lock: then the folder is its
 * to remove, and we have none. */
static int
lock_owner(const char *folder)
{
  struct kiln_buf owner;
  int lock;
  kiln_buf_init(&owner);
  kiln_text_join(&owner, folder, SANDBOX_OWNER);
  lock = kiln_lock_try(kiln_buf_text(&owner));
  if (lock >= 0 &&
      (!kiln_file_exists(kiln_buf_text(&owner)) || !kiln_fd_write(lock, SANDBOX_MARK, strlen(SANDBOX_MARK)))) {
    kiln_fd_close(lock);
    lock = -1;
  }
  kiln_buf_release(&owner);
  return lock;
}

static enum kiln_status
make_locked(struct kiln_sandbox *sandbox, const char *parent, struct kiln_error *error)
{
  struct kiln_buf folder;
  enum kiln_status status = KILN_OK;
  int tries;
  kiln_buf_init(&folder);
  for (tries = 0; tries < SANDBOX_TRIES && sandbox->lock < 0 && status == KILN_OK; tries++) {
    kiln_buf_clear(&folder);
    status = kiln_folder_make_private(parent, SANDBOX_PREFIX, &folder, error);
    if (status == KILN_OK) {
      kiln_guard_name(&sandbox->guard, kiln_buf_text(&folder));
      sandbox->lock = lock_owner(kiln_buf_text(&folder));
      if (sandbox->lock < 0) {
        kiln_folder_remove(kiln_buf_text(&folder), NULL);
      }
    }
  }
  if (status == KILN_OK && sandbox->lock < 0) {
    status = kiln_error_set(
        error, KILN_ERROR_ENVIRONMENT, "No locked file can be written in the temporary folder '%s'.", parent);
  }
  if (status == KILN_OK) {
    sandbox->folder = folder.data;
    kiln_buf_init(&folder);
  }
  kiln_buf_release(&folder);
  return status;
}

static enum kiln_status
check_room(const struct kiln_sandbox *sandbox, struct kiln_error *error)
{
  struct kiln_buf path;
  enum kiln_status status = KILN_OK;
  void *room;
  kiln_buf_init(&path);
  kiln_text_join(&path, sandbox->folder, "room");
  room = kiln_shared_create(kiln_buf_text(&path), SANDBOX_ROOM, NULL);
  if (room) {
    kiln_shared_close(room, SANDBOX_ROOM);
  } else {
    status = kiln_error_set(
        error, KILN_ERROR_ENVIRONMENT, "There is no room for 1 MB in the temporary folder '%s'.", sandbox->folder);
  }
  kiln_folder_remove(kiln_buf_text(&path), NULL);
  kiln_buf_release(&path);
  return status;
}

static enum kiln_status
sandbox_fill(struct kiln_sandbox *sandbox, const char *parent, struct kiln_error *error)
{
  struct stale_search search = {sandbox, parent};
  enum kiln_status status;
  kiln_folder_walk(parent, 1, sweep_one, &search, NULL);
  status = make_locked(sandbox, parent, error);
  if (status == KILN_OK) {
    status = check_room(sandbox, error);
  }
  if (status != KILN_OK) {
    kiln_error_advise(error, "Free some space there, or set TMPDIR to a folder that can be written.");
    return status == KILN_ERROR_MEMORY ? status : KILN_ERROR_ENVIRONMENT;
  }
  return KILN_OK;
}

enum kiln_status
kiln_sandbox_new(const char *parent, struct kiln_sandbox **sandbox, struct kiln_error *error)
{
  return kiln_sandbox_new_guarded(parent, NULL, sandbox, error);
}

enum kiln_status
kiln_sandbox_new_guarded(
    const char *parent, const char *supervisor, struct kiln_sandbox **sandbox, struct kiln_error *error)
{
  struct kiln_sandbox *made = calloc(1, sizeof *made);
  struct kiln_buf place;
  enum kiln_status status;
  *sandbox = NULL;
  if (!made) {
    return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  }
  made->lock = -1;
  if (supervisor) {
    kiln_guard_start(supervisor, &made->guard, NULL);
  }
  if (!parent) {
    parent = kiln_folder_temporary();
  }
  kiln_buf_init(&place);
  if (kiln_path_resolve(parent, &place)) {
    status = sandbox_fill(made, kiln_buf_text(&place), error);
  } else {
    status = kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "The temporary folder '%s' does not exist.", parent);
    kiln_error_advise(error, "Create it, or set TMPDIR to a folder that can be written.");
  }
  kiln_buf_release(&place);
  if (status != KILN_OK) {
    kiln_sandbox_free(made);
    return status;
  }
  *sandbox = made;
  return KILN_OK;
}

void
kiln_sandbox_free(struct kiln_sandbox *sandbox)
{
  if (!sandbox) {
    return;
  }
  if (sandbox->folder) {
    remove_folder(sandbox->folder);
  }
  kiln_guard_end(&sandbox->guard);
  if (sandbox->lock >= 0) {
    kiln_fd_close(sandbox->lock);
  }
  free(sandbox->folder);
  free(sandbox);
}

const char *
kiln_sandbox_path(const struct kiln_sandbox *sandbox, int index, const char *relative, struct kiln_buf *path)
{
  kiln_buf_clear(path);
  kiln_buf_printf(path, "%s/s%d/%s", sandbox->folder, index, relative);
  return kiln_buf_text(path);
}

enum kiln_status
kiln_sandbox_sample(struct kiln_sandbox *sandbox, int index, const char *run, struct kiln_error *error)
{
  struct kiln_buf path;
  enum kiln_status status;
  kiln_buf_init(&path);
  /* The leaf of a cache is its framework's to make; the folder around it is not. */
  status = kiln_folder_make(kiln_sandbox_path(sandbox, index, "cache", &path), error);
  if (status == KILN_OK) {
    status = kiln_folder_make(kiln_sandbox_path(sandbox, index, "tmp", &path), error);
  }
  if (status == KILN_OK) {
    kiln_buf_clear(&path);
    kiln_buf_printf(&path, "%s/s%d/%s/events", sandbox->folder, index, run);
    status = kiln_folder_make(kiln_buf_text(&path), error);
  }
  if (status == KILN_OK && path.failed) {
    status = kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  }
  kiln_buf_release(&path);
  return status;
}

void
kiln_sandbox_sample_remove(struct kiln_sandbox *sandbox, int index)
{
  struct kiln_buf path;
  kiln_buf_init(&path);
  kiln_buf_printf(&path, "%s/s%d", sandbox->folder, index);
  if (!path.failed) {
    kiln_folder_remove(kiln_buf_text(&path), NULL);
  }
  kiln_buf_release(&path);
}

static void
set_caches(const struct kiln_sandbox *sandbox, int index, struct kiln_environment *env, struct kiln_buf *text)
{
  size_t i;
  for (i = 0; i < kiln_framework_count; i++) {
    if (kiln_frameworks[i].variable) {
      kiln_buf_clear(text);
      kiln_buf_printf(text, "%s/s%d/cache/%s", sandbox->folder, index, kiln_frameworks[i].name);
      kiln_environment_set(env, kiln_frameworks[i].variable, kiln_buf_text(text));
    }
  }
}

enum kiln_status
kiln_sandbox_environment(const struct kiln_sandbox *sandbox, int index, const char *run, const char *preload,
    struct kiln_environment *env, struct kiln_error *error)
{
  struct kiln_buf text;
  enum kiln_status status;
  kiln_buf_init(&text);
  kiln_environment_copy_current(env);
  set_caches(sandbox, index, env, &text);
  kiln_environment_set(env, "TMPDIR", kiln_sandbox_path(sandbox, index, "tmp", &text));
  kiln_environment_set(env, KILN_SANDBOX_VARIABLE, sandbox->folder);
  kiln_buf_clear(&text);
  kiln_buf_printf(&text, "%s/s%d/%s/events", sandbox->folder, index, run);
  kiln_environment_set(env, KILN_EVENT_VARIABLE, kiln_buf_text(&text));
  if (sandbox->bytecode) {
    kiln_environment_set(env, "PYTHONPYCACHEPREFIX", kiln_text_join(&text, sandbox->folder, "pyc"));
    kiln_environment_unset(env, "PYTHONDONTWRITEBYTECODE");
  }
  status = kiln_preload_put(env, preload, error);
  if (status == KILN_OK && (env->failed || text.failed)) {
    status = kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  }
  kiln_buf_release(&text);
  return status;
}
