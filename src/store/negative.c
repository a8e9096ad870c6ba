#include "store/negative.h"

#include <string.h>

#include "os/clock.h"
#include "os/publish.h"
#include "store/files.h"
#include "store/record.h"

#define KIND "failure"
#define MAX_MESSAGE 8192
#define MAX_FILE (MAX_MESSAGE + 512)
#define LIFE_NS (KILN_NEGATIVE_LIFE_S * 1000000000ull)

/* At most MAX_MESSAGE bytes, cut between characters. */
static size_t
cut_length(const char *message)
{
  size_t len = strlen(message);
  if (len <= MAX_MESSAGE)
    return len;
  len = MAX_MESSAGE;
  while (len > 0 && ((unsigned char)message[len] & 0xC0) == 0x80)
    len--;
  return len;
}

enum kiln_status
kiln_negative_write(
    struct kiln_store *store, const struct kiln_digest *request, const char *message, struct kiln_error *error)
{
  struct kiln_buf relative, content;
  size_t len = cut_length(message);
  kiln_buf_init(&relative);
  kiln_buf_init(&content);
  kiln_record_begin(&content, KIND);
  kiln_record_append_digest(&content, "request", request);
  kiln_buf_printf(&content, "message %zu\n", len);
  kiln_buf_append(&content, message, len);
  kiln_buf_append(&content, "\n", 1);
  kiln_record_end(&content);
  enum kiln_status status = kiln_store_write(store, kiln_store_name(&relative, "failed", request), &content, error);
  kiln_buf_release(&relative);
  kiln_buf_release(&content);
  return status;
}

/* A time ahead of ours beyond what clocks of two hosts differ by would make a failure live for ever. */
static bool
is_alive(uint64_t mtime_ns)
{
  uint64_t now = kiln_clock_real();
  return now >= mtime_ns ? now - mtime_ns < LIFE_NS : mtime_ns - now < LIFE_NS;
}

static bool
parse(const struct kiln_buf *content, const struct kiln_digest *request, struct kiln_buf *message)
{
  struct kiln_record_reader reader;
  struct kiln_digest found;
  uint64_t len;
  if (!kiln_record_open(&reader, content, KIND) || !kiln_record_digest(&reader, "request", &found) ||
      !kiln_digest_equal(&found, request) || !kiln_record_number(&reader, "message", &len))
    return false;
  size_t rest = (size_t)(reader.end - reader.at);
  if (len > MAX_MESSAGE || rest != len + 1 || reader.at[len] != '\n')
    return false;
  kiln_buf_append(message, reader.at, (size_t)len);
  return !message->failed;
}

bool
kiln_negative_read(struct kiln_store *store, const struct kiln_digest *request, struct kiln_buf *message)
{
  struct kiln_buf relative, path, content;
  struct kiln_store_file file = {.fd = -1};
  if (kiln_location_check(store, 0) != KILN_LOCATION_TRUSTED)
    return false;
  kiln_buf_init(&relative);
  kiln_buf_init(&path);
  kiln_buf_init(&content);
  kiln_store_path(store, kiln_store_name(&relative, "failed", request), &path);
  bool known = kiln_store_read(store, kiln_buf_text(&path), MAX_FILE, &content, &file, NULL) == KILN_READ_DONE &&
               is_alive(file.info.mtime_ns) && parse(&content, request, message);
  kiln_fd_close(file.fd);
  kiln_buf_release(&relative);
  kiln_buf_release(&path);
  kiln_buf_release(&content);
  return known;
}

void
kiln_negative_forget(struct kiln_store *store, const struct kiln_digest *request)
{
  struct kiln_buf relative, path;
  kiln_buf_init(&relative);
  kiln_buf_init(&path);
  kiln_store_path(store, kiln_store_name(&relative, "failed", request), &path);
  if (!path.failed)
    (void)kiln_file_remove(path.data, NULL);
  kiln_buf_release(&relative);
  kiln_buf_release(&path);
}
