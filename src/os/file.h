/*
 * Files and folders. Paths are NUL-terminated bytes. Descriptors are plain ints, always close-on-exec.
 *
 * Errors: KILN_ERROR_NOT_FOUND when the path does not exist, KILN_ERROR_ENVIRONMENT for a full disk or a refused
 * permission, KILN_ERROR_IO otherwise; the sentence quotes the path. Thread safe.
 */
#ifndef KILN_OS_FILE_H
#define KILN_OS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "kiln/error.h"

enum kiln_file_kind { KILN_FILE_REGULAR, KILN_FILE_FOLDER, KILN_FILE_LINK, KILN_FILE_OTHER };

struct kiln_file_info {
  enum kiln_file_kind kind;
  uint64_t size, device, inode;
  uint64_t mtime_ns; /* wall clock */
  uint32_t uid, mode;
};

/* lstat. */
enum kiln_status kiln_file_info(const char *path, struct kiln_file_info *info, struct kiln_error *error);
/* The same of the file behind a link. */
enum kiln_status kiln_file_target_info(const char *path, struct kiln_file_info *info, struct kiln_error *error);
bool kiln_file_exists(const char *path);
bool kiln_file_executable(const char *path);
/* Whole file appended to buf; more than max_bytes is KILN_ERROR_FORMAT (checked before memory is taken). */
enum kiln_status kiln_file_read(const char *path, size_t max_bytes, struct kiln_buf *buf, struct kiln_error *error);
/* Replace the file at once (temporary neighbour, rename): a reader sees the old or the new content, never a part. A
 * link stays and what it names is replaced, with its mode; what is no regular file (/dev/stdout, a pipe) is written in
 * place.
 */
enum kiln_status kiln_file_write(const char *path, const void *data, size_t len, struct kiln_error *error);
/* Can kiln_file_write succeed here? Checked without changing what is there. */
enum kiln_status kiln_file_check_writable(const char *path, struct kiln_error *error);

/* mode flags for kiln_fd_open */
enum {
  KILN_OPEN_READ = 1,
  KILN_OPEN_WRITE = 2,
  KILN_OPEN_APPEND = 4,
  KILN_OPEN_CREATE = 8,
  KILN_OPEN_NEW = 16,
  KILN_OPEN_TRUNCATE = 32,
  KILN_OPEN_PLAIN = 64 /* refuse a link as last component; never wait for the other end of a pipe */
};
/* Descriptor, or -1 with errno of the system. Files are created with mode 0600. */
int kiln_fd_open(const char *path, int flags);
void kiln_fd_close(int fd);
/* Keep an inherited descriptor from the programs that this process starts; false when it is not open. */
bool kiln_fd_close_on_exec(int fd);
/* Bytes read (0 at the end), or -1; retried on interruption. */
long kiln_fd_read(int fd, void *data, size_t len);
/* The same from a place in the file, whatever has been read before. */
long kiln_fd_read_at(int fd, void *data, size_t len, uint64_t offset);
/* Everything written or false; retried on interruption. */
bool kiln_fd_write(int fd, const void *data, size_t len);
/* The same open file under a number of at least `least`, so that it never takes the place of a closed standard stream
 * or of a number that a shell script uses; the old number is closed. -1 with errno when there is none: fd is still
 * open. */
int kiln_fd_raise(int fd, int least);
/* Which file a descriptor refers to; false when it is closed. */
bool kiln_fd_identity(int fd, uint64_t *device, uint64_t *inode);
/* What an open descriptor shows; false when it is closed. */
bool kiln_fd_info(int fd, struct kiln_file_info *info);
/* One write() call, not retried: the way events are written. */
long kiln_fd_write_once(int fd, const void *data, size_t len);

enum kiln_status kiln_folder_make(const char *path, struct kiln_error *error); /* with parents, mode 0700 */
/* One folder, mode 0700, that was not there before: an existing one is an error, and so is a missing parent. */
enum kiln_status kiln_folder_make_new(const char *path, struct kiln_error *error);
/* New private folder "<parent>/<prefix>XXXXXX"; its path is appended to `path`. */
enum kiln_status kiln_folder_make_private(
    const char *parent, const char *prefix, struct kiln_buf *path, struct kiln_error *error);
/* Remove a tree; never follows links, makes folders writable on the way. What is already gone is no error. */
enum kiln_status kiln_folder_remove(const char *path, struct kiln_error *error);
/* The same, but the entry `last` of the folder goes after all others: a removal that is cut short can be told by it. */
enum kiln_status kiln_folder_remove_marked(const char *path, const char *last, struct kiln_error *error);
/* Remove a folder only if nothing is in it; false when it stays. */
bool kiln_folder_remove_empty(const char *path);
/* May this user create files in it? Asked, not tried; false when it does not exist. */
bool kiln_folder_writable(const char *path);
/* The system's temporary folder: TMPDIR when set and not empty, else /tmp. */
const char *kiln_folder_temporary(void);

/* Call visit with the name of every entry of a folder, in no order, without looking at the entries; a folder that is
 * missing or cannot be read has none. Return false to end it. */
void kiln_folder_names(const char *path, bool (*visit)(void *context, const char *name), void *context);

/* Called for every entry below the root (parents first), path includes the root. Return false to skip a folder's
 * content. */
typedef bool kiln_folder_visit(void *context, const char *path, const struct kiln_file_info *info);
/* Walk a tree without following links below the root; a missing root is an empty tree. depth 0 means unlimited, 1 only
 * the root's own entries. A folder that cannot be read is passed over; the first such error is returned at the end. */
enum kiln_status kiln_folder_walk(
    const char *path, int depth, kiln_folder_visit *visit, void *context, struct kiln_error *error);

#endif
