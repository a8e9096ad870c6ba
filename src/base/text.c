#include "base/text.h"

#include <math.h>
#include <string.h>

bool
kiln_text_equal(const char *a, const char *b)
{
  return a == b || (a && b && strcmp(a, b) == 0);
}

bool
kiln_text_starts(const char *text, const char *prefix)
{
  return text && prefix && strncmp(text, prefix, strlen(prefix)) == 0;
}

bool
kiln_text_ends(const char *text, const char *suffix)
{
  if (!text || !suffix)
    return false;
  size_t text_len = strlen(text), suffix_len = strlen(suffix);
  return suffix_len <= text_len && memcmp(text + text_len - suffix_len, suffix, suffix_len) == 0;
}

bool
kiln_text_path_within(const char *path, const char *folder)
{
  if (!path || !folder || !*folder)
    return false;
  size_t len = strlen(folder);
  while (len > 0 && folder[len - 1] == '/')
    len--;
  /* For the root nothing is left, and every absolute path goes on with a slash. */
  return strncmp(path, folder, len) == 0 && (path[len] == '/' || (len > 0 && path[len] == '\0'));
}

const char *
kiln_text_base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool
is_digit(char byte)
{
  return byte >= '0' && byte <= '9';
}

bool
kiln_text_parse_uint(const char *text, uint64_t *value)
{
  if (!text || !*text)
    return false;
  uint64_t sum = 0;
  for (; *text; text++) {
    if (!is_digit(*text))
      return false;
    uint64_t digit = (uint64_t)(*text - '0');
    if (sum > (UINT64_MAX - digit) / 10)
      return false;
    sum = sum * 10 + digit;
  }
  *value = sum;
  return true;
}

bool
kiln_text_parse_seconds(const char *text, double *value)
{
  if (!text || !is_digit(*text))
    return false;
  /* By hand: strtod would accept hex, exponents and inf, and follow the locale. */
  double sum = 0, scale = 1;
  for (; is_digit(*text); text++)
    sum = sum * 10 + (*text - '0');
  if (*text == '.') {
    text++;
    if (!is_digit(*text))
      return false;
    for (; is_digit(*text); text++) {
      if (scale >= 1e15)
        continue; /* digits behind the 15th change nothing that a clock can measure */
      sum = sum * 10 + (*text - '0');
      scale *= 10;
    }
  }
  if (*text || !isfinite(sum))
    return false;
  *value = sum / scale;
  return true;
}

const char *
kiln_text_join(struct kiln_buf *buf, const char *directory, const char *name)
{
  kiln_buf_clear(buf);
  kiln_buf_text_append(buf, directory);
  while (buf->len > 0 && buf->data[buf->len - 1] == '/')
    buf->data[--buf->len] = '\0';
  if (*directory)
    kiln_buf_append(buf, "/", 1);
  while (*directory && *name == '/')
    name++;
  kiln_buf_text_append(buf, name);
  return kiln_buf_text(buf);
}

void
kiln_text_shell_word(struct kiln_buf *buf, const char *text)
{
  static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,";
  if (*text && text[strspn(text, harmless)] == '\0') {
    kiln_buf_text_append(buf, text);
    return;
  }
  kiln_buf_append(buf, "'", 1);
  for (;;) {
    size_t run = strcspn(text, "'");
    kiln_buf_append(buf, text, run);
    text += run;
    if (!*text)
      break;
    kiln_buf_text_append(buf, "'\\''");
    text++;
  }
  kiln_buf_append(buf, "'", 1);
}

/* Limits lie where rounding would reach the next form: 999.7 ms is "1.00 s". */
void
kiln_text_duration(struct kiln_buf *buf, double seconds)
{
  if (!isfinite(seconds)) {
    kiln_buf_text_append(buf, "unknown");
    return;
  }
  if (seconds < 0) {
    kiln_buf_append(buf, "-", 1);
    seconds = -seconds;
  }
  if (seconds < 0.09995)
    kiln_buf_printf(buf, "%.1f ms", seconds * 1e3);
  else if (seconds < 0.9995)
    kiln_buf_printf(buf, "%.0f ms", seconds * 1e3);
  else if (seconds < 9.995)
    kiln_buf_printf(buf, "%.2f s", seconds);
  else if (seconds < 59.95)
    kiln_buf_printf(buf, "%.1f s", seconds);
  else if (seconds < 3599.5)
    kiln_buf_printf(buf, "%d min %d s", (int)(seconds + 0.5) / 60, (int)(seconds + 0.5) % 60);
  else if (seconds < 1e15)
    kiln_buf_printf(buf, "%llu h %llu min", ((unsigned long long)seconds + 30) / 3600,
        ((unsigned long long)seconds + 30) / 60 % 60);
  else
    kiln_buf_printf(buf, "%.3g s", seconds);
}

void
kiln_text_bytes(struct kiln_buf *buf, double bytes)
{
  static const char *const units[] = {"B", "KB", "MB", "GB", "TB", "PB"};
  if (!isfinite(bytes)) {
    kiln_buf_text_append(buf, "unknown");
    return;
  }
  if (bytes < 0) {
    kiln_buf_append(buf, "-", 1);
    bytes = -bytes;
  }
  size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++)
    bytes /= 1000;
  int decimals = bytes < 9.995 ? 2 : bytes < 99.95 ? 1 : 0;
  if (unit == 0)
    decimals = 0;
  if (unit == 1 && decimals > 1)
    decimals = 1;
  kiln_buf_printf(buf, "%.*f %s", decimals, bytes, units[unit]);
}

size_t
kiln_text_columns(const char *text)
{
  size_t columns = 0;
  for (; *text; text++)
    columns += ((unsigned char)*text & 0xC0) != 0x80;
  return columns;
}
