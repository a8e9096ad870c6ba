/*
 * A store in a folder of its own, with what it warned about, and sealed entries to put into it.
 */
#ifndef KILN_TEST_STORE_MADE_H
#define KILN_TEST_STORE_MADE_H

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "os/file.h"
#include "store/files.h"
#include "store/store.h"

#define DAY 86400

struct made {
  struct kiln_buf folder; /* holds "store" and whatever a test puts beside it */
  struct kiln_store *store;
  char path[1024];
  char warning[1024]; /* the last one */
  int warnings;
};

static inline void
made_warn(void *context, const char *message)
{
  struct made *made = context;
  made->warnings++;
  snprintf(made->warning, sizeof made->warning, "%s", message);
}

/* "<folder>/<name>"; valid until the next call. */
static inline const char *
made_path(struct made *made, const char *name)
{
  snprintf(made->path, sizeof made->path, "%.400s/%.600s", made->folder.data, name);
  return made->path;
}

/* Another store object on the same folder, as another process would have. */
static inline struct kiln_store *
made_open(struct made *made, const char *name, const char *const *layers)
{
  struct kiln_store *store;
  char folder[1024];
  snprintf(folder, sizeof folder, "%s", made_path(made, name));
  struct kiln_store_options options = {.folder = folder, .layers = layers, .warn = made_warn, .context = made};
  assert_int_equal(kiln_store_open(&options, &store, NULL), KILN_OK);
  return store;
}

static inline int
made_setup(void **state)
{
  static struct made made;
  made = (struct made){0};
  *state = &made;
  if (kiln_folder_make_private(kiln_folder_temporary(), "kiln-test-", &made.folder, NULL) != KILN_OK)
    return -1;
  made.store = made_open(&made, "store", NULL);
  return 0;
}

static inline int
made_teardown(void **state)
{
  struct made *made = *state;
  kiln_store_close(made->store);
  enum kiln_status status = kiln_folder_remove(made->folder.data, NULL);
  kiln_buf_release(&made->folder);
  return status == KILN_OK ? 0 : -1;
}

static inline struct kiln_digest
made_key(const char *name)
{
  return kiln_digest_of(name, strlen(name));
}

/* A sealed entry of key `name` with this payload, in buf. */
static inline void
made_seal(struct kiln_buf *buf, const char *name, const char *payload)
{
  struct kiln_digest key = made_key(name);
  char hex[KILN_DIGEST_HEX], manifest[128];
  kiln_digest_hex(&key, hex);
  int len = snprintf(manifest, sizeof manifest, "{\"key\":\"%s\"}", hex);
  kiln_buf_init(buf);
  kiln_buf_text_append(buf, payload);
  assert_int_equal(kiln_entry_seal(buf, &key, manifest, (size_t)len, NULL), KILN_OK);
}

/* The path of an entry, by the layout that docs/store.md promises. */
static inline const char *
made_entry_path(struct made *made, const char *store, const char *name)
{
  struct kiln_digest key = made_key(name);
  char hex[KILN_DIGEST_HEX], relative[256];
  kiln_digest_hex(&key, hex);
  snprintf(relative, sizeof relative, "%s/v1/entries/%.2s/%s", store, hex, hex);
  return made_path(made, relative);
}

/* Publish into this store; what is returned is the status. */
static inline enum kiln_status
made_publish_in(struct kiln_store *store, const char *name, const char *payload, bool *lost)
{
  struct kiln_buf entry, file;
  struct kiln_digest key = made_key(name);
  made_seal(&entry, name, payload);
  kiln_buf_init(&file);
  enum kiln_status status = kiln_store_write_temporary(store, &entry, &file, NULL);
  if (status == KILN_OK)
    status = kiln_store_publish(store, &key, file.data, lost, NULL);
  kiln_buf_release(&entry);
  kiln_buf_release(&file);
  return status;
}

static inline void
made_publish(struct made *made, const char *name, const char *payload)
{
  bool lost = true;
  assert_int_equal(made_publish_in(made->store, name, payload, &lost), KILN_OK);
  assert_false(lost);
}

/* Is the entry found, with this payload? */
static inline bool
made_finds(struct kiln_store *store, const char *name, const char *payload)
{
  struct kiln_found found;
  struct kiln_digest key = made_key(name);
  enum kiln_status status = kiln_store_find(store, &key, &found, NULL);
  if (status != KILN_OK) {
    assert_int_equal(status, KILN_ERROR_NOT_FOUND);
    assert_int_equal(found.fd, -1);
    return false;
  }
  bool same = found.entry.payload_len == strlen(payload) &&
              memcmp(found.entry.data.data, payload, found.entry.payload_len) == 0;
  kiln_found_release(&found);
  return same;
}

/* Set a file's time of change to `seconds` ago. */
static inline void
made_age(const char *path, long seconds)
{
  struct timespec now, times[2];
  clock_gettime(CLOCK_REALTIME, &now);
  now.tv_sec -= seconds;
  times[0] = times[1] = now;
  assert_int_equal(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

static inline unsigned
made_mode(const char *path)
{
  struct stat status;
  assert_int_equal(lstat(path, &status), 0);
  return (unsigned)status.st_mode & 07777U;
}

static inline int
made_count_in(const char *folder)
{
  char command[1400];
  snprintf(command, sizeof command, "ls -A '%s' 2>/dev/null | wc -l", folder);
  FILE *pipe = popen(command, "r");
  int count = -1;
  assert_int_equal(fscanf(pipe, "%d", &count), 1);
  pclose(pipe);
  return count;
}

/* Status of a child that ran `body`; the child leaves by _exit. */
static inline int
made_wait(pid_t child)
{
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

#endif
