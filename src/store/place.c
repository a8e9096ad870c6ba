#include "store/place.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "os/clock.h"
#include "os/filesystem.h"
#include "os/path.h"
#include "os/process.h"
#include "os/publish.h"

#define MESSAGE_SIZE 1024

void
kiln_store_warn(struct kiln_store *store, enum kiln_store_warning cause, const char *format, ...)
{
  if (!store->warn || (atomic_fetch_or(&store->warned, (unsigned)cause) & (unsigned)cause) != 0)
    return;
  char message[MESSAGE_SIZE];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  store->warn(store->context, message);
}

bool
kiln_store_warned(struct kiln_store *store, unsigned causes)
{
  return (atomic_load(&store->warned) & causes) != 0;
}

/* The parent's mutex may have been held by a thread that does not exist here, and its locks must not live as long as
 * this child: closing a copy does not unlock. */
static void
take_over(struct kiln_store *store)
{
  kiln_mutex_init(&store->mutex);
  for (size_t i = 0; i < store->held_count; i++)
    kiln_fd_close(store->held[i]);
  store->held_count = 0;
}

void
kiln_store_adopt(struct kiln_store *store)
{
  int self = kiln_process_id(), owner;
  while ((owner = atomic_load(&store->owner_pid)) != self) {
    if (owner == -self) { /* another thread is at it */
      kiln_clock_sleep(100000);
    } else if (atomic_compare_exchange_strong(&store->owner_pid, &owner, -self)) {
      take_over(store);
      atomic_store(&store->owner_pid, self);
    }
  }
}

const char *
kiln_location_folder(const struct kiln_store *store, size_t i)
{
  const struct kiln_location *location = &store->locations[i];
  return atomic_load(&location->state) != KILN_LOCATION_MISSING ? location->resolved : location->given;
}

const char *
kiln_location_path(const struct kiln_store *store, size_t i, const char *relative, struct kiln_buf *path)
{
  kiln_buf_clear(path);
  kiln_buf_text_append(path, kiln_location_folder(store, i));
  kiln_buf_append(path, "/v1/", 4);
  kiln_buf_text_append(path, relative);
  return kiln_buf_text(path);
}

const char *
kiln_store_path(const struct kiln_store *store, const char *relative, struct kiln_buf *path)
{
  return kiln_location_path(store, 0, relative, path);
}

/* The folder and those below that are shared by all keys; below them only who may write there can have put anything,
 * and each file's own owner is checked when it is read. */
static bool
is_trusted(const char *root, char *refusal)
{
  static const char *const folders[] = {"", "/v1", "/v1/entries", "/v1/requests", "/v1/build", "/v1/locks"};
  struct kiln_buf path;
  bool trusted = true;
  kiln_buf_init(&path);
  for (size_t i = 0; i < sizeof folders / sizeof *folders && trusted; i++) {
    kiln_buf_clear(&path);
    kiln_buf_text_append(&path, root);
    kiln_buf_text_append(&path, folders[i]);
    if (i == 0 || kiln_file_exists(kiln_buf_text(&path)))
      trusted = kiln_owner_trusted(kiln_buf_text(&path), refusal, KILN_LOCATION_REFUSAL_SIZE);
  }
  kiln_buf_release(&path);
  return trusted;
}

static enum kiln_location_state
look(struct kiln_location *location)
{
  struct kiln_buf resolved;
  struct kiln_file_info info;
  struct kiln_filesystem filesystem = {0};
  kiln_buf_init(&resolved);
  if (!kiln_path_resolve(location->given, &resolved) || kiln_file_info(resolved.data, &info, NULL) != KILN_OK) {
    kiln_buf_release(&resolved);
    return KILN_LOCATION_MISSING;
  }
  enum kiln_location_state state = KILN_LOCATION_TRUSTED;
  location->resolved = resolved.data; /* keeps the memory */
  location->mode = info.mode;
  if (kiln_filesystem_of(resolved.data, &filesystem)) {
    location->network = filesystem.network;
    location->noexec = filesystem.noexec;
    location->read_only = filesystem.read_only;
    memcpy(location->type, filesystem.type, sizeof location->type);
  }
  if (info.kind != KILN_FILE_FOLDER) {
    snprintf(location->refusal, sizeof location->refusal, "'%.250s' is not a folder", resolved.data);
    state = KILN_LOCATION_REFUSED;
  } else if (!is_trusted(resolved.data, location->refusal)) {
    state = KILN_LOCATION_REFUSED;
  }
  return state;
}

