#include "base/json_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

void
kiln_json_init(struct kiln_json *json, struct kiln_buf *buf, bool pretty)
{
  *json = (struct kiln_json){.buf = buf, .pretty = pretty};
}

static void
new_line(struct kiln_json *json)
{
  if (!json->pretty)
    return;
  kiln_buf_append(json->buf, "\n", 1);
  for (int i = 0; i < json->depth; i++)
    kiln_buf_append(json->buf, "  ", 2);
}

/* Comma and line break in front of a member or an element. */
static void
separate(struct kiln_json *json)
{
  if (json->depth == 0)
    return;
  bool *has_items = &json->has_items[json->depth - 1];
  if (*has_items)
    kiln_buf_append(json->buf, ",", 1);
  *has_items = true;
  new_line(json);
}

static void
before_value(struct kiln_json *json)
{
  if (!json->after_key)
    separate(json);
  json->after_key = false;
}

static void
raw(struct kiln_json *json, const char *text)
{
  before_value(json);
  kiln_buf_text_append(json->buf, text);
}

static void
open_scope(struct kiln_json *json, const char *bracket)
{
  raw(json, bracket);
  if (json->depth == KILN_JSON_MAX_DEPTH) {
    json->buf->failed = true;
    return;
  }
  json->has_items[json->depth++] = false;
}

static void
close_scope(struct kiln_json *json, const char *bracket)
{
  if (json->depth == 0) {
    json->buf->failed = true;
    return;
  }
  json->depth--;
  if (json->has_items[json->depth])
    new_line(json);
  kiln_buf_text_append(json->buf, bracket);
}

void
kiln_json_object(struct kiln_json *json)
{
  open_scope(json, "{");
}

void
kiln_json_object_end(struct kiln_json *json)
{
  close_scope(json, "}");
}

void
kiln_json_array(struct kiln_json *json)
{
  open_scope(json, "[");
}

void
kiln_json_array_end(struct kiln_json *json)
{
  close_scope(json, "]");
}

/* Bytes of the well-formed character at text (RFC 3629: no overlong form, no surrogate, at most U+10FFFF), 0 if none.
 */
static size_t
utf8_length(const unsigned char *text, size_t len)
{
  unsigned char lead = text[0], low = 0x80, high = 0xBF;
  size_t size;
  if (lead < 0x80)
    return 1;
  if (lead >= 0xC2 && lead <= 0xDF)
    size = 2;
  else if (lead >= 0xE0 && lead <= 0xEF)
    size = 3;
  else if (lead >= 0xF0 && lead <= 0xF4)
    size = 4;
  else
    return 0;
  if (lead == 0xE0)
    low = 0xA0;
  if (lead == 0xED)
    high = 0x9F;
  if (lead == 0xF0)
    low = 0x90;
  if (lead == 0xF4)
    high = 0x8F;
  if (len < size || text[1] < low || text[1] > high)
    return 0;
  for (size_t i = 2; i < size; i++)
    if ((text[i] & 0xC0) != 0x80)
      return 0;
  return size;
}

static void
append_escape(struct kiln_buf *buf, unsigned char byte)
{
  static const char named[] = "\"\"\\\\\bb\ff\nn\rr\tt";
  for (size_t i = 0; i + 1 < sizeof named; i += 2) {
    if ((unsigned char)named[i] == byte) {
      char escape[2] = {'\\', named[i + 1]};
      kiln_buf_append(buf, escape, 2);
      return;
    }
  }
  kiln_buf_printf(buf, "\\u%04x", (unsigned)byte);
}

static void
append_quoted(struct kiln_buf *buf, const char *text, size_t len)
{
  const unsigned char *bytes = (const unsigned char *)text;
  size_t plain = 0; /* start of the run that may be copied as it is */
  kiln_buf_append(buf, "\"", 1);
  for (size_t at = 0; at < len;) {
    unsigned char byte = bytes[at];
    size_t size = byte < 0x20 || byte == '"' || byte == '\\' ? 0 : utf8_length(bytes + at, len - at);
    if (size > 0) {
      at += size;
      continue;
    }
    kiln_buf_append(buf, text + plain, at - plain);
    if (byte < 0x80)
      append_escape(buf, byte);
    else
      kiln_buf_text_append(buf, REPLACEMENT);
    plain = ++at;
  }
  kiln_buf_append(buf, text + plain, len - plain);
  kiln_buf_append(buf, "\"", 1);
}

