#include "store/request.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "os/clock.h"
#include "store/files.h"
#include "store/record.h"
#include "store/request_text.h"

void
kiln_request_record_init(struct kiln_request_record *record)
{
  *record = (struct kiln_request_record){0};
}

void
kiln_request_record_release(struct kiln_request_record *record)
{
  for (size_t i = 0; i < record->count; i++)
    free(record->dependencies[i].path);
  free(record->dependencies);
  kiln_request_record_init(record);
}

/* "requests/ab/<request>.<toolchain>". */
static void
append_name(struct kiln_buf *relative, const struct kiln_digest *request, const struct kiln_digest *toolchain)
{
  char hex[KILN_DIGEST_HEX];
  kiln_store_name(relative, "requests", request);
  kiln_digest_hex(toolchain, hex);
  kiln_buf_printf(relative, ".%s", hex);
}

bool
kiln_request_name_parse(const char *name, struct kiln_digest *request, struct kiln_digest *toolchain)
{
  char hex[KILN_DIGEST_HEX];
  if (strlen(name) != 2 * (size_t)KILN_DIGEST_HEX - 1 || name[KILN_DIGEST_HEX - 1] != '.')
    return false;
  memcpy(hex, name, KILN_DIGEST_HEX - 1);
  hex[KILN_DIGEST_HEX - 1] = '\0';
  return kiln_digest_parse(hex, request) && kiln_digest_parse(name + KILN_DIGEST_HEX, toolchain);
}

/* NOT_FOUND for everything that is no good record. */
static enum kiln_status
read_file(struct kiln_store *store, const char *path, const struct kiln_digest *request,
    const struct kiln_digest *toolchain, struct kiln_request_record *record, struct kiln_error *error)
{
  struct kiln_buf content;
  struct kiln_error cause = {0};
  enum kiln_status status = KILN_ERROR_NOT_FOUND;
  kiln_buf_init(&content);
  switch (kiln_store_read(store, path, KILN_REQUEST_MAX_BYTES, &content, NULL, &cause)) {
  case KILN_READ_DONE:
    if (kiln_request_parse(&content, request, toolchain, record))
      status = KILN_OK;
    break;
  case KILN_READ_FAILED:
    status = cause.status;
    if (error)
      *error = cause;
    break;
  case KILN_READ_MISSING:
  case KILN_READ_REFUSED:
  case KILN_READ_DAMAGED:
    break;
  }
  kiln_buf_release(&content);
  return status;
}

struct candidate {
  struct kiln_digest toolchain;
  uint64_t mtime_ns;
};
struct candidates {
  const char *folder;
  const struct kiln_digest *request;
  struct candidate *items;
  size_t count, capacity;
};

static bool
add_candidate(void *context, const char *name)
{
  struct candidates *all = context;
  struct candidate one;
  struct kiln_digest request;
  struct kiln_file_info info;
  struct kiln_buf path;
  if (!kiln_request_name_parse(name, &request, &one.toolchain) || !kiln_digest_equal(&request, all->request))
    return true;
  kiln_buf_init(&path);
  if (kiln_file_info(kiln_text_join(&path, all->folder, name), &info, NULL) == KILN_OK &&
      info.kind == KILN_FILE_REGULAR && KILN_GROW(all->items, all->count, all->capacity)) {
    one.mtime_ns = info.mtime_ns;
    all->items[all->count++] = one;
  }
  kiln_buf_release(&path);
  return true;
}

static int
newest_first(const void *left, const void *right)
{
  const struct candidate *a = left, *b = right;
  if (a->mtime_ns != b->mtime_ns)
    return a->mtime_ns < b->mtime_ns ? 1 : -1;
  return memcmp(a->toolchain.bytes, b->toolchain.bytes, sizeof a->toolchain.bytes);
}

static enum kiln_status
read_exact(struct kiln_store *store, size_t location, const struct kiln_digest *request,
    const struct kiln_digest *toolchain, struct kiln_request_record *record, struct kiln_error *error)
{
  struct kiln_buf relative, path;
  kiln_buf_init(&relative);
  kiln_buf_init(&path);
  append_name(&relative, request, toolchain);
  enum kiln_status status = read_file(
      store, kiln_location_path(store, location, kiln_buf_text(&relative), &path), request, toolchain, record, error);
  kiln_buf_release(&relative);
  kiln_buf_release(&path);
  return status;
}

static enum kiln_status
read_newest(struct kiln_store *store, size_t location, const struct kiln_digest *request,
    struct kiln_request_record *record, struct kiln_digest *toolchain_used, struct kiln_error *error)
{
  struct kiln_buf relative, folder;
  char hex[KILN_DIGEST_HEX];
  enum kiln_status status = KILN_ERROR_NOT_FOUND;
  kiln_buf_init(&relative);
  kiln_buf_init(&folder);
  kiln_digest_hex(request, hex);
  kiln_buf_printf(&relative, "requests/%.2s", hex);
  kiln_location_path(store, location, kiln_buf_text(&relative), &folder);
  struct candidates all = {.folder = kiln_buf_text(&folder), .request = request};
  kiln_folder_names(all.folder, add_candidate, &all);
  if (all.count > 1)
    qsort(all.items, all.count, sizeof *all.items, newest_first);
  for (size_t i = 0; i < all.count && status == KILN_ERROR_NOT_FOUND; i++) {
    status = read_exact(store, location, request, &all.items[i].toolchain, record, error);
    if (status == KILN_OK && toolchain_used)
      *toolchain_used = all.items[i].toolchain;
  }
  free(all.items);
  kiln_buf_release(&relative);
  kiln_buf_release(&folder);
  return status;
}

enum kiln_status
kiln_request_read(struct kiln_store *store, const struct kiln_digest *request, const struct kiln_digest *toolchain,
    struct kiln_request_record *record, struct kiln_digest *toolchain_used, struct kiln_error *error)
{
  enum kiln_status status = KILN_ERROR_NOT_FOUND;
  for (size_t i = 0; i < store->count && status == KILN_ERROR_NOT_FOUND; i++) {
    if (kiln_location_check(store, i) != KILN_LOCATION_TRUSTED)
      continue;
    status = toolchain ? read_exact(store, i, request, toolchain, record, error)
                       : read_newest(store, i, request, record, toolchain_used, error);
  }
  if (status == KILN_OK && toolchain && toolchain_used)
    *toolchain_used = *toolchain;
  if (status == KILN_ERROR_NOT_FOUND && error) {
    char hex[KILN_DIGEST_HEX];
    kiln_digest_hex(request, hex);
    kiln_error_set(error, status, "nothing is recorded for request %s in '%s'", hex, kiln_location_folder(store, 0));
  }
  return status;
}

enum kiln_status
kiln_request_write(struct kiln_store *store, const struct kiln_digest *request, const struct kiln_digest *toolchain,
    const struct kiln_request_record *record, struct kiln_error *error)
{
  struct kiln_buf content, relative;
  kiln_buf_init(&content);
  kiln_buf_init(&relative);
  append_name(&relative, request, toolchain);
  enum kiln_status status = kiln_request_format(&content, request, toolchain, record, kiln_clock_real(), error);
  if (status == KILN_OK && relative.failed)
    status = kiln_error_set(error, KILN_ERROR_MEMORY, "no memory for a record of dependencies");
  if (status == KILN_OK)
    status = kiln_store_write(store, relative.data, &content, error);
  kiln_buf_release(&content);
  kiln_buf_release(&relative);
  return status;
}
