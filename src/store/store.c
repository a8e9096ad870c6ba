#include "store/store.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "os/clock.h"
#include "os/process.h"
#include "os/publish.h"
#include "os/user.h"
#include "store/files.h"
#include "store/store_entry.h"

#define NS_PER_DAY (86400ull * 1000000000ull)

static char *
copy_path(const char *path)
{
  size_t len = strlen(path);
  while (len > 1 && path[len - 1] == '/')
    len--;
  char *copy = malloc(len + 1);
  if (copy) {
    memcpy(copy, path, len);
    copy[len] = '\0';
  }
  return copy;
}

static enum kiln_status
set_locations(struct kiln_store *store, const struct kiln_store_options *options, struct kiln_error *error)
{
  size_t layers = 0;
  while (options->layers && options->layers[layers])
    layers++;
  store->locations = calloc(layers + 1, sizeof *store->locations);
  for (size_t i = 0; store->locations && i <= layers; i++) {
    const char *path = i == 0 ? options->folder : options->layers[i - 1];
    if (path[0] != '/') {
      kiln_error_set(
          error, KILN_ERROR_ARGUMENT, "the cache %s '%s' is not an absolute path", i == 0 ? "folder" : "layer", path);
      kiln_error_advise(error, "Give the whole path, from '/'.");
      return KILN_ERROR_ARGUMENT;
    }
    store->locations[i].given = copy_path(path);
    store->count = i + 1;
    if (!store->locations[i].given)
      break;
    atomic_init(&store->locations[i].state, KILN_LOCATION_MISSING);
  }
  if (!store->locations || store->count != layers + 1 || !store->locations[layers].given)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "no memory for the cache in '%s'", options->folder);
  return KILN_OK;
}

enum kiln_status
kiln_store_open(const struct kiln_store_options *options, struct kiln_store **store, struct kiln_error *error)
{
  *store = NULL;
  if (!options->folder || !*options->folder) {
    kiln_error_set(error, KILN_ERROR_ARGUMENT, "no cache folder is given");
    kiln_error_advise(error, "Set KILN_CACHE_DIR to a folder of your own.");
    return KILN_ERROR_ARGUMENT;
  }
  struct kiln_store *made = calloc(1, sizeof *made);
  if (!made)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "no memory for the cache in '%s'", options->folder);
  kiln_mutex_init(&made->mutex);
  enum kiln_status status = set_locations(made, options, error);
  if (status != KILN_OK) {
    kiln_store_close(made);
    return status;
  }
  made->sync = options->sync;
  made->warn = options->warn;
  made->context = options->context;
  atomic_init(&made->warned, 0);
  atomic_init(&made->prepared, false);
  atomic_init(&made->unwritable, false);
  atomic_init(&made->fell_back, false);
  atomic_init(&made->reclaimed, false);
  atomic_init(&made->serial, 0);
  atomic_init(&made->owner_pid, kiln_process_id());
  *store = made;
  return KILN_OK;
}

void
kiln_store_close(struct kiln_store *store)
{
  if (!store)
    return;
  for (size_t i = 0; i < store->count; i++) {
    free(store->locations[i].given);
    free(store->locations[i].resolved);
  }
  free(store->locations);
  free(store->held);
  kiln_mutex_release(&store->mutex);
  free(store);
}

static void
warn_damage(struct kiln_store *store, const char *path, enum kiln_entry_fault fault)
{
  kiln_store_warn(store, KILN_WARN_DAMAGE, "the cache entry '%s' is not used: %s", path, kiln_entry_fault_text(fault));
}

enum kiln_store_outcome
kiln_store_read_entry(struct kiln_store *store, size_t location, const struct kiln_digest *key,
    struct kiln_found *found, enum kiln_entry_fault *fault, struct kiln_error *error)
{
  struct kiln_buf relative, path;
  struct kiln_store_file file = {.fd = -1};
  enum kiln_store_outcome outcome = KILN_STORE_MISSING;
  *found = (struct kiln_found){.fd = -1, .in_layer = location > 0};
  kiln_buf_init(&relative);
  kiln_buf_init(&path);
  kiln_location_path(store, location, kiln_store_name(&relative, "entries", key), &path);
  if (relative.failed || path.failed) {
    kiln_error_set(error, KILN_ERROR_MEMORY, "no memory for the path of an entry");
    outcome = KILN_STORE_FAILED;
    goto out;
  }
  const uint64_t most = KILN_ENTRY_MAX_PAYLOAD + KILN_ENTRY_MAX_MANIFEST + KILN_ENTRY_FOOTER_SIZE;
  struct kiln_buf *data = &found->entry.data;
  switch (kiln_store_read(store, path.data, most, data, &file, error)) {
  case KILN_READ_MISSING:
    outcome = KILN_STORE_MISSING;
    break;
  case KILN_READ_REFUSED:
    outcome = KILN_STORE_REFUSED;
    break;
  case KILN_READ_FAILED:
    outcome = KILN_STORE_FAILED;
    break;
  case KILN_READ_DAMAGED:
    *fault = KILN_ENTRY_LENGTHS;
    outcome = KILN_STORE_DAMAGED;
    break;
  case KILN_READ_DONE:
    /* What another user wrote crossed a border of trust. */
    *fault = kiln_entry_check(data->data, data->len, key, file.info.uid != kiln_user_id(), &found->entry);
    outcome = *fault == KILN_ENTRY_GOOD ? KILN_STORE_FOUND : KILN_STORE_DAMAGED;
    break;
  }
  found->fd = file.fd;
  found->path = path.data; /* keeps the memory */
  kiln_buf_init(&path);
out:
  kiln_buf_release(&relative);
  kiln_buf_release(&path);
  if (outcome != KILN_STORE_FOUND && outcome != KILN_STORE_DAMAGED)
    kiln_found_release(found);
  return outcome;
}