static void
report(struct kiln_store *store, size_t i, enum kiln_location_state state)
{
  struct kiln_location *location = &store->locations[i];
  if (state == KILN_LOCATION_REFUSED)
    kiln_store_warn(store, i == 0 ? KILN_WARN_PLACE : KILN_WARN_LAYER, "the %s is not used: %s",
        i == 0 ? "cache folder" : "cache layer", location->refusal);
  else if (i == 0 && location->network)
    kiln_store_warn(store, KILN_WARN_NETWORK,
        "the cache folder '%s' lies on a network file system (%s): locks and times may not work between hosts; "
        "a folder on a local disk is faster (KILN_CACHE_DIR)",
        location->resolved, location->type);
}

enum kiln_location_state
kiln_location_check(struct kiln_store *store, size_t i)
{
  struct kiln_location *location = &store->locations[i];
  int state = atomic_load(&location->state);
  if (state != KILN_LOCATION_MISSING)
    return (enum kiln_location_state)state;
  kiln_store_adopt(store);
  kiln_mutex_lock(&store->mutex);
  state = atomic_load(&location->state);
  bool first = state == KILN_LOCATION_MISSING;
  if (first) {
    state = look(location);
    atomic_store(&location->state, state);
  }
  kiln_mutex_unlock(&store->mutex);
  if (first)
    report(store, i, (enum kiln_location_state)state);
  return (enum kiln_location_state)state;
}

unsigned
kiln_store_file_mode(const struct kiln_store *store)
{
  return 0400U | (store->locations[0].mode & 0044U);
}

unsigned
kiln_store_folder_mode(const struct kiln_store *store)
{
  return 0700U | (store->locations[0].mode & 0055U);
}

/* Each missing folder on the way down, so that each gets its mode. */
static enum kiln_status
make_below(const struct kiln_store *store, char *path, size_t root_len, struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  char *at = path + root_len;
  while (status == KILN_OK && at) {
    at = strchr(at + 1, '/');
    if (at)
      *at = '\0';
    if (!kiln_file_exists(path)) {
      status = kiln_folder_make(path, error);
      if (status == KILN_OK)
        (void)kiln_file_set_mode(path, kiln_store_folder_mode(store), NULL);
    }
    if (at)
      *at = '/';
  }
  return status;
}

enum kiln_status
kiln_store_folder(struct kiln_store *store, const char *relative, struct kiln_error *error)
{
  struct kiln_buf path;
  kiln_buf_init(&path);
  kiln_store_path(store, relative, &path);
  enum kiln_status status = path.failed
                                ? kiln_error_set(error, KILN_ERROR_MEMORY, "no memory for the path of '%s'", relative)
                                : make_below(store, path.data, strlen(kiln_location_folder(store, 0)), error);
  kiln_buf_release(&path);
  return status;
}

/* A full disk may have room again; a permission does not come back. */
static bool
stop_writing(struct kiln_store *store, const struct kiln_error *error)
{
  bool refused = error->sys_errno == EROFS || error->sys_errno == EACCES || error->sys_errno == EPERM;
  if (refused)
    atomic_store(&store->unwritable, true);
  return refused;
}

enum kiln_status
kiln_store_refused(struct kiln_store *store, const struct kiln_error *error)
{
  if (stop_writing(store, error))
    kiln_store_warn(store, KILN_WARN_UNWRITABLE, "nothing is stored from now on: %s", error->what);
  return error->status;
}

static enum kiln_status
refuse_unwritable(struct kiln_store *store, struct kiln_error *error)
{
  kiln_error_set(
      error, KILN_ERROR_ENVIRONMENT, "the cache folder '%s' cannot be written", kiln_location_folder(store, 0));
  kiln_error_advise(error, "Set KILN_CACHE_DIR to a folder that this user may write.");
  return KILN_ERROR_ENVIRONMENT;
}

