/*
 * Writing JSON into a buffer, with commas and escapes done here. Used for events (compact) and reports (indented).
 *
 * Order: init; then values. Inside an object each value is preceded by kiln_json_key. Bytes that are not UTF-8 are
 * written as U+FFFD, control characters as escapes; a number that is not finite is written as null.
 * Errors: memory only, kept in buf->failed. The buffer belongs to the caller. Not thread safe.
 */
#ifndef KILN_BASE_JSON_WRITE_H
#define KILN_BASE_JSON_WRITE_H

#include <stdint.h>

#include "base/buf.h"

#define KILN_JSON_MAX_DEPTH 32

struct kiln_json {
  struct kiln_buf *buf;
  bool pretty; /* two spaces a level; false writes one line */
  int depth;
  bool has_items[KILN_JSON_MAX_DEPTH];
  bool after_key;
};

void kiln_json_init(struct kiln_json *json, struct kiln_buf *buf, bool pretty);
void kiln_json_object(struct kiln_json *json);
void kiln_json_object_end(struct kiln_json *json);
void kiln_json_array(struct kiln_json *json);
void kiln_json_array_end(struct kiln_json *json);
void kiln_json_key(struct kiln_json *json, const char *key);
/* text NULL writes null. */
void kiln_json_string(struct kiln_json *json, const char *text);
void kiln_json_string_n(struct kiln_json *json, const char *text, size_t len);
void kiln_json_int(struct kiln_json *json, int64_t value);
void kiln_json_uint(struct kiln_json *json, uint64_t value);
/* Shortest text that keeps 9 significant digits; enough for nanoseconds of a run. */
void kiln_json_double(struct kiln_json *json, double value);
void kiln_json_bool(struct kiln_json *json, bool value);
void kiln_json_null(struct kiln_json *json);

/* A member of an object in one call: key, then value. */
void kiln_json_member_text(struct kiln_json *json, const char *key, const char *text);   /* NULL: null */
void kiln_json_member_filled(struct kiln_json *json, const char *key, const char *text); /* NULL or "": null */
void kiln_json_member_int(struct kiln_json *json, const char *key, int64_t value);
void kiln_json_member_uint(struct kiln_json *json, const char *key, uint64_t value);
void kiln_json_member_double(struct kiln_json *json, const char *key, double value);
void kiln_json_member_known(struct kiln_json *json, const char *key, double value); /* negative: null */
void kiln_json_member_bool(struct kiln_json *json, const char *key, bool value);
/* Arrays of `count` values. */
void kiln_json_member_texts(struct kiln_json *json, const char *key, const char *const *texts, size_t count);
void kiln_json_member_doubles(struct kiln_json *json, const char *key, const double *values, size_t count);
/* Opened, to be filled and closed by kiln_json_object_end, kiln_json_array_end. */
void kiln_json_member_object(struct kiln_json *json, const char *key);
void kiln_json_member_array(struct kiln_json *json, const char *key);

#endif
