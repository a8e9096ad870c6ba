#include "store/lock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "os/clock.h"
#include "os/instance.h"
#include "os/process.h"
#include "os/publish.h"
#include "os/range_lock.h"
#include "store/files.h"
#include "store/record.h"

#define KIND "owner"
#define MAX_NOTE 4096
#define LOCK_FILE_MODE 0600
/* A stale note may be that of an owner who died long ago, beside a new owner who has not written its own yet. */
#define STALE_LOOKS 10
#define STALE_PAUSE_NS 20000000ull

/* 63 bits behind the byte that chose the file: two keys share a byte of a file about never. */
static uint64_t
offset_of(const struct kiln_digest *key)
{
  uint64_t offset = 0;
  for (size_t i = 1; i <= 8; i++)
    offset = offset << 8 | key->bytes[i];
  offset &= INT64_MAX;
  return offset == INT64_MAX ? offset - 1 : offset;
}

static void
note_name(const struct kiln_digest *key, struct kiln_buf *relative)
{
  char hex[KILN_DIGEST_HEX];
  kiln_digest_hex(key, hex);
  kiln_buf_clear(relative);
  kiln_buf_printf(relative, "locks/%s.owner", hex);
}

static void
write_note(struct kiln_store *store, const struct kiln_digest *key, const char *relative)
{
  struct kiln_instance self;
  struct kiln_buf note;
  kiln_instance_self(&self);
  kiln_buf_init(&note);
  kiln_record_begin(&note, KIND);
  kiln_record_append_digest(&note, "key", key);
  kiln_buf_printf(&note, "host %s\nboot %s\npid %d\nstart %" PRIu64 "\nbegin %" PRIu64 "\n", self.host, self.boot,
      self.pid, self.start, kiln_clock_real());
  kiln_record_end(&note);
  (void)kiln_store_write(store, relative, &note, NULL); /* who waits learns less; nothing else changes */
  kiln_buf_release(&note);
}

static bool
hold(struct kiln_store *store, int fd)
{
  kiln_mutex_lock(&store->mutex);
  bool kept = KILN_GROW(store->held, store->held_count, store->held_capacity);
  if (kept)
    store->held[store->held_count++] = fd;
  kiln_mutex_unlock(&store->mutex);
  return kept;
}

static void
let_go(struct kiln_store *store, int fd)
{
  kiln_mutex_lock(&store->mutex);
  for (size_t i = 0; i < store->held_count; i++)
    if (store->held[i] == fd) {
      store->held[i] = store->held[--store->held_count];
      break;
    }
  kiln_mutex_unlock(&store->mutex);
}

static enum kiln_lock_result
try_file(struct kiln_store *store, const struct kiln_digest *key, int *fd)
{
  char relative[16];
  struct kiln_buf path;
  kiln_buf_init(&path);
  snprintf(relative, sizeof relative, "locks/%02x", key->bytes[0]);
  kiln_store_path(store, relative, &path);
  enum kiln_range_lock result = kiln_range_lock_try(kiln_buf_text(&path), LOCK_FILE_MODE, offset_of(key), fd);
  kiln_buf_release(&path);
  switch (result) {
  case KILN_RANGE_TAKEN:
    return KILN_LOCK_TAKEN;
  case KILN_RANGE_BUSY:
    return KILN_LOCK_BUSY;
  case KILN_RANGE_UNAVAILABLE:
    break;
  }
  return KILN_LOCK_UNAVAILABLE;
}

enum kiln_lock_result
kiln_key_lock_try(struct kiln_store *store, const struct kiln_digest *key, struct kiln_key_lock *lock)
{
  *lock = (struct kiln_key_lock){.store = store, .fd = -1, .pid = kiln_process_id()};
  kiln_store_adopt(store);
  if (kiln_store_prepare(store, NULL) != KILN_OK)
    return KILN_LOCK_UNAVAILABLE;
  enum kiln_lock_result result = try_file(store, key, &lock->fd);
  if (result == KILN_LOCK_UNAVAILABLE && kiln_store_folder(store, "locks", NULL) == KILN_OK)
    result = try_file(store, key, &lock->fd); /* the folder had been removed meanwhile */
  if (result != KILN_LOCK_TAKEN)
    return result;
  if (!hold(store, lock->fd)) {
    kiln_range_lock_release(lock->fd);
    lock->fd = -1;
    return KILN_LOCK_UNAVAILABLE;
  }
  struct kiln_buf relative, note;
  kiln_buf_init(&relative);
  kiln_buf_init(&note);
  note_name(key, &relative);
  kiln_store_path(store, kiln_buf_text(&relative), &note);
  if (!relative.failed && !note.failed) {
    write_note(store, key, relative.data);
    lock->note = note.data; /* keeps the memory */
    kiln_buf_init(&note);
  }
  kiln_buf_release(&relative);
  kiln_buf_release(&note);
  return KILN_LOCK_TAKEN;
}

