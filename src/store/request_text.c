#include "store/request_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "store/record.h"

#define KIND "request"
/* The shortest line of a dependency: five fields, five blanks, one byte of path, newline. */
#define SHORTEST_LINE (4 + 64 + 5 + 1 + 1)
#define MAX_ROOT 1000000

/* File systems stamp with the time of the kernel's last tick, at most 10 ms ago; some know whole seconds only. */
#define TICK_NS 50000000ull
#define SECOND_NS 1000000000ull

uint64_t
kiln_request_believable_time(uint64_t mtime_ns, uint64_t now_ns)
{
  uint64_t step = mtime_ns % SECOND_NS == 0 ? 2 * SECOND_NS : TICK_NS;
  return mtime_ns + step < now_ns ? mtime_ns : 0;
}

static void
append_path(struct kiln_buf *out, const char *path)
{
  for (size_t run; *path; path += run) {
    run = strcspn(path, "\n\\");
    kiln_buf_append(out, path, run);
    if (!path[run])
      break;
    kiln_buf_text_append(out, path[run] == '\n' ? "\\n" : "\\\\");
    run++;
  }
}

static enum kiln_status
refuse(struct kiln_error *error, const char *what, size_t value, size_t limit)
{
  kiln_error_set(error, KILN_ERROR_ARGUMENT, "a record with %zu %s is too large to be kept", value, what);
  kiln_error_advise(error, "At most %zu are possible; the build works, but is looked up anew each time.", limit);
  return KILN_ERROR_ARGUMENT;
}

enum kiln_status
kiln_request_format(struct kiln_buf *out, const struct kiln_digest *request, const struct kiln_digest *toolchain,
    const struct kiln_request_record *record, uint64_t now_ns, struct kiln_error *error)
{
  if (record->count > KILN_REQUEST_MAX_DEPENDENCIES)
    return refuse(error, "dependencies", record->count, KILN_REQUEST_MAX_DEPENDENCIES);
  const size_t start = out->len;
  kiln_record_begin(out, KIND);
  kiln_record_append_digest(out, "request", request);
  kiln_record_append_digest(out, "toolchain", toolchain);
  kiln_record_append_digest(out, "entry", &record->entry);
  kiln_buf_printf(out, "dependencies %zu\n", record->count);
  for (size_t i = 0; i < record->count; i++) {
    const struct kiln_dependency *one = &record->dependencies[i];
    char hex[KILN_DIGEST_HEX];
    size_t len = strlen(one->path);
    if (len == 0 || len > KILN_REQUEST_MAX_PATH)
      return refuse(error, "bytes in a path", len, KILN_REQUEST_MAX_PATH);
    if (out->len - start > KILN_REQUEST_MAX_BYTES)
      return refuse(error, "bytes", out->len - start, KILN_REQUEST_MAX_BYTES);
    kiln_digest_hex(&one->content, hex);
    if (one->root == KILN_ROOT_SYSTEM)
      kiln_buf_text_append(out, "-");
    else
      kiln_buf_printf(out, "%d", one->root);
    kiln_buf_printf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s ", one->size, one->inode,
        kiln_request_believable_time(one->mtime_ns, now_ns), hex);
    append_path(out, one->path);
    kiln_buf_append(out, "\n", 1);
  }
  kiln_record_end(out);
  if (out->failed)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "no memory for a record of %zu dependencies", record->count);
  if (out->len - start > KILN_REQUEST_MAX_BYTES)
    return refuse(error, "bytes", out->len - start, KILN_REQUEST_MAX_BYTES);
  return KILN_OK;
}

/* The next blank-separated field of a line as a number; at least one more byte must follow the blank. */
static bool
take_number(const char **at, const char *end, uint64_t *value)
{
  const char *start = *at;
  uint64_t sum = 0;
  for (; *at < end && **at >= '0' && **at <= '9'; ++*at) {
    uint64_t digit = (uint64_t)(**at - '0');
    if (sum > (UINT64_MAX - digit) / 10)
      return false;
    sum = sum * 10 + digit;
  }
  if (*at == start || *at >= end || **at != ' ')
    return false;
  ++*at;
  *value = sum;
  return true;
}

