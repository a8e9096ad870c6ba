#include "probe/measure_tail.h"

#include <string.h>

#include "os/file.h"

#define TAIL_BYTES 16384

/* The last bytes of a file: `data` holds up to two blocks, of which the end counts. Length kept. */
static size_t
read_end(const char *path, char data[2 * TAIL_BYTES])
{
  int fd = kiln_fd_open(path, KILN_OPEN_READ);
  size_t len = 0;
  long got;
  if (fd < 0) {
    return 0;
  }
  while ((got = kiln_fd_read(fd, data + len, 2 * TAIL_BYTES - len)) > 0) {
    len += (size_t)got;
    if (len == 2 * TAIL_BYTES) {
      memmove(data, data + TAIL_BYTES, TAIL_BYTES);
      len = TAIL_BYTES;
    }
  }
  kiln_fd_close(fd);
  if (len > TAIL_BYTES) {
    memmove(data, data + len - TAIL_BYTES, TAIL_BYTES);
    len = TAIL_BYTES;
  }
  return len;
}

static size_t
last_lines(const char *data, size_t len)
{
  size_t at = len, lines = 0;
  if (at > 0 && data[at - 1] == '\n') {
    at--;
  }
  while (at > 0) {
    if (data[at - 1] == '\n' && ++lines == KILN_TAIL_LINES) {
      break;
    }
    at--;
  }
  return at;
}

void
kiln_tail_append(struct kiln_buf *out, const char *heading, const char *path)
{
  char data[2 * TAIL_BYTES];
  size_t i, len = read_end(path, data);
  if (len == 0) {
    return;
  }
  kiln_buf_printf(out, "%s:\n", heading);
  for (i = last_lines(data, len); i < len; i++) {
    unsigned char c = (unsigned char)data[i];
    if ((c < ' ' && c != '\n' && c != '\t') || c == 127) {
      data[i] = '?';
    }
    kiln_buf_append(out, &data[i], 1);
  }
  if (data[len - 1] != '\n') {
    kiln_buf_text_append(out, "\n");
  }
}
