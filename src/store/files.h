/*
 * Reading and writing the store's own files: small, whole, at once, and only those of trusted owners.
 */
#ifndef KILN_STORE_FILES_H
#define KILN_STORE_FILES_H

#include "store/place.h"

enum kiln_read_result {
  KILN_READ_DONE,
  KILN_READ_MISSING, /* no such file */
  KILN_READ_REFUSED, /* somebody else could have written it: warned about, to be treated as missing */
  KILN_READ_DAMAGED, /* no regular file, too large, or shorter than it says */
  KILN_READ_FAILED   /* the system could not read it; *error says why; nothing may be concluded or removed */
};

/* A file as it was when it was opened. */
struct kiln_store_file {
  int fd; /* -1: closed */
  struct kiln_file_info info;
};

/* Append the whole file of at most `max` bytes to content. file (may be NULL): receives the open descriptor, which the
 * caller closes when the result is DONE or DAMAGED (-1 else). */
enum kiln_read_result kiln_store_read(struct kiln_store *store, const char *path, uint64_t max,
    struct kiln_buf *content, struct kiln_store_file *file, struct kiln_error *error);

/* Give content to "v1/<relative>" at once, over what is there: a reader sees the old or the new file. Makes folders.
 * KILN_ERROR_ENVIRONMENT or _IO when the disk is full, read-only or refuses. */
enum kiln_status kiln_store_write(
    struct kiln_store *store, const char *relative, const struct kiln_buf *content, struct kiln_error *error);
/* A new file with this content in the store's folder for temporary files; its path is appended to `path`. */
enum kiln_status kiln_store_write_temporary(
    struct kiln_store *store, const struct kiln_buf *content, struct kiln_buf *path, struct kiln_error *error);

/* "<folder>/<two digits>/<hex>" into relative (cleared first); returns its text. */
const char *kiln_store_name(struct kiln_buf *relative, const char *folder, const struct kiln_digest *digest);

#endif
