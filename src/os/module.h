/*
 * Loading native code that has been checked, through the descriptor it was checked with.
 *
 * The dynamic loader identifies files by spelling: two files opened one after the other under one /proc/self/fd/N would
 * be taken for the same library. So each load uses a spelling of its own and the descriptor stays open as long as the
 * module.
 */
#ifndef KILN_OS_MODULE_H
#define KILN_OS_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include "kiln/error.h"

struct kiln_native; /* an open module */

/* Map the shared object behind fd (fd is duplicated). Lazy binding is off, symbols stay local. *noexec: the file system
 * refused to map code, or this user may not open the file once more; try kiln_native_open_memory. KILN_ERROR_FORMAT:
 * the loader refused what the file holds (not a shared object of this machine, a missing symbol or library). Needs
 * /proc. */
enum kiln_status kiln_native_open_fd(int fd, struct kiln_native **module, bool *noexec, struct kiln_error *error);
/* Map a private copy in anonymous memory (memfd). */
enum kiln_status kiln_native_open_memory(
    const void *data, size_t len, const char *name, struct kiln_native **module, struct kiln_error *error);
/* Address of a symbol that this module itself defines, not one of the libraries it needs; NULL when there is none. */
void *kiln_native_symbol(struct kiln_native *module, const char *name);
/* Unmap; NULL is allowed. No thread may be inside the code. */
void kiln_native_close(struct kiln_native *module);
struct kiln_buf;
/* Folder of the library or program that contains this code, appended to path; false when unknown. */
bool kiln_native_own_folder(struct kiln_buf *path);

#endif
