/*
 * Remembered in two places: in this kiln (for its life) and in the store (toolchains/<digest of the driver's path>).
 * Both are believed only while size, inode and time of every file are still the same.
 */
#include "jit/identity.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "jit/elf.h"
#include "jit/memo.h"
#include "os/clock.h"
#include "os/file.h"
#include "store/files.h"
#include "store/record.h"

#define KIND "toolchain"
#define MOST_RECORD ((uint64_t)1 << 20)
#define MOST_FILES 4096
#define TRUST_NS UINT64_C(100000000)  /* so long the files of a toolchain are not looked at again */
#define HEAD_BYTES ((size_t)64 << 10) /* of an ELF file: its program headers and notes are at the beginning */

struct part {
  char *path, *identity;
  uint64_t size, inode, mtime_ns;
};

/* A toolchain. Order of parts: as discovered. */
struct toolchain {
  char *driver, *tag; /* tag: of the question that led here last; NULL: none */
  struct part *parts;
  size_t count, capacity;
  struct kiln_digest identity;
  struct kiln_buf description;
  uint64_t checked_ns; /* when the files were last as recorded; 0: look */
};

struct kiln_identity_cache {
  struct kiln_guard guard;
  struct toolchain *items;
  size_t count, capacity;
};

static void
toolchain_release(struct toolchain *toolchain)
{
  for (size_t i = 0; i < toolchain->count; i++) {
    free(toolchain->parts[i].path);
    free(toolchain->parts[i].identity);
  }
  free(toolchain->parts);
  free(toolchain->driver);
  free(toolchain->tag);
  kiln_buf_release(&toolchain->description);
  *toolchain = (struct toolchain){0};
}

static void
forget_parts(struct toolchain *toolchain)
{
  char *driver = toolchain->driver;
  toolchain->driver = NULL;
  toolchain_release(toolchain);
  toolchain->driver = driver;
}

struct kiln_identity_cache *
kiln_identity_cache_new(void)
{
  struct kiln_identity_cache *cache = calloc(1, sizeof *cache);
  if (cache && !kiln_guard_init(&cache->guard)) {
    free(cache);
    return NULL;
  }
  return cache;
}

void
kiln_identity_cache_free(struct kiln_identity_cache *cache)
{
  if (!cache)
    return;
  for (size_t i = 0; i < cache->count; i++)
    toolchain_release(&cache->items[i]);
  free(cache->items);
  kiln_guard_release(&cache->guard);
  free(cache);
}

/* ---- one file ---- */

static bool
append_build_id(const char *path, struct kiln_buf *text, uint64_t size)
{
  char *head = malloc(HEAD_BYTES);
  struct kiln_elf elf;
  bool found = false;
  const size_t before = text->len;
  const int fd = head ? kiln_fd_open(path, KILN_OPEN_READ) : -1;
  if (fd >= 0) {
    const long got = kiln_fd_read(fd, head, HEAD_BYTES);
    kiln_buf_text_append(text, "build-id:");
    found = got > 0 && kiln_elf_open(&elf, head, (size_t)got) && kiln_elf_build_id(&elf, text);
    kiln_fd_close(fd);
  }
  free(head);
  if (found)
    kiln_buf_printf(text, ":%" PRIu64, size);
  else if (text->len > before)
    text->data[text->len = before] = '\0';
  return found;
}

enum kiln_status
kiln_identity_file(const char *path, struct kiln_buf *text, struct kiln_error *error)
{
  struct kiln_file_info info;
  struct kiln_digest digest;
  char hex[KILN_DIGEST_HEX];
  enum kiln_status status = kiln_file_target_info(path, &info, error);
  if (status != KILN_OK || append_build_id(path, text, info.size))
    return status;
  status = kiln_digest_file(path, &digest, error);
  if (status != KILN_OK)
    return status;
  kiln_digest_hex(&digest, hex);
  kiln_buf_printf(text, "blake2b:%s", hex);
  return KILN_OK;
}

/* ---- a toolchain ---- */

static char *
copy_text(const char *text, size_t len)
{
  char *copy = malloc(len + 1);
  if (copy) {
    memcpy(copy, text, len);
    copy[len] = '\0';
  }
  return copy;
}

static bool
add_part(struct toolchain *toolchain, const char *path, const char *identity, const struct kiln_file_info *info)
{
  if (toolchain->count >= MOST_FILES || !KILN_GROW(toolchain->parts, toolchain->count, toolchain->capacity))
    return false;
  struct part part = {
      copy_text(path, strlen(path)), copy_text(identity, strlen(identity)), info->size, info->inode, info->mtime_ns};
  toolchain->parts[toolchain->count++] = part;
  return part.path && part.identity;
}

static bool
is_current(struct toolchain *toolchain)
{
  struct kiln_file_info info;
  const uint64_t now = kiln_clock_now();
  if (toolchain->checked_ns != 0 && now - toolchain->checked_ns < TRUST_NS)
    return true;
  for (size_t i = 0; i < toolchain->count; i++) {
    const struct part *part = &toolchain->parts[i];
    if (kiln_file_target_info(part->path, &info, NULL) != KILN_OK || info.size != part->size ||
        info.inode != part->inode || info.mtime_ns != part->mtime_ns)
      return false;
  }
  toolchain->checked_ns = now;
  return toolchain->count > 0;
}

