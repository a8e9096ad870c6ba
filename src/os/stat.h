/*
 * From the system's struct stat to struct kiln_file_info; shared by file.c and folder.c.
 */
#ifndef KILN_OS_STAT_H
#define KILN_OS_STAT_H

#include "os/file.h"

struct stat;

/* Fill *info from a result of lstat. Pure. */
void kiln_stat_convert(const struct stat *status, struct kiln_file_info *info);

#endif