void
kiln_key_lock_refresh(struct kiln_key_lock *lock)
{
  if (lock->fd >= 0 && lock->note && lock->pid == kiln_process_id())
    (void)kiln_file_touch(lock->note);
}

void
kiln_key_lock_release(struct kiln_key_lock *lock)
{
  if (lock->fd >= 0 && lock->pid == kiln_process_id()) {
    /* The note goes first: once the byte is free it may be the next owner's. */
    if (lock->note)
      (void)kiln_file_remove(lock->note, NULL);
    let_go(lock->store, lock->fd);
    kiln_range_lock_release(lock->fd);
  } else if (lock->fd >= 0) {
    kiln_store_adopt(lock->store); /* closes it, unless that has been done */
  }
  free(lock->note);
  *lock = (struct kiln_key_lock){.fd = -1};
}

static double
seconds_since(uint64_t then_ns)
{
  uint64_t now = kiln_clock_real();
  return now > then_ns ? (double)(now - then_ns) / 1e9 : 0;
}

static bool
parse_note(const struct kiln_buf *content, const struct kiln_digest *key, struct kiln_owner *owner)
{
  struct kiln_record_reader reader;
  struct kiln_digest found;
  char boot[64];
  uint64_t pid, start, begin;
  if (!kiln_record_open(&reader, content, KIND) || !kiln_record_digest(&reader, "key", &found) ||
      !kiln_digest_equal(&found, key) || !kiln_record_text(&reader, "host", owner->host, sizeof owner->host) ||
      !kiln_record_text(&reader, "boot", boot, sizeof boot) || !kiln_record_number(&reader, "pid", &pid) ||
      !kiln_record_number(&reader, "start", &start) || !kiln_record_number(&reader, "begin", &begin) || pid > INT32_MAX)
    return false;
  owner->pid = (int)pid;
  owner->build_s = seconds_since(begin);
  return true;
}

/* The note at `path` as it is now; false when there is none. */
static bool
read_note(struct kiln_store *store, const struct kiln_digest *key, const char *path, struct kiln_owner *owner)
{
  struct kiln_buf content;
  struct kiln_store_file file = {.fd = -1};
  struct kiln_owner found = {0};
  kiln_buf_init(&content);
  bool known = kiln_store_read(store, path, MAX_NOTE, &content, &file, NULL) == KILN_READ_DONE &&
               parse_note(&content, key, &found);
  if (known) {
    found.age_s = seconds_since(file.info.mtime_ns);
    *owner = found;
  }
  kiln_fd_close(file.fd);
  kiln_buf_release(&content);
  return known;
}

bool
kiln_key_lock_owner(struct kiln_store *store, const struct kiln_digest *key, struct kiln_owner *owner)
{
  struct kiln_buf relative, path;
  if (kiln_location_check(store, 0) != KILN_LOCATION_TRUSTED)
    return false;
  kiln_buf_init(&relative);
  kiln_buf_init(&path);
  note_name(key, &relative);
  kiln_store_path(store, kiln_buf_text(&relative), &path);
  bool known = read_note(store, key, kiln_buf_text(&path), owner);
  for (int look = 0; known && owner->age_s > KILN_OWNER_STALE_S && look < STALE_LOOKS; look++) {
    kiln_clock_sleep(STALE_PAUSE_NS);
    known = read_note(store, key, kiln_buf_text(&path), owner);
  }
  kiln_buf_release(&relative);
  kiln_buf_release(&path);
  return known;
}