static bool
take_root(const char **at, const char *end, int *root)
{
  uint64_t number;
  if (end - *at >= 2 && (*at)[0] == '-' && (*at)[1] == ' ') {
    *at += 2;
    *root = KILN_ROOT_SYSTEM;
    return true;
  }
  if (!take_number(at, end, &number) || number > MAX_ROOT)
    return false;
  *root = (int)number;
  return true;
}

static bool
take_digest(const char **at, const char *end, struct kiln_digest *digest)
{
  char hex[KILN_DIGEST_HEX];
  if (end - *at < KILN_DIGEST_HEX || (*at)[KILN_DIGEST_HEX - 1] != ' ')
    return false;
  memcpy(hex, *at, KILN_DIGEST_HEX - 1);
  hex[KILN_DIGEST_HEX - 1] = '\0';
  *at += KILN_DIGEST_HEX;
  return kiln_digest_parse(hex, digest);
}

/* A malloc'd copy without escapes; NULL when it is no path of this format. */
static char *
take_path(const char *at, const char *end)
{
  size_t len = (size_t)(end - at), used = 0;
  if (len == 0 || len > 2 * (size_t)KILN_REQUEST_MAX_PATH)
    return NULL;
  char *path = malloc(len + 1);
  for (size_t i = 0; path && i < len; i++) {
    char byte = at[i];
    if (byte == '\\') {
      char next = ++i < len ? at[i] : '\0';
      if (next != 'n' && next != '\\') {
        free(path);
        return NULL;
      }
      byte = next == 'n' ? '\n' : '\\';
    }
    path[used++] = byte;
  }
  if (path && used > KILN_REQUEST_MAX_PATH) {
    free(path);
    return NULL;
  }
  if (path)
    path[used] = '\0';
  return path;
}

static bool
parse_dependency(const char *at, size_t len, struct kiln_dependency *one)
{
  const char *end = at + len;
  if (!take_root(&at, end, &one->root) || !take_number(&at, end, &one->size) || !take_number(&at, end, &one->inode) ||
      !take_number(&at, end, &one->mtime_ns) || !take_digest(&at, end, &one->content))
    return false;
  one->path = take_path(at, end);
  if (one->path && (one->root == KILN_ROOT_SYSTEM) != (one->path[0] == '/')) {
    free(one->path);
    return false;
  }
  return one->path != NULL;
}

static bool
parse_head(struct kiln_record_reader *reader, const struct kiln_digest *request, const struct kiln_digest *toolchain,
    struct kiln_digest *entry, uint64_t *count)
{
  struct kiln_digest found_request, found_toolchain;
  if (!kiln_record_digest(reader, "request", &found_request) ||
      !kiln_record_digest(reader, "toolchain", &found_toolchain) || !kiln_record_digest(reader, "entry", entry) ||
      !kiln_record_number(reader, "dependencies", count))
    return false;
  return kiln_digest_equal(&found_request, request) && (!toolchain || kiln_digest_equal(&found_toolchain, toolchain)) &&
         *count <= KILN_REQUEST_MAX_DEPENDENCIES && *count <= (uint64_t)(reader->end - reader->at) / SHORTEST_LINE;
}

bool
kiln_request_parse(const struct kiln_buf *text, const struct kiln_digest *request, const struct kiln_digest *toolchain,
    struct kiln_request_record *record)
{
  struct kiln_record_reader reader;
  struct kiln_request_record parsed;
  uint64_t count;
  const char *line;
  size_t len;
  kiln_request_record_release(record);
  kiln_request_record_init(&parsed);
  if (text->len > KILN_REQUEST_MAX_BYTES || !kiln_record_open(&reader, text, KIND) ||
      !parse_head(&reader, request, toolchain, &parsed.entry, &count))
    return false;
  parsed.dependencies = calloc((size_t)count + 1, sizeof *parsed.dependencies);
  parsed.capacity = (size_t)count + 1;
  bool good = parsed.dependencies != NULL;
  while (good && parsed.count < count) {
    good = kiln_record_line(&reader, &line, &len) && parse_dependency(line, len, &parsed.dependencies[parsed.count]);
    parsed.count += good;
  }
  if (!good || reader.at != reader.end) {
    kiln_request_record_release(&parsed);
    return false;
  }
  *record = parsed;
  return true;
}
