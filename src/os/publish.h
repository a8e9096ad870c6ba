/*
 * Making a finished file visible under its name, at once, first one wins.
 */
#ifndef KILN_OS_PUBLISH_H
#define KILN_OS_PUBLISH_H

#include <stdbool.h>

#include "kiln/error.h"

/* Give `file` the name `target` by link(); where links are not supported by an exclusive rename. *lost: the name was
 * taken. `file` is gone afterwards in both cases unless an error is returned (if its removal fails, it stays behind for
 * whoever reclaims its folder; the result is the same). */
enum kiln_status kiln_publish(const char *file, const char *target, bool *lost, struct kiln_error *error);
/* Replace `target` by `file` (rename). */
enum kiln_status kiln_publish_over(const char *file, const char *target, struct kiln_error *error);
/* Flush a file, and the folder that holds it, to the disk. */
enum kiln_status kiln_publish_sync(const char *path, struct kiln_error *error);
/* Remove one file; a missing one is no error. */
enum kiln_status kiln_file_remove(const char *path, struct kiln_error *error);
/* Permission bits, whatever the umask. */
enum kiln_status kiln_file_set_mode(const char *path, unsigned mode, struct kiln_error *error);
/* Set the time of last change to now, best effort; false when refused. */
bool kiln_file_touch(const char *path);

#endif