static enum kiln_status
refuse_untrusted(struct kiln_store *store, struct kiln_error *error)
{
  kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "the cache folder is refused: %s", store->locations[0].refusal);
  kiln_error_advise(error, "Set KILN_CACHE_DIR to a folder of your own that nobody else can write.");
  return KILN_ERROR_ENVIRONMENT;
}

/* The store's folder itself, made with the user's umask if need be, then looked at. */
static enum kiln_status
prepare_root(struct kiln_store *store, struct kiln_error *error)
{
  enum kiln_location_state state = kiln_location_check(store, 0);
  if (state == KILN_LOCATION_MISSING) {
    enum kiln_status status = kiln_folder_make(store->locations[0].given, error);
    if (status != KILN_OK)
      return status;
    state = kiln_location_check(store, 0);
  }
  if (state == KILN_LOCATION_REFUSED)
    return refuse_untrusted(store, error);
  return KILN_OK;
}

static enum kiln_status
prepare_folders(struct kiln_store *store, struct kiln_error *error)
{
  static const char *const folders[] = {
      "entries", "requests", "locks", "build", "failed", "quarantine", "toolchains", "needs"};
  struct kiln_buf path;
  enum kiln_status status = KILN_OK;
  kiln_buf_init(&path);
  for (size_t i = 0; i < sizeof folders / sizeof *folders && status == KILN_OK; i++)
    status = kiln_store_folder(store, folders[i], error);
  /* A folder that exists can still lie on a read-only disk. */
  if (status == KILN_OK && !kiln_folder_writable(kiln_store_path(store, "entries", &path))) {
    atomic_store(&store->unwritable, true);
    status = refuse_unwritable(store, error);
  }
  kiln_buf_release(&path);
  return status;
}

enum kiln_status
kiln_store_prepare(struct kiln_store *store, struct kiln_error *error)
{
  if (atomic_load(&store->unwritable))
    return refuse_unwritable(store, error);
  if (atomic_load(&store->prepared))
    return KILN_OK;
  struct kiln_error cause = {0};
  enum kiln_status status = prepare_root(store, &cause);
  if (status == KILN_OK)
    status = prepare_folders(store, &cause);
  if (status == KILN_OK) {
    atomic_store(&store->prepared, true);
    return KILN_OK;
  }
  stop_writing(store, &cause);
  if (status != KILN_ERROR_MEMORY)
    cause.status = status = KILN_ERROR_ENVIRONMENT;
  if (error)
    *error = cause;
  return status;
}

/* Of the nearest folder that exists. */
static bool
may_write(const char *path)
{
  struct kiln_buf at;
  kiln_buf_init(&at);
  kiln_buf_text_append(&at, path);
  while (at.len > 1 && !kiln_file_exists(at.data)) {
    size_t len = (size_t)(kiln_text_base_name(at.data) - at.data);
    at.len = len > 1 ? len - 1 : len;
    at.data[at.len] = '\0';
    if (len == 0)
      break;
  }
  bool writable = at.len > 0 && kiln_folder_writable(at.data);
  kiln_buf_release(&at);
  return writable;
}

bool
kiln_store_maps_code(struct kiln_store *store, const struct kiln_found *found)
{
  for (size_t i = 0; i < store->count; i++)
    if (kiln_location_check(store, i) == KILN_LOCATION_TRUSTED &&
        kiln_text_path_within(found->path, kiln_location_folder(store, i)))
      return !store->locations[i].noexec && !store->locations[i].network;
  return true; /* the system's temporary folder, where a build goes that no store takes */
}

void
kiln_store_place(struct kiln_store *store, struct kiln_store_place *place)
{
  const struct kiln_location *location = &store->locations[0];
  enum kiln_location_state state = kiln_location_check(store, 0);
  *place = (struct kiln_store_place){.exists = state != KILN_LOCATION_MISSING};
  if (state == KILN_LOCATION_MISSING) {
    struct kiln_filesystem filesystem;
    if (kiln_filesystem_of(location->given, &filesystem)) {
      place->network = filesystem.network;
      place->noexec = filesystem.noexec;
    }
  } else {
    place->network = location->network;
    place->noexec = location->noexec;
    memcpy(place->refusal, location->refusal, sizeof place->refusal);
  }
  place->writable =
      state != KILN_LOCATION_REFUSED && !atomic_load(&store->unwritable) && may_write(kiln_location_folder(store, 0));
}
