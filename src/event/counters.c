#include "event/counters.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "os/file.h"

#define SLOTS_AT_ONCE ((size_t)256)
#define HEADER_BYTES ((size_t)32)

/* Where a signature's text lies in the name area. */
struct name {
  uint32_t id, offset, length;
};

struct names {
  struct name *names; /* sorted by id, then offset */
  size_t count;
};

static int
compare_names(const void *left, const void *right)
{
  const struct name *a = left, *b = right;
  if (a->id != b->id)
    return a->id < b->id ? -1 : 1;
  return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Records are reserved before they are filled, so a stretch of zeros is a name that is still being written: it is
 * stepped over eight bytes at a time until the next record. */
static void
index_names(const struct kiln_counters *counters, struct names *index)
{
  uint32_t used = counters->names_used < KILN_COUNTERS_NAMES ? counters->names_used : KILN_COUNTERS_NAMES;
  uint32_t at = 0;
  index->count = 0;
  while (used - at >= sizeof(struct kiln_counter_name)) {
    struct kiln_counter_name record;
    memcpy(&record, counters->names + at, sizeof record);
    at += (uint32_t)sizeof record;
    if (record.length == 0)
      continue;
    if (record.length > used - at)
      break;
    index->names[index->count++] = (struct name){record.id, at, record.length};
    at += record.length;
    at = (at + 7) & ~(uint32_t)7;
    if (at > used)
      break;
  }
  qsort(index->names, index->count, sizeof *index->names, compare_names);
}

/* First record of this id, or NULL. */
static const struct name *
find_name(const struct names *index, uint32_t id)
{
  size_t low = 0, high = index->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (index->names[middle].id < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < index->count && index->names[low].id == id ? &index->names[low] : NULL;
}

static void
visit_slots(const struct kiln_counters *counters, const struct names *index, kiln_counters_visit *visit, void *context)
{
  for (size_t i = 0; i < KILN_COUNTERS_SLOTS; i++) {
    const struct kiln_counter_slot *slot = &counters->slot[i];
    if (slot->key == 0)
      continue;
    const struct name *name = find_name(index, slot->signature);
    if (name)
      visit(context, slot, counters->names + name->offset, name->length);
    else
      visit(context, slot, "", 0);
  }
}

static enum kiln_status
refuse(struct kiln_error *error, const char *name, const char *why)
{
  kiln_error_set(error, KILN_ERROR_FORMAT, "'%s' is not a counter file: %s", name, why);
  kiln_error_advise(error, "Remove it from the events folder; the launches it held are lost.");
  return KILN_ERROR_FORMAT;
}

static enum kiln_status
check_header(const struct kiln_counters *counters, size_t len, const char *name, struct kiln_error *error)
{
  if (len < HEADER_BYTES)
    return refuse(error, name, "it is shorter than a header");
  if (len > sizeof *counters)
    return refuse(error, name, "it is too long");
  if (memcmp(counters->magic, KILN_COUNTERS_MAGIC, sizeof counters->magic) != 0)
    return refuse(error, name, "it does not begin with " KILN_COUNTERS_MAGIC);
  if (counters->slots != KILN_COUNTERS_SLOTS)
    return refuse(error, name, "its number of slots is not 4096");
  return KILN_OK;
}

enum kiln_status
kiln_counters_parse(const void *data, size_t len, const char *name, kiln_counters_visit *visit, void *context,
    uint32_t *overflow, int *pid, struct kiln_error *error)
{
  struct kiln_counters *counters = calloc(1, sizeof *counters);
  struct names index = {.names = malloc(KILN_COUNTERS_NAMES / sizeof(struct kiln_counter_name) * sizeof(struct name))};
  enum kiln_status status = KILN_ERROR_MEMORY;
  if (counters && index.names) {
    if (len > 0)
      memcpy(counters, data, len < sizeof *counters ? len : sizeof *counters);
    status = check_header(counters, len, name, error);
  } else {
    kiln_error_set(error, KILN_ERROR_MEMORY, "no memory to read counter file '%s'", name);
  }
  if (status == KILN_OK) {
    index_names(counters, &index);
    if (overflow)
      *overflow = counters->overflow;
    if (pid)
      *pid = counters->pid <= INT_MAX ? (int)counters->pid : 0;
    visit_slots(counters, &index, visit, context);
  }
  free(index.names);
  free(counters);
  return status;
}

/* Read into memory rather than mapped: a file that is cut while it is read must not end the reader. */
enum kiln_status
kiln_counters_read(
    const char *path, kiln_counters_visit *visit, void *context, uint32_t *overflow, int *pid, struct kiln_error *error)
{
  struct kiln_buf buf;
  kiln_buf_init(&buf);
  enum kiln_status status = kiln_file_read(path, sizeof(struct kiln_counters), &buf, error);
  if (status == KILN_OK)
    status = kiln_counters_parse(buf.data, buf.len, path, visit, context, overflow, pid, error);
  kiln_buf_release(&buf);
  return status;
}

static uint64_t
sum_slots(int fd)
{
  struct kiln_counter_slot slots[SLOTS_AT_ONCE];
  uint64_t sum = 0;
  for (size_t read = 0; read < KILN_COUNTERS_SLOTS; read += SLOTS_AT_ONCE) {
    const long got = kiln_fd_read(fd, slots, sizeof slots);
    for (size_t i = 0; got > 0 && i < (size_t)got / sizeof *slots; i++)
      sum += slots[i].key != 0 ? slots[i].count : 0;
    if (got < (long)sizeof slots)
      break;
  }
  return sum;
}

/* Without names and in pieces. */
uint64_t
kiln_counters_total(const char *path)
{
  char page[offsetof(struct kiln_counters, slot)];
  uint64_t total = 0;
  const int fd = kiln_fd_open(path, KILN_OPEN_READ);
  if (fd < 0)
    return 0;
  if (kiln_fd_read(fd, page, sizeof page) == (long)sizeof page &&
      memcmp(page, KILN_COUNTERS_MAGIC, strlen(KILN_COUNTERS_MAGIC)) == 0) {
    uint32_t overflow;
    memcpy(&overflow, page + offsetof(struct kiln_counters, overflow), sizeof overflow);
    total = overflow + sum_slots(fd);
  }
  kiln_fd_close(fd);
  return total;
}
