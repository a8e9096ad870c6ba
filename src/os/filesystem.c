#include "os/filesystem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/buf.h"
#include "os/stat.h"

/* The kernel's magic numbers; written out, because its header lacks those of file systems outside its tree. */
static const struct kind {
  uint32_t magic;
  bool network;
  const char *name;
} kinds[] = {
    {0xEF53, false, "ext4"},
    {0x58465342, false, "xfs"},
    {0x9123683E, false, "btrfs"},
    {0x01021994, false, "tmpfs"},
    {0x858458F6, false, "ramfs"},
    {0x794C7630, false, "overlayfs"},
    {0x2FC12FC1, false, "zfs"},
    {0xF2F52010, false, "f2fs"},
    {0xCA451A4E, false, "bcachefs"},
    {0x73717368, false, "squashfs"},
    {0xE0F5E1E2, false, "erofs"},
    {0xF15F, false, "ecryptfs"},
    {0x4D44, false, "vfat"},
    {0x2011BAB0, false, "exfat"},
    {0x9660, false, "iso9660"},
    {0x9FA0, false, "proc"},
    {0x6969, true, "nfs"},
    {0x517B, true, "smb"},
    {0xFE534D42, true, "smb2"},
    {0xFF534D42, true, "cifs"},
    {0x0BD00BD0, true, "lustre"},
    {0x47504653, true, "gpfs"},
    {0x00C36400, true, "ceph"},
    {0x19830326, true, "beegfs"},
    {0xAAD7AAEA, true, "panfs"},
    {0x20030528, true, "orangefs"},
    {0x5346414F, true, "afs"},
    {0x6B414653, true, "afs"},
    {0x73757245, true, "coda"},
    {0x01161970, true, "gfs2"},
    {0x7461636F, true, "ocfs2"},
    {0xBEEFDEAD, true, "snfs"},
    {0x01021997, true, "9p"},
    {0x786F4256, true, "vboxsf"},
    {0x65735546, true, "fuse"},
};

static void
describe(const struct statfs *status, struct kiln_filesystem *filesystem)
{
  uint32_t magic = (uint32_t)status->f_type;
  uint64_t block = (uint64_t)(status->f_frsize > 0 ? status->f_frsize : status->f_bsize);
  *filesystem = (struct kiln_filesystem){
      .noexec = ((unsigned long)status->f_flags & ST_NOEXEC) != 0,
      .read_only = ((unsigned long)status->f_flags & ST_RDONLY) != 0,
      .free_bytes = status->f_bavail * block,
      .free_files = status->f_ffree,
  };
  snprintf(filesystem->type, sizeof filesystem->type, "0x%lx", (unsigned long)magic);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (kinds[i].magic != magic)
      continue;
    snprintf(filesystem->type, sizeof filesystem->type, "%s", kinds[i].name);
    filesystem->network = kinds[i].network;
    return;
  }
}

/* Cut the last component off: "/a/b" → "/a" → "/", "a" → ".". false when there is nothing left to cut. */
static bool
cut_to_parent(char *path)
{
  size_t len = strlen(path);
  if (len == 0 || strcmp(path, "/") == 0 || strcmp(path, ".") == 0)
    return false;
  while (len > 1 && path[len - 1] == '/')
    len--;
  while (len > 0 && path[len - 1] != '/')
    len--;
  while (len > 1 && path[len - 1] == '/')
    len--;
  if (len == 0)
    path[len++] = '.';
  path[len] = '\0';
  return true;
}

bool
kiln_filesystem_of(const char *path, struct kiln_filesystem *filesystem)
{
  struct kiln_buf ancestor;
  kiln_buf_init(&ancestor);
  kiln_buf_text_append(&ancestor, path);
  bool found = false;
  if (ancestor.data && !ancestor.failed) {
    struct statfs status;
    do
      found = statfs(ancestor.data, &status) == 0;
    while (!found && (errno == ENOENT || errno == ENOTDIR) && cut_to_parent(ancestor.data));
    if (found)
      describe(&status, filesystem);
  }
  kiln_buf_release(&ancestor);
  return found;
}

bool
kiln_owner_trusted_info(const struct kiln_file_info *info, const char *path, char *reason, unsigned long size)
{
  if (info->kind == KILN_FILE_LINK) {
    snprintf(reason, size, "'%s' is a symbolic link", path);
    return false;
  }
  if (info->uid != 0 && info->uid != geteuid()) {
    snprintf(reason, size, "'%s' belongs to user %lu, not to user %lu or root", path, (unsigned long)info->uid,
        (unsigned long)geteuid());
    return false;
  }
  /* In a sticky folder nobody can rename or remove what belongs to somebody else. */
  bool shared_by_root = info->kind == KILN_FILE_FOLDER && (info->mode & S_ISVTX) && info->uid == 0;
  if ((info->mode & (S_IWGRP | S_IWOTH)) && !shared_by_root) {
    snprintf(reason, size, "'%s' can be written by %s (mode %04o)", path,
        info->mode & S_IWOTH ? "everybody" : "its group", (unsigned)info->mode & 07777U);
    return false;
  }
  return true;
}

bool
kiln_owner_trusted(const char *path, char *reason, unsigned long size)
{
  struct stat status;
  struct kiln_file_info info;
  if (lstat(path, &status) != 0) {
    snprintf(reason, size, "cannot look at '%s': %s", path, strerror(errno));
    return false;
  }
  kiln_stat_convert(&status, &info);
  return kiln_owner_trusted_info(&info, path, reason, size);
}

void
kiln_host_name(char *text)
{
  struct utsname names;
  if (uname(&names) != 0)
    names.nodename[0] = '\0';
  snprintf(text, 128, "%.127s", names.nodename);
}