static enum kiln_status
identify(struct toolchain *toolchain, char *const *paths, size_t count, struct kiln_error *error)
{
  struct kiln_buf text;
  struct kiln_file_info info;
  enum kiln_status status = KILN_OK;
  kiln_buf_init(&text);
  for (size_t i = 0; i < count && status == KILN_OK; i++) {
    kiln_buf_clear(&text);
    status = kiln_file_target_info(paths[i], &info, error);
    if (status == KILN_OK)
      status = kiln_identity_file(paths[i], &text, error);
    if (status == KILN_OK && (text.failed || !add_part(toolchain, paths[i], kiln_buf_text(&text), &info)))
      status = kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the identity of '%s'", paths[i]);
  }
  kiln_buf_release(&text);
  return status;
}

static enum kiln_status
discover_parts(struct toolchain *toolchain, kiln_identity_discover *discover, void *context, struct kiln_error *error)
{
  char **paths = NULL;
  size_t count = 0;
  enum kiln_status status = discover(context, toolchain->driver, &paths, &count, error);
  if (status == KILN_OK)
    status = identify(toolchain, paths, count, error);
  for (size_t i = 0; i < count; i++)
    free(paths[i]);
  free(paths);
  return status;
}

/* ---- in the store ---- */

static const char *
record_name(const char *driver, struct kiln_buf *relative)
{
  char hex[KILN_DIGEST_HEX];
  const struct kiln_digest digest = kiln_digest_of(driver, strlen(driver));
  kiln_digest_hex(&digest, hex);
  kiln_buf_printf(relative, "toolchains/%s", hex);
  return kiln_buf_text(relative);
}

/* One line "part <size> <inode> <mtime> <identity> <path>". */
static bool
take_part(struct toolchain *toolchain, const char *value)
{
  struct kiln_file_info info = {0};
  uint64_t *const numbers[] = {&info.size, &info.inode, &info.mtime_ns};
  char word[160];
  for (size_t i = 0; i < 4; i++) {
    const size_t len = strcspn(value, " ");
    if (value[len] == '\0' || len >= sizeof word)
      return false;
    memcpy(word, value, len);
    word[len] = '\0';
    value += len + 1;
    if (i < 3 && !kiln_text_parse_uint(word, numbers[i]))
      return false;
  }
  return value[0] == '/' && add_part(toolchain, value, word, &info);
}

static bool
parse_record(struct toolchain *toolchain, const struct kiln_buf *content)
{
  struct kiln_record_reader reader;
  uint64_t count;
  char *value = malloc(8192);
  bool good = value && kiln_record_open(&reader, content, KIND) && kiln_record_text(&reader, "driver", value, 8192) &&
              strcmp(value, toolchain->driver) == 0 && kiln_record_number(&reader, "parts", &count) &&
              count <= MOST_FILES;
  for (uint64_t i = 0; good && i < count; i++)
    good = kiln_record_text(&reader, "part", value, 8192) && take_part(toolchain, value);
  free(value);
  return good;
}

/* In the store, then in the layers: a read-only root has its toolchain too. */
static bool
read_record(struct kiln *kiln, struct toolchain *toolchain)
{
  struct kiln_buf relative, path, content;
  bool good = false;
  kiln_buf_init(&relative);
  kiln_buf_init(&path);
  kiln_buf_init(&content);
  record_name(toolchain->driver, &relative);
  for (size_t i = 0; kiln->store && i < kiln->store->count && !good; i++) {
    forget_parts(toolchain);
    kiln_buf_clear(&content);
    kiln_location_path(kiln->store, i, kiln_buf_text(&relative), &path);
    good = kiln_location_check(kiln->store, i) == KILN_LOCATION_TRUSTED &&
           kiln_store_read(kiln->store, kiln_buf_text(&path), MOST_RECORD, &content, NULL, NULL) == KILN_READ_DONE &&
           parse_record(toolchain, &content) && is_current(toolchain);
  }
  kiln_buf_release(&relative);
  kiln_buf_release(&path);
  kiln_buf_release(&content);
  return good;
}

static bool
fits_a_line(const struct toolchain *toolchain)
{
  bool fits = !strchr(toolchain->driver, '\n');
  for (size_t i = 0; i < toolchain->count; i++)
    fits = fits && !strchr(toolchain->parts[i].path, '\n');
  return fits;
}

