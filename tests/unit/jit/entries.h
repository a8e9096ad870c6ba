/*
 * A kiln that is nothing but a store, and entries with whatever manifest a test wants.
 */
#ifndef KILN_TEST_JIT_ENTRIES_H
#define KILN_TEST_JIT_ENTRIES_H

#include "unit/store/made.h"

#include "base/json_read.h"
#include "jit/cache_item.h"
#include "jit/context.h"

/* Lives as long as the made store of the test. */
static inline struct kiln
entries_kiln(struct kiln_store *store)
{
  struct kiln kiln = {.store = store};
  return kiln;
}

static inline const char *
entries_key(const char *name, char hex[KILN_DIGEST_HEX])
{
  struct kiln_digest key = made_key(name);
  kiln_digest_hex(&key, hex);
  return hex;
}

/* Publish an entry of key `name`; members: what follows "key" in its manifest, from the comma on. */
static inline void
entries_publish(struct made *made, struct kiln_store *store, const char *name, const char *members)
{
  static int serial;
  struct kiln_digest key = made_key(name);
  struct kiln_buf entry, manifest;
  char hex[KILN_DIGEST_HEX], file[1024];
  bool lost;
  kiln_buf_init(&entry);
  kiln_buf_init(&manifest);
  kiln_buf_printf(&manifest, "{\"key\":\"%s\"%s}", entries_key(name, hex), members);
  kiln_buf_text_append(&entry, "payload");
  assert_int_equal(kiln_entry_seal(&entry, &key, manifest.data, manifest.len, NULL), KILN_OK);
  snprintf(file, sizeof file, "%.400s/entry-%d", made->folder.data, serial++);
  assert_int_equal(kiln_file_write(file, entry.data, entry.len, NULL), KILN_OK);
  assert_int_equal(kiln_store_publish(store, &key, file, &lost, NULL), KILN_OK);
  kiln_buf_release(&entry);
  kiln_buf_release(&manifest);
}

/* Change one byte of an entry in place. */
static inline void
entries_damage(const char *path)
{
  assert_int_equal(chmod(path, 0600), 0);
  int fd = open(path, O_WRONLY);
  assert_true(fd >= 0);
  assert_int_equal(pwrite(fd, "X", 1, 1), 1);
  close(fd);
}

#endif
