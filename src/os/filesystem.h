/*
 * What kind of file system a path lies on, and who may write there.
 */
#ifndef KILN_OS_FILESYSTEM_H
#define KILN_OS_FILESYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include "os/user.h"

struct kiln_filesystem {
  bool network;   /* NFS, SMB, Lustre, GPFS, FUSE-based and the like */
  bool noexec;    /* code cannot be mapped from it */
  bool read_only; /* mounted so */
  uint64_t free_bytes, free_files;
  char type[32]; /* "ext4", "nfs", or the magic number as hex */
};
/* Of the nearest existing ancestor of path. false when nothing can be found out. */
bool kiln_filesystem_of(const char *path, struct kiln_filesystem *filesystem);

/* Why a file or folder must not be trusted with code: another owner than this user (kiln_user_id in os/user.h) or root,
 * writable by group or others (a sticky folder of root is allowed, so that it can be asked about ancestors too), a
 * symbolic link in the last component. Only this one path is looked at. true when it may be trusted; else a sentence in
 * reason (size bytes) that quotes the path. */
bool kiln_owner_trusted(const char *path, char *reason, unsigned long size);
/* As above for what is known of a file already (kiln_fd_info of the descriptor that is about to be read). */
struct kiln_file_info;
bool kiln_owner_trusted_info(const struct kiln_file_info *info, const char *path, char *reason, unsigned long size);
/* Node name, "" when unknown; text holds 128 bytes. */
void kiln_host_name(char *text);

#endif
