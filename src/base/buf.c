#include "base/buf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST 64

void
kiln_buf_init(struct kiln_buf *buf)
{
  *buf = (struct kiln_buf){0};
}

void
kiln_buf_release(struct kiln_buf *buf)
{
  free(buf->data);
  kiln_buf_init(buf);
}

void
kiln_buf_clear(struct kiln_buf *buf)
{
  buf->len = 0;
  buf->failed = false;
  if (buf->data)
    buf->data[0] = '\0';
}

bool
kiln_buf_reserve(struct kiln_buf *buf, size_t extra)
{
  if (buf->failed)
    return false;
  if (extra < buf->capacity - buf->len)
    return true;
  if (extra >= SIZE_MAX / 2 || buf->len >= SIZE_MAX / 2 - extra) {
    buf->failed = true;
    return false;
  }
  size_t needed = buf->len + extra + 1;
  size_t capacity = buf->capacity < SMALLEST ? SMALLEST : buf->capacity * 2;
  if (capacity < needed)
    capacity = needed;
  char *data = realloc(buf->data, capacity);
  if (!data) {
    buf->failed = true;
    return false;
  }
  buf->data = data;
  buf->capacity = capacity;
  data[buf->len] = '\0';
  return true;
}

void
kiln_buf_append(struct kiln_buf *buf, const void *data, size_t len)
{
  if (!kiln_buf_reserve(buf, len) || len == 0)
    return;
  memcpy(buf->data + buf->len, data, len);
  buf->len += len;
  buf->data[buf->len] = '\0';
}

void
kiln_buf_text_append(struct kiln_buf *buf, const char *text)
{
  if (text)
    kiln_buf_append(buf, text, strlen(text));
}

void
kiln_buf_printf(struct kiln_buf *buf, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  kiln_buf_vprintf(buf, format, args);
  va_end(args);
}

void
kiln_buf_vprintf(struct kiln_buf *buf, const char *format, va_list args)
{
  va_list again;
  va_copy(again, args);
  int needed = vsnprintf(NULL, 0, format, again);
  va_end(again);
  if (needed < 0) {
    buf->failed = true;
    return;
  }
  if (!kiln_buf_reserve(buf, (size_t)needed))
    return;
  vsnprintf(buf->data + buf->len, (size_t)needed + 1, format, args);
  buf->len += (size_t)needed;
}

const char *
kiln_buf_text(const struct kiln_buf *buf)
{
  return buf->data ? buf->data : "";
}
