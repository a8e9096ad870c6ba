/*
 * A lock on a file that the kernel frees when its owner dies (flock).
 */
#ifndef KILN_OS_LOCK_H
#define KILN_OS_LOCK_H

/* Create the file if needed and lock it without waiting. Descriptor (close-on-exec) that holds the lock, -1 when
 * another process holds it or the file cannot be opened. Closing the descriptor frees the lock. */
int kiln_lock_try(const char *path);

#endif
