#include "jit/cache_item.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "os/filesystem.h"

/* What was read is checked, then moved into the item. */
static enum kiln_cache_item_result
check(struct kiln_buf *data, bool cryptographic, struct kiln_cache_item *item, char *reason)
{
  struct kiln_digest key;
  enum kiln_entry_fault fault;
  struct kiln_error error = {0};
  kiln_digest_parse(item->key, &key);
  fault = kiln_entry_check(data->data, data->len, &key, cryptographic, &item->entry);
  if (fault != KILN_ENTRY_GOOD) {
    snprintf(reason, KILN_CACHE_REASON_SIZE, "%s", kiln_entry_fault_text(fault));
    return KILN_CACHE_ITEM_DAMAGED;
  }
  item->entry.data = *data;
  kiln_buf_init(data);
  if (kiln_json_parse(kiln_entry_manifest(&item->entry), item->entry.manifest_len, "manifest", &item->manifest,
          &error) != KILN_OK) {
    snprintf(reason, KILN_CACHE_REASON_SIZE, "%.250s", error.what);
    kiln_entry_release(&item->entry);
    return KILN_CACHE_ITEM_DAMAGED;
  }
  return KILN_CACHE_ITEM_READ;
}

enum kiln_cache_item_result
kiln_cache_item_read(const char *path, bool cryptographic, struct kiln_cache_item *item,
    char reason[KILN_CACHE_REASON_SIZE], struct kiln_error *error)
{
  const char *name = kiln_text_base_name(path);
  struct kiln_digest key;
  struct kiln_buf data;
  enum kiln_cache_item_result result;
  enum kiln_status status;
  memset(item, 0, sizeof *item);
  if (!kiln_digest_parse(name, &key)) {
    snprintf(reason, KILN_CACHE_REASON_SIZE, "its name is no key");
    return KILN_CACHE_ITEM_FOREIGN;
  }
  memcpy(item->key, name, sizeof item->key);
  status = kiln_file_info(path, &item->info, error);
  if (status != KILN_OK)
    return status == KILN_ERROR_NOT_FOUND ? KILN_CACHE_ITEM_GONE : KILN_CACHE_ITEM_FAILED;
  if (!kiln_owner_trusted(path, reason, KILN_CACHE_REASON_SIZE))
    return KILN_CACHE_ITEM_FOREIGN;
  kiln_buf_init(&data);
  status =
      kiln_file_read(path, KILN_ENTRY_MAX_PAYLOAD + KILN_ENTRY_MAX_MANIFEST + KILN_ENTRY_FOOTER_SIZE, &data, error);
  if (status == KILN_OK)
    result = check(&data, cryptographic, item, reason);
  else
    result = status == KILN_ERROR_NOT_FOUND ? KILN_CACHE_ITEM_GONE : KILN_CACHE_ITEM_FAILED;
  kiln_buf_release(&data);
  return result;
}

/* ---- from its end ---- */

#define FIRST_LOOK ((size_t)8 << 10) /* most manifests with their footer are shorter */
#define MOST_HEAD ((size_t)8 << 10)

/* The last `len` bytes of the file, or of what there is. */
static enum kiln_cache_item_result
read_end(int fd, uint64_t size, size_t len, struct kiln_buf *end, struct kiln_error *error)
{
  len = len < size ? len : (size_t)size;
  kiln_buf_clear(end);
  if (!kiln_buf_reserve(end, len)) {
    kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short for the last %zu bytes of an entry.", len);
    return KILN_CACHE_ITEM_FAILED;
  }
  const long got = kiln_fd_read_at(fd, end->data, len, size - len);
  if (got != (long)len) {
    kiln_error_set(error, KILN_ERROR_IO, "The last %zu bytes of an entry cannot be read.", len);
    return KILN_CACHE_ITEM_FAILED;
  }
  end->len = len;
  return KILN_CACHE_ITEM_READ;
}

static enum kiln_cache_item_result
damaged(const char *why, char *reason)
{
  snprintf(reason, KILN_CACHE_REASON_SIZE, "%.250s", why);
  return KILN_CACHE_ITEM_DAMAGED;
}

/* The members up to "built" as an object of their own; false when they are not there. A quote within a string is
 * escaped, so that these bytes are a member's name wherever they stand, and the first is the manifest's own. */
