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
