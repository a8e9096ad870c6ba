/*
 * Small text helpers with no state. All strings are NUL-terminated unless a length is given.
 */
#ifndef KILN_BASE_TEXT_H
#define KILN_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

bool kiln_text_equal(const char *a, const char *b); /* NULL equals only NULL */
bool kiln_text_starts(const char *text, const char *prefix);
bool kiln_text_ends(const char *text, const char *suffix);
/* Does `path` lie in folder `folder` or equal it? Purely by spelling; a trailing slash of `folder` is ignored. */
bool kiln_text_path_within(const char *path, const char *folder);
/* Last component of a path; the text itself when there is no slash. */
const char *kiln_text_base_name(const char *path);
/* Strict decimal: digits only, no sign, no space, no overflow; false otherwise. */
bool kiln_text_parse_uint(const char *text, uint64_t *value);
/* Strict non-negative decimal number with optional fraction ("2", "0.5"); no exponent, no inf; false otherwise. */
bool kiln_text_parse_seconds(const char *text, double *value);
/* Join directory and name with one slash into buf (cleared first). Returns buf's text. */
const char *kiln_text_join(struct kiln_buf *buf, const char *directory, const char *name);
/* Append `text` so that a POSIX shell reads it as one word: bare when harmless, else single-quoted. */
void kiln_text_shell_word(struct kiln_buf *buf, const char *text);
/* Append seconds for people: "0.4 ms", "12.3 ms", "1.23 s", "12.3 s", "2 min 5 s". */
void kiln_text_duration(struct kiln_buf *buf, double seconds);
/* Append bytes for people: "812 B", "7.1 KB", "1.48 MB" (powers of 1000). */
void kiln_text_bytes(struct kiln_buf *buf, double bytes);
/* Number of terminal columns of UTF-8 text (combining marks and wide characters are not treated specially). */
size_t kiln_text_columns(const char *text);

#endif
