/*
 * The one spelling of a path.
 */
#ifndef KILN_OS_PATH_H
#define KILN_OS_PATH_H

#include <stdbool.h>

#include "base/buf.h"

/* Absolute path without links and dots, appended to out; false when path does not exist or memory is short. */
bool kiln_path_resolve(const char *path, struct kiln_buf *out);

#endif
