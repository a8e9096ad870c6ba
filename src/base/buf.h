/*
 * A growing byte buffer, always followed by a NUL that is not counted, so that data is also a C string.
 *
 * Order: init, append…, release. After a failed append the buffer is unchanged and `failed` stays set, so a long
 * sequence of appends may be checked once at its end. Owns its memory. Not thread safe.
 */
#ifndef KILN_BASE_BUF_H
#define KILN_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "kiln/error.h"

struct kiln_buf {
  char *data; /* NULL until the first append; use kiln_buf_text for a string that is never NULL */
  size_t len, capacity;
  bool failed; /* an allocation failed since init */
};

void kiln_buf_init(struct kiln_buf *buf);
void kiln_buf_release(struct kiln_buf *buf);
/* Forget the content, keep the memory. Also clears `failed`. */
void kiln_buf_clear(struct kiln_buf *buf);
/* Room for `extra` more bytes (and the NUL); false and `failed` when memory is short. */
bool kiln_buf_reserve(struct kiln_buf *buf, size_t extra);
void kiln_buf_append(struct kiln_buf *buf, const void *data, size_t len);
void kiln_buf_text_append(struct kiln_buf *buf, const char *text);
void kiln_buf_printf(struct kiln_buf *buf, const char *format, ...) KILN_PRINTF(2, 3);
void kiln_buf_vprintf(struct kiln_buf *buf, const char *format, va_list args) KILN_PRINTF(2, 0);
/* The content as a string; "" when empty. Valid until the next change. */
const char *kiln_buf_text(const struct kiln_buf *buf);

#endif
