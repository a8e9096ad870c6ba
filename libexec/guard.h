/*
 * kiln-spawn as guard: it outlives its owner and removes the folder that the owner named.
 */
#ifndef KILN_LIBEXEC_GUARD_H
#define KILN_LIBEXEC_GUARD_H

#define KILN_GUARD_NAME 4096

/* Read names from the owner's pipe, each ended by a NUL: a path, or nothing to dismiss the guard. When the pipe closes
 * without a dismissal, kill what carries the mark of the last path and remove it. Exit status of the program. */
int kiln_guard_run(int owner);

#endif
