#include "store/record.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define CHECKSUM_LABEL "checksum "
#define CHECKSUM_LINE (sizeof CHECKSUM_LABEL - 1 + 32 + 1) /* label, digits, newline */

void
kiln_record_begin(struct kiln_buf *record, const char *kind)
{
  kiln_buf_printf(record, "kiln %s 1\n", kind);
}

static void
format_checksum(const void *data, size_t len, char line[CHECKSUM_LINE + 1])
{
  struct kiln_checksum checksum = kiln_checksum_of(data, len);
  int at = snprintf(line, CHECKSUM_LINE + 1, "%s", CHECKSUM_LABEL);
  for (size_t i = 0; i < sizeof checksum.bytes; i++)
    at += snprintf(line + at, CHECKSUM_LINE + 1 - (size_t)at, "%02x", checksum.bytes[i]);
  snprintf(line + at, CHECKSUM_LINE + 1 - (size_t)at, "\n");
}

void
kiln_record_end(struct kiln_buf *record)
{
  char line[CHECKSUM_LINE + 1];
  format_checksum(kiln_buf_text(record), record->len, line);
  kiln_buf_text_append(record, line);
}

void
kiln_record_append_digest(struct kiln_buf *record, const char *label, const struct kiln_digest *digest)
{
  char hex[KILN_DIGEST_HEX];
  kiln_digest_hex(digest, hex);
  kiln_buf_printf(record, "%s %s\n", label, hex);
}

bool
kiln_record_open(struct kiln_record_reader *reader, const struct kiln_buf *data, const char *kind)
{
  char line[CHECKSUM_LINE + 1], found[64];
  if (data->failed || data->len < CHECKSUM_LINE || memchr(data->data, '\0', data->len))
    return false;
  size_t body = data->len - CHECKSUM_LINE;
  format_checksum(data->data, body, line);
  if (memcmp(data->data + body, line, CHECKSUM_LINE) != 0)
    return false;
  *reader = (struct kiln_record_reader){data->data, data->data + body};
  if (!kiln_record_text(reader, "kiln", found, sizeof found))
    return false;
  size_t len = strlen(kind);
  return strncmp(found, kind, len) == 0 && strcmp(found + len, " 1") == 0;
}

bool
kiln_record_line(struct kiln_record_reader *reader, const char **line, size_t *len)
{
  const char *newline = reader->at < reader->end ? memchr(reader->at, '\n', (size_t)(reader->end - reader->at)) : NULL;
  if (!newline)
    return false;
  *line = reader->at;
  *len = (size_t)(newline - reader->at);
  reader->at = newline + 1;
  return true;
}

bool
kiln_record_text(struct kiln_record_reader *reader, const char *label, char *value, size_t size)
{
  const char *line;
  size_t len, label_len = strlen(label);
  if (!kiln_record_line(reader, &line, &len) || len <= label_len || memcmp(line, label, label_len) != 0 ||
      line[label_len] != ' ')
    return false;
  size_t value_len = len - label_len - 1;
  if (value_len >= size)
    return false;
  memcpy(value, line + label_len + 1, value_len);
  value[value_len] = '\0';
  return true;
}

bool
kiln_record_number(struct kiln_record_reader *reader, const char *label, uint64_t *value)
{
  char text[24];
  return kiln_record_text(reader, label, text, sizeof text) && kiln_text_parse_uint(text, value);
}

bool
kiln_record_digest(struct kiln_record_reader *reader, const char *label, struct kiln_digest *digest)
{
  char text[KILN_DIGEST_HEX];
  return kiln_record_text(reader, label, text, sizeof text) && kiln_digest_parse(text, digest);
}
