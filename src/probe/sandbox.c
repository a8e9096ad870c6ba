#include "probe/sandbox.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/event.h"
#include "os/file.h"
#include "os/path.h"
#include "os/shared.h"
#include "probe/frameworks.h"
#include "probe/preload.h"

#define SANDBOX_TRIES 8
/* Events and launch counters of one process. */
#define SANDBOX_ROOM (1024UL * 1024UL)

/* The guard knows the name before the folder is there: no moment between is without somebody to remove it. */
static enum kiln_status
make_locked(struct kiln_sandbox *sandbox, const char *parent, struct kiln_error *error)
{
  struct kiln_buf folder;
  kiln_buf_init(&folder);
  for (int tries = 0; tries < SANDBOX_TRIES && sandbox->lock < 0; tries++) {
    if (!kiln_sandbox_folder_name(parent, &folder)) {
      kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "no name for a folder in '%s' can be made: no random bits", parent);
      break;
    }
    kiln_guard_name(&sandbox->guard, folder.data);
    sandbox->lock = kiln_sandbox_folder_make(folder.data, error);
  }
  if (sandbox->lock < 0) {
    kiln_buf_release(&folder);
    return KILN_ERROR_ENVIRONMENT;
  }
  sandbox->folder = folder.data;
  return KILN_OK;
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
  enum kiln_status status;
  kiln_sandbox_folder_sweep(parent, &sandbox->swept);
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
    kiln_sandbox_folder_remove(sandbox->folder, NULL);
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