void
kiln_json_key(struct kiln_json *json, const char *key)
{
  separate(json);
  append_quoted(json->buf, key, strlen(key));
  kiln_buf_text_append(json->buf, json->pretty ? ": " : ":");
  json->after_key = true;
}

void
kiln_json_string(struct kiln_json *json, const char *text)
{
  if (text)
    kiln_json_string_n(json, text, strlen(text));
  else
    kiln_json_null(json);
}

void
kiln_json_string_n(struct kiln_json *json, const char *text, size_t len)
{
  before_value(json);
  append_quoted(json->buf, len > 0 ? text : "", len);
}

void
kiln_json_int(struct kiln_json *json, int64_t value)
{
  before_value(json);
  kiln_buf_printf(json->buf, "%lld", (long long)value);
}

void
kiln_json_uint(struct kiln_json *json, uint64_t value)
{
  before_value(json);
  kiln_buf_printf(json->buf, "%llu", (unsigned long long)value);
}

/* A foreign process may have set a locale whose decimal separator is not a point, even of several bytes. */
static void
use_decimal_point(char *number)
{
  char *at = number + strspn(number, "0123456789+-");
  if (*at == '\0' || *at == 'e')
    return;
  char *rest = at;
  while (*rest && !strchr("0123456789", *rest))
    rest++;
  *at = '.';
  memmove(at + 1, rest, strlen(rest) + 1);
}

void
kiln_json_double(struct kiln_json *json, double value)
{
  if (!isfinite(value)) {
    kiln_json_null(json);
    return;
  }
  char number[48];
  snprintf(number, sizeof number, "%.9g", value);
  use_decimal_point(number);
  raw(json, number);
}

void
kiln_json_bool(struct kiln_json *json, bool value)
{
  raw(json, value ? "true" : "false");
}

void
kiln_json_null(struct kiln_json *json)
{
  raw(json, "null");
}

void
kiln_json_member_text(struct kiln_json *json, const char *key, const char *text)
{
  kiln_json_key(json, key);
  kiln_json_string(json, text);
}

void
kiln_json_member_filled(struct kiln_json *json, const char *key, const char *text)
{
  kiln_json_member_text(json, key, text && text[0] ? text : NULL);
}

void
kiln_json_member_int(struct kiln_json *json, const char *key, int64_t value)
{
  kiln_json_key(json, key);
  kiln_json_int(json, value);
}

void
kiln_json_member_uint(struct kiln_json *json, const char *key, uint64_t value)
{
  kiln_json_key(json, key);
  kiln_json_uint(json, value);
}

void
kiln_json_member_double(struct kiln_json *json, const char *key, double value)
{
  kiln_json_key(json, key);
  kiln_json_double(json, value);
}

void
kiln_json_member_known(struct kiln_json *json, const char *key, double value)
{
  kiln_json_key(json, key);
  if (value < 0)
    kiln_json_null(json);
  else
    kiln_json_double(json, value);
}

void
kiln_json_member_bool(struct kiln_json *json, const char *key, bool value)
{
  kiln_json_key(json, key);
  kiln_json_bool(json, value);
}

void
kiln_json_member_texts(struct kiln_json *json, const char *key, const char *const *texts, size_t count)
{
  kiln_json_member_array(json, key);
  for (size_t i = 0; i < count; i++)
    kiln_json_string(json, texts[i]);
  kiln_json_array_end(json);
}

void
kiln_json_member_doubles(struct kiln_json *json, const char *key, const double *values, size_t count)
{
  kiln_json_member_array(json, key);
  for (size_t i = 0; i < count; i++)
    kiln_json_double(json, values[i]);
  kiln_json_array_end(json);
}

void
kiln_json_member_object(struct kiln_json *json, const char *key)
{
  kiln_json_key(json, key);
  kiln_json_object(json);
}

void
kiln_json_member_array(struct kiln_json *json, const char *key)
{
  kiln_json_key(json, key);
  kiln_json_array(json);
}