/* Only the file that was read: its name may have been given to a good one meanwhile. */
static void
set_aside(struct kiln_store *store, const struct kiln_found *found, enum kiln_entry_fault fault)
{
  struct kiln_file_info info;
  uint64_t device, inode;
  warn_damage(store, found->path, fault);
  if (!found->in_layer && kiln_fd_identity(found->fd, &device, &inode) &&
      kiln_file_info(found->path, &info, NULL) == KILN_OK && info.device == device && info.inode == inode)
    (void)kiln_store_quarantine(store, found->path, kiln_entry_fault_word(fault), NULL);
}

enum kiln_status
kiln_store_find(
    struct kiln_store *store, const struct kiln_digest *key, struct kiln_found *found, struct kiln_error *error)
{
  enum kiln_entry_fault fault = KILN_ENTRY_GOOD;
  struct kiln_error cause;
  *found = (struct kiln_found){.fd = -1};
  kiln_store_adopt(store);
  for (size_t i = 0; i < store->count; i++) {
    if (kiln_location_check(store, i) != KILN_LOCATION_TRUSTED)
      continue;
    switch (kiln_store_read_entry(store, i, key, found, &fault, &cause)) {
    case KILN_STORE_FOUND:
      return KILN_OK;
    case KILN_STORE_FAILED:
      if (error)
        *error = cause;
      return cause.status;
    case KILN_STORE_DAMAGED:
      set_aside(store, found, fault);
      kiln_found_release(found);
      break;
    case KILN_STORE_MISSING:
    case KILN_STORE_REFUSED:
      break;
    }
  }
  if (error) {
    char hex[KILN_DIGEST_HEX];
    kiln_digest_hex(key, hex);
    kiln_error_set(
        error, KILN_ERROR_NOT_FOUND, "there is no entry of key %s in '%s'", hex, kiln_location_folder(store, 0));
  }
  return KILN_ERROR_NOT_FOUND;
}

void
kiln_found_release(struct kiln_found *found)
{
  kiln_fd_close(found->fd);
  free(found->path);
  kiln_entry_release(&found->entry);
  *found = (struct kiln_found){.fd = -1};
}

void
kiln_store_touch(struct kiln_store *store, const struct kiln_found *found)
{
  struct kiln_file_info info;
  if (found->in_layer || found->fd < 0 || atomic_load(&store->unwritable) || !kiln_fd_info(found->fd, &info))
    return;
  if (info.mtime_ns + NS_PER_DAY < kiln_clock_real())
    (void)kiln_file_touch(found->path);
}

struct entry_walk {
  kiln_store_visit *visit;
  void *context;
  bool in_layer, stopped;
};

static bool
visit_entry(void *context, const char *path, const struct kiln_file_info *info)
{
  struct entry_walk *walk = context;
  struct kiln_digest key;
  if (walk->stopped)
    return false;
  if (info->kind == KILN_FILE_REGULAR && kiln_digest_parse(kiln_text_base_name(path), &key))
    walk->stopped = !walk->visit(walk->context, path, walk->in_layer);
  return true;
}

enum kiln_status
kiln_store_walk(struct kiln_store *store, kiln_store_visit *visit, void *context, struct kiln_error *error)
{
  struct entry_walk walk = {visit, context, false, false};
  enum kiln_status status = KILN_OK;
  struct kiln_buf path;
  kiln_buf_init(&path);
  for (size_t i = 0; i < store->count && status == KILN_OK && !walk.stopped; i++) {
    if (kiln_location_check(store, i) != KILN_LOCATION_TRUSTED)
      continue;
    walk.in_layer = i > 0;
    status = kiln_folder_walk(kiln_location_path(store, i, "entries", &path), 2, visit_entry, &walk, error);
  }
  kiln_buf_release(&path);
  return status;
}
