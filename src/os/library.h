/*
 * Libraries of the system or of a vendor that are opened when they are first needed, by name or path. What kiln itself
 * has compiled is loaded by os/module.h.
 *
 * Order: open, symbol…, close. A handle may be used by any thread.
 */
#ifndef KILN_OS_LIBRARY_H
#define KILN_OS_LIBRARY_H

#include <stdbool.h>

#include "base/buf.h"

struct kiln_library; /* an open library */

/* Open by name, as the dynamic linker searches, or by path. Symbols stay local to this handle. KILN_ERROR_NOT_FOUND: it
 * or a library that it needs is not there; KILN_ERROR_ENVIRONMENT: it is there and cannot be used. The sentence has the
 * loader's own words. */
enum kiln_status kiln_library_open(const char *name, struct kiln_library **library, struct kiln_error *error);
/* The library at this path is about to be opened and used: if less than half of it is in memory, let the system read
 * all of it now, in one go. Left alone it is read page by page as the loader and the code come by, which for 100 MB on
 * a disk that has been idle takes seconds instead of tenths of one. Where this user may not know what is in memory, the
 * system is asked in any case (about 1 ms for 100 MB). Best effort. */
void kiln_library_expect(const char *path);
/* Address of a symbol; NULL when it has none of this name. */
void *kiln_library_symbol(struct kiln_library *library, const char *name);
/* The file it was opened from, without links, appended to path; false when the system does not tell. */
bool kiln_library_path(struct kiln_library *library, struct kiln_buf *path);
/* Unmap it. NULL is allowed. No thread may be inside the library, and nothing may point into it. */
void kiln_library_close(struct kiln_library *library);
/* Give the handle back and leave the library mapped until the process ends: for those that have threads or memory of
 * their own. NULL is allowed. */
void kiln_library_leave(struct kiln_library *library);

#endif