/* Best effort: without it the next process asks the compiler again. */
static void
write_record(struct kiln *kiln, const struct toolchain *toolchain)
{
  struct kiln_buf relative, content;
  if (!kiln->store || !fits_a_line(toolchain))
    return;
  kiln_buf_init(&relative);
  kiln_buf_init(&content);
  kiln_record_begin(&content, KIND);
  kiln_buf_printf(&content, "driver %s\nparts %zu\n", toolchain->driver, toolchain->count);
  for (size_t i = 0; i < toolchain->count; i++) {
    const struct part *part = &toolchain->parts[i];
    kiln_buf_printf(&content, "part %" PRIu64 " %" PRIu64 " %" PRIu64 " %s %s\n", part->size, part->inode,
        part->mtime_ns, part->identity, part->path);
  }
  kiln_record_end(&content);
  if (!content.failed)
    (void)kiln_store_write(kiln->store, record_name(toolchain->driver, &relative), &content, NULL);
  kiln_buf_release(&relative);
  kiln_buf_release(&content);
}

/* ---- all together ---- */

/* The remembered one; a new, empty one of this driver when there is none or it is no longer true. */
static struct toolchain *
slot_of(struct kiln_identity_cache *cache, const char *driver, bool *known)
{
  struct toolchain *slot = NULL;
  *known = false;
  for (size_t i = 0; i < cache->count && !slot; i++)
    if (strcmp(cache->items[i].driver, driver) == 0)
      slot = &cache->items[i];
  if (slot && is_current(slot)) {
    *known = true;
    return slot;
  }
  if (!slot) {
    if (!KILN_GROW(cache->items, cache->count, cache->capacity))
      return NULL;
    slot = &cache->items[cache->count];
    *slot = (struct toolchain){.driver = copy_text(driver, strlen(driver))};
    cache->count += slot->driver != NULL;
    return slot->driver ? slot : NULL;
  }
  forget_parts(slot);
  return slot;
}

static void
describe(struct toolchain *toolchain)
{
  struct kiln_buf *text = &toolchain->description;
  kiln_buf_clear(text);
  for (size_t i = 0; i < toolchain->count; i++)
    kiln_buf_printf(text, "%s %s\n", kiln_text_base_name(toolchain->parts[i].path), toolchain->parts[i].identity);
  toolchain->identity = kiln_digest_of(kiln_buf_text(text), text->len);
}

static enum kiln_status
fill(struct kiln *kiln, struct toolchain *toolchain, kiln_identity_discover *discover, void *context,
    struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  if (!read_record(kiln, toolchain)) {
    forget_parts(toolchain);
    status = discover_parts(toolchain, discover, context, error);
    if (status == KILN_OK)
      write_record(kiln, toolchain);
  }
  if (status == KILN_OK)
    describe(toolchain);
  if (status == KILN_OK && toolchain->description.failed)
    status = kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the identity of '%s'", toolchain->driver);
  if (status != KILN_OK)
    forget_parts(toolchain);
  return status;
}

static void
set_tag(struct kiln_identity_cache *cache, struct toolchain *toolchain, const char *tag)
{
  if (!tag)
    return;
  for (size_t i = 0; i < cache->count; i++)
    if (kiln_text_equal(cache->items[i].tag, tag)) {
      free(cache->items[i].tag);
      cache->items[i].tag = NULL;
    }
  free(toolchain->tag);
  toolchain->tag = copy_text(tag, strlen(tag));
}

static void
answer(const struct toolchain *toolchain, struct kiln_digest *identity, struct kiln_buf *description)
{
  *identity = toolchain->identity;
  kiln_buf_append(description, kiln_buf_text(&toolchain->description), toolchain->description.len);
}

enum kiln_status
kiln_identity_of(struct kiln *kiln, const char *driver, const char *tag, kiln_identity_discover *discover,
    void *context, struct kiln_digest *identity, struct kiln_buf *description, struct kiln_error *error)
{
  bool known;
  enum kiln_status status = KILN_OK;
  struct kiln_guard_own *own = kiln_guard_lock(&kiln->identities->guard);
  struct toolchain *toolchain = slot_of(kiln->identities, driver, &known);
  if (!toolchain)
    status = kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the identity of '%s'", driver);
  else if (!known)
    status = fill(kiln, toolchain, discover, context, error);
  if (toolchain && status == KILN_OK) {
    set_tag(kiln->identities, toolchain, tag);
    answer(toolchain, identity, description);
  }
  kiln_guard_unlock(own);
  if (status == KILN_OK && description->failed)
    status = kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the identity of '%s'", driver);
  return status;
}

bool
kiln_identity_recall(struct kiln *kiln, const char *tag, struct kiln_digest *identity, struct kiln_buf *description)
{
  bool found = false;
  struct kiln_identity_cache *cache = kiln->identities;
  struct kiln_guard_own *own = kiln_guard_lock(&cache->guard);
  for (size_t i = 0; i < cache->count && !found; i++)
    if (kiln_text_equal(cache->items[i].tag, tag) && is_current(&cache->items[i])) {
      answer(&cache->items[i], identity, description);
      found = !description->failed;
    }
  kiln_guard_unlock(own);
  return found;
}

void
kiln_identity_doubt(struct kiln *kiln)
{
  struct kiln_guard_own *own = kiln_guard_lock(&kiln->identities->guard);
  for (size_t i = 0; i < kiln->identities->count; i++)
    kiln->identities->items[i].checked_ns = 0;
  kiln_guard_unlock(own);
}
