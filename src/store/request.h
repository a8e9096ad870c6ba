/*
 * The two-level key: a request (everything known before the compiler runs) leads to recorded dependencies, and these,
 * when still the same, to the entry key.
 *
 * A dependency names its root (a source's folder, an include folder by position, or the system) and a path relative to
 * it, so a moved tree is a hit. Size, inode and time are looked at first; content is read only when those moved. File
 * format (text, one line each, bounded, checksum last; anything else is a miss): see docs/store.md.
 */
#ifndef KILN_STORE_REQUEST_H
#define KILN_STORE_REQUEST_H

#include "store/store.h"

#define KILN_REQUEST_MAX_DEPENDENCIES 65536

enum { KILN_ROOT_SYSTEM = -1 }; /* root number of absolute paths; roots ≥ 0 are given by the caller */

struct kiln_dependency {
  int root;
  char *path; /* relative to its root; absolute for KILN_ROOT_SYSTEM */
  uint64_t size, inode, mtime_ns;
  struct kiln_digest content;
};

/* A place where a search for headers looked before it found one elsewhere: the dependency is that there is no file.
 * Written with size, inode, time and content 0. When a file appears there, refreshing turns it into one of that file.
 */
bool kiln_dependency_is_absence(const struct kiln_dependency *dependency);

struct kiln_request_record {
  struct kiln_digest entry;
  struct kiln_dependency *dependencies;
  size_t count, capacity;
};
void kiln_request_record_init(struct kiln_request_record *record);
void kiln_request_record_release(struct kiln_request_record *record);

/* Read the record of (request, toolchain). toolchain NULL: the newest of any toolchain, whose identity goes to
 * *toolchain_used. */
enum kiln_status kiln_request_read(struct kiln_store *store, const struct kiln_digest *request,
    const struct kiln_digest *toolchain, struct kiln_request_record *record, struct kiln_digest *toolchain_used,
    struct kiln_error *error);
/* Write atomically; a full or read-only disk is an error that the caller may ignore. */
enum kiln_status kiln_request_write(struct kiln_store *store, const struct kiln_digest *request,
    const struct kiln_digest *toolchain, const struct kiln_request_record *record, struct kiln_error *error);
/* The name of a record's file, "<request>.<toolchain>", into both; false when it is none. */
bool kiln_request_name_parse(const char *name, struct kiln_digest *request, struct kiln_digest *toolchain);
/* Bring the record up to date with the files as they are now (roots[i] is the folder of root i). *changed: some content
 * differs (record holds the new digests). A file that is gone: KILN_ERROR_NOT_FOUND. */
enum kiln_status kiln_request_refresh(struct kiln_request_record *record, const char *const *roots, size_t root_count,
    bool *changed, struct kiln_error *error);
/* The same for a record whose toolchain is not on this machine. Its headers need not be either: what was below /usr or
 * /opt, and any other file of KILN_ROOT_SYSTEM that is missing, counts as it was recorded. */
enum kiln_status kiln_request_refresh_foreign(struct kiln_request_record *record, const char *const *roots,
    size_t root_count, bool *changed, struct kiln_error *error);

#endif