static bool
parse_head(const char *manifest, size_t len, struct cJSON **tree)
{
  static const char last[] = ",\"built\":";
  struct kiln_buf head;
  size_t end = 0;
  for (size_t at = 0; at + sizeof last <= len && at < MOST_HEAD && end == 0; at++)
    if (manifest[at] == ',' && memcmp(manifest + at, last, sizeof last - 1) == 0)
      end = at + sizeof last - 1;
  if (end == 0)
    return false;
  while (end < len && manifest[end] >= '0' && manifest[end] <= '9')
    end++;
  kiln_buf_init(&head);
  kiln_buf_append(&head, manifest, end);
  kiln_buf_append(&head, "}", 1);
  const bool good = !head.failed && kiln_json_parse(head.data, head.len, "manifest", tree, NULL) == KILN_OK;
  kiln_buf_release(&head);
  return good;
}

static enum kiln_cache_item_result
peek_manifest(
    int fd, bool head, struct kiln_cache_item *item, struct kiln_buf *end, char *reason, struct kiln_error *error)
{
  struct kiln_digest key;
  struct kiln_error cause = {0};
  size_t manifest_len = 0;
  const uint64_t size = item->info.size;
  enum kiln_cache_item_result result = read_end(fd, size, FIRST_LOOK, end, error);
  kiln_digest_parse(item->key, &key);
  if (result != KILN_CACHE_ITEM_READ)
    return result;
  const enum kiln_entry_fault fault = kiln_entry_check_end(end->data, end->len, size, &key, &manifest_len);
  if (fault != KILN_ENTRY_GOOD)
    return damaged(kiln_entry_fault_text(fault), reason);
  if (manifest_len + KILN_ENTRY_FOOTER_SIZE > end->len)
    result = read_end(fd, size, manifest_len + KILN_ENTRY_FOOTER_SIZE, end, error);
  if (result != KILN_CACHE_ITEM_READ)
    return result;
  const char *manifest = end->data + (end->len - KILN_ENTRY_FOOTER_SIZE - manifest_len);
  if (head && parse_head(manifest, manifest_len, &item->manifest))
    return KILN_CACHE_ITEM_READ;
  if (kiln_json_parse(manifest, manifest_len, "manifest", &item->manifest, &cause) != KILN_OK)
    return damaged(cause.what, reason);
  return KILN_CACHE_ITEM_READ;
}

enum kiln_cache_item_result
kiln_cache_item_peek(const char *path, bool head, struct kiln_cache_item *item, char reason[KILN_CACHE_REASON_SIZE],
    struct kiln_error *error)
{
  const char *name = kiln_text_base_name(path);
  struct kiln_digest key;
  struct kiln_buf end;
  enum kiln_cache_item_result result = KILN_CACHE_ITEM_FOREIGN;
  memset(item, 0, sizeof *item);
  if (!kiln_digest_parse(name, &key)) {
    snprintf(reason, KILN_CACHE_REASON_SIZE, "its name is no key");
    return KILN_CACHE_ITEM_FOREIGN;
  }
  memcpy(item->key, name, sizeof item->key);
  const int fd = kiln_fd_open(path, KILN_OPEN_READ | KILN_OPEN_PLAIN);
  if (fd < 0) {
    const enum kiln_status status = kiln_file_info(path, &item->info, error);
    if (status == KILN_ERROR_NOT_FOUND)
      return KILN_CACHE_ITEM_GONE;
    return status == KILN_OK && !kiln_owner_trusted(path, reason, KILN_CACHE_REASON_SIZE) ? KILN_CACHE_ITEM_FOREIGN
                                                                                          : KILN_CACHE_ITEM_FAILED;
  }
  kiln_buf_init(&end);
  if (kiln_fd_info(fd, &item->info) && kiln_owner_trusted_info(&item->info, path, reason, KILN_CACHE_REASON_SIZE))
    result = peek_manifest(fd, head, item, &end, reason, error);
  kiln_fd_close(fd);
  kiln_buf_release(&end);
  return result;
}

void
kiln_cache_item_release(struct kiln_cache_item *item)
{
  kiln_json_free(item->manifest);
  item->manifest = NULL;
  kiln_entry_release(&item->entry);
}

enum kiln_status
kiln_cache_walk(struct kiln *kiln, kiln_store_visit *visit, void *context, struct kiln_error *error)
{
  return kiln->store ? kiln_store_walk(kiln->store, visit, context, error) : KILN_OK;
}

enum kiln_status
kiln_cache_text_take(struct kiln_buf *buf, char **text, struct kiln_error *error)
{
  char *copy = buf->failed ? NULL : malloc(buf->len + 1);
  enum kiln_status status = KILN_OK;
  if (copy) {
    memcpy(copy, kiln_buf_text(buf), buf->len + 1);
    *text = copy;
  } else {
    status = kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short for a text of %zu bytes.", buf->len);
  }
  kiln_buf_release(buf);
  return status;
}

void
kiln_cache_text_free(char *text)
{
  free(text);
}
