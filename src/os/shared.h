/*
 * Memory shared with a file, and a page that tells a forked child from its parent.
 */
#ifndef KILN_OS_SHARED_H
#define KILN_OS_SHARED_H

#include <stdbool.h>
#include <stddef.h>

/* New file of `size` zero bytes (blocks really allocated, so a full disk fails here and not as SIGBUS later), mapped
 * shared and writable, at address `at` (MAP_FIXED) unless NULL. NULL on failure; an empty file is removed again.
 * Uses only async-signal-safe calls: may run in a child forked by a thread. */
void *kiln_shared_create(const char *path, size_t size, void *at);
/* Private zero memory of `size` bytes at `at` (or anywhere when NULL): the fallback when the file cannot be had. */
void *kiln_shared_anonymous(size_t size, void *at);
/* Private zero memory that takes room only where it is touched, in the smallest pages: for tests of tensors that reach
 * far. NULL where the system promises no more than it has. */
void *kiln_shared_sparse(size_t size);
/* One page that reads as zeros in every forked child, whatever was written before; NULL when the kernel cannot. */
void *kiln_shared_wiped_on_fork(void);
/* Map an existing file read-only; *size receives its length. NULL on failure (also for an empty file). */
const void *kiln_shared_open(const char *path, size_t *size);
void kiln_shared_close(const void *address, size_t size);

#endif
