/*
 * A lock on one byte of a file, owned by an open file description: the kernel frees it when the last descriptor of that
 * description is closed, so also when its owner dies. A forked child inherits the description: it must close its copy
 * and must not unlock.
 */
#ifndef KILN_OS_RANGE_LOCK_H
#define KILN_OS_RANGE_LOCK_H

#include <stdint.h>

enum kiln_range_lock { KILN_RANGE_TAKEN, KILN_RANGE_BUSY, KILN_RANGE_UNAVAILABLE };

/* Open (create with `mode`, never truncate) and try to lock byte `offset` without waiting. *fd: close-on-exec, when
 * TAKEN. */
enum kiln_range_lock kiln_range_lock_try(const char *path, unsigned mode, uint64_t offset, int *fd);
/* In the process that took it: unlock and close. A forked child may have kept a copy of the descriptor, which would
 * hold the lock on if it were only closed. */
void kiln_range_lock_release(int fd);

#endif
