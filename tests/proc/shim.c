/*
 * A preloaded library that makes chosen system calls fail, so that every error path of the store can be walked.
 *
 *   KILN_SHIM_CALLS   names, ',' between: open read write link rename mkdir unlink chmod fsync utime lock stat statfs
 *                     map memfd spawn; "write" counts only what the program itself writes
 *   KILN_SHIM_ERROR   number of the error that they report (ENOSPC is 28)
 *   KILN_SHIM_PATH    only for paths that hold this text (calls on descriptors: the path behind the descriptor)
 *   KILN_SHIM_HOW     "" as above; "bytes=N": writing works for N bytes in all; "create": open fails only when it
 *                     creates or writes; "pretend": the call does nothing and reports success (locks); "late": the call
 *                     is carried out and reports the error all the same; "hide": link and rename report that the name
 * is taken, and nobody can see it; "nfs": statfs says network file system KILN_SHIM_TIMES   only the first N calls that
 * match KILN_SHIM_LOG     one line per fault is appended here, so that a test knows that its fault was met
 *
 * Child processes do not inherit it: kiln scrubs their environment.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define NFS_MAGIC 0x6969

static bool
chosen(const char *call)
{
  const char *list = getenv("KILN_SHIM_CALLS");
  size_t len = strlen(call);
  for (const char *at = list; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (strncmp(at, call, len) == 0 && (at[len] == ',' || at[len] == '\0'))
      return true;
  return false;
}

static bool
how(const char *word)
{
  const char *text = getenv("KILN_SHIM_HOW");
  return strncmp(text ? text : "", word, strlen(word)) == 0 && (*word || !text || !*text);
}

static void
note(const char *call, const char *path)
{
  const char *log = getenv("KILN_SHIM_LOG");
  char line[4400];
  int fd = log ? (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
  if (fd < 0)
    return;
  int len = snprintf(line, sizeof line, "%s %s\n", call, path);
  syscall(SYS_write, fd, line, (size_t)len);
  syscall(SYS_close, fd);
}

/* Does this call fail? Sets errno. */
static bool
strikes(const char *call, const char *path)
{
  static int struck;
  const char *part = getenv("KILN_SHIM_PATH"), *times = getenv("KILN_SHIM_TIMES"), *error = getenv("KILN_SHIM_ERROR");
  if (!chosen(call) || (part && *part && !strstr(path, part)))
    return false;
  if (times && *times && __atomic_fetch_add(&struck, 1, __ATOMIC_RELAXED) >= atoi(times))
    return false;
  note(call, path);
  errno = error ? atoi(error) : EIO;
  return true;
}

/* The name that "hide" lies about; one is enough for a test. */
static char hidden[4096];

static bool
is_hidden(const char *path)
{
  if (!hidden[0] || strcmp(path, hidden) != 0)
    return false;
  errno = ENOENT;
  return true;
}

/* dlsym gives an object pointer, which standard C does not turn into a function pointer by a cast. */
#define NEXT(type, variable, name)                                                                                     \
  union {                                                                                                              \
    void *object;                                                                                                      \
    type *function;                                                                                                    \
  } variable = {.object = dlsym(RTLD_NEXT, name)}

static const char *
path_of(int fd, char path[4096])
{
  char name[64];
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  long len = syscall(SYS_readlink, name, path, 4095);
  path[len > 0 ? len : 0] = '\0';
  return path;
}

/* ---- opening, reading, writing ---- */

static int
open_at(int folder, const char *path, int flags, mode_t mode)
{
  if (is_hidden(path))
    return -1;
  bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT);
  if ((!how("create") || writes) && !how("bytes=") && strikes("open", path))
    return -1;
  return (int)syscall(SYS_openat, folder, path, flags, mode);
}

#define MODE_OF(flags, mode)                                                                                           \
  mode_t mode = 0;                                                                                                     \
  if ((flags) & (O_CREAT | O_TMPFILE)) {                                                                               \
    va_list list;                                                                                                      \
    va_start(list, flags);                                                                                             \
    mode = va_arg(list, mode_t);                                                                                       \
    va_end(list);                                                                                                      \
  }

int
open(const char *path, int flags, ...)
{
  MODE_OF(flags, mode)
  return open_at(AT_FDCWD, path, flags, mode);
}

int
open64(const char *path, int flags, ...)
{
  MODE_OF(flags, mode)
  return open_at(AT_FDCWD, path, flags, mode);
}

int
openat(int folder, const char *path, int flags, ...)
{
  MODE_OF(flags, mode)
  return open_at(folder, path, flags, mode);
}

ssize_t
read(int fd, void *data, size_t len)
{
  char path[4096];
  if (chosen("read") && strikes("read", path_of(fd, path)))
    return -1;
  return syscall(SYS_read, fd, data, len);
}

ssize_t
pread(int fd, void *data, size_t len, off_t at)
{
  char path[4096];
  if (chosen("read") && strikes("read", path_of(fd, path)))
    return -1;
  return syscall(SYS_pread64, fd, data, len, at);
}

/* How much of `len` may still be written before the disk is full. */
static size_t
room(size_t len)
{
  static size_t used;
  const char *text = getenv("KILN_SHIM_HOW");
  size_t limit = strtoul(text + strlen("bytes="), NULL, 10);
  size_t left = used < limit ? limit - used : 0;
  size_t part = len < left ? len : left;
  used += part;
  return part;
}

ssize_t
write(int fd, const void *data, size_t len)
{
  char path[4096];
  const char *part = getenv("KILN_SHIM_PATH");
  if (!chosen("write") || (part && *part && !strstr(path_of(fd, path), part)))
    return syscall(SYS_write, fd, data, len);
  if (how("bytes=")) {
    size_t fits = room(len);
    if (fits > 0 || len == 0)
      return syscall(SYS_write, fd, data, fits);
  }
  return strikes("write", path_of(fd, path)) ? -1 : syscall(SYS_write, fd, data, len);
}

int
fsync(int fd)
{
  char path[4096];
  return chosen("fsync") && strikes("fsync", path_of(fd, path)) ? -1 : (int)syscall(SYS_fsync, fd);
}

/* ---- names ---- */

/* A call that gives a file the name `target` has been carried out or is about to be. */
static bool
naming_strikes(const char *call, const char *target)
{
  if (!strikes(call, target))
    return false;
  if (how("hide")) {
    snprintf(hidden, sizeof hidden, "%s", target);
    errno = EEXIST;
  }
  return true;
}

/* `real` is what the kernel gets; "late" asks it first and lies about a success. */
#define NAMING(call, target, real)                                                                                     \
  if (how("late") && chosen(call)) {                                                                                   \
    long done = (real);                                                                                                \
    return done != 0 || naming_strikes(call, target) ? -1 : 0;                                                         \
  }                                                                                                                    \
  return naming_strikes(call, target) ? -1 : (int)(real);

int
link(const char *from, const char *to)
{
  NAMING("link", to, syscall(SYS_link, from, to))
}

int
linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
  NAMING("link", to, syscall(SYS_linkat, from_folder, from, to_folder, to, flags))
}

int
rename(const char *from, const char *to)
{
  NAMING("rename", to, syscall(SYS_rename, from, to))
}

int
renameat(int from_folder, const char *from, int to_folder, const char *to)
{
  NAMING("rename", to, syscall(SYS_renameat2, from_folder, from, to_folder, to, 0))
}

int
renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
  NAMING("rename", to, syscall(SYS_renameat2, from_folder, from, to_folder, to, flags))
}

int
mkdir(const char *path, mode_t mode)
{
  return strikes("mkdir", path) ? -1 : (int)syscall(SYS_mkdir, path, mode);
}

/* glibc's own makes the folder without passing through mkdir above. */
char *
mkdtemp(char *name)
{
  typedef char *mkdtemp_call(char *);
  NEXT(mkdtemp_call, real, "mkdtemp");
  return strikes("mkdir", name) ? NULL : real.function(name);
}

int
unlink(const char *path)
{
  return strikes("unlink", path) ? -1 : (int)syscall(SYS_unlink, path);
}

int
chmod(const char *path, mode_t mode)
{
  return strikes("chmod", path) ? -1 : (int)syscall(SYS_chmod, path, mode);
}

int
fchmod(int fd, mode_t mode)
{
  char path[4096];
  return chosen("chmod") && strikes("chmod", path_of(fd, path)) ? -1 : (int)syscall(SYS_fchmod, fd, mode);
}

int
utimensat(int folder, const char *path, const struct timespec times[2], int flags)
{
  return strikes("utime", path) ? -1 : (int)syscall(SYS_utimensat, folder, path, times, flags);
}

/* ---- asking ---- */

static int
look(int folder, const char *path, struct stat *status, int flags)
{
  if (is_hidden(path) || strikes("stat", path))
    return -1;
  return (int)syscall(SYS_newfstatat, folder, path, status, flags);
}

int
stat(const char *path, struct stat *status)
{
  return look(AT_FDCWD, path, status, 0);
}

int
lstat(const char *path, struct stat *status)
{
  return look(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}

int
fstat(int fd, struct stat *status)
{
  char path[4096];
  if (chosen("stat") && strikes("stat", path_of(fd, path)))
    return -1;
  return (int)syscall(SYS_fstat, fd, status);
}

int
statfs(const char *path, struct statfs *status)
{
  if (strikes("statfs", path)) {
    if (!how("nfs"))
      return -1;
    int result = (int)syscall(SYS_statfs, path, status);
    status->f_type = NFS_MAGIC;
    return result;
  }
  return (int)syscall(SYS_statfs, path, status);
}

/* ---- locks ---- */

int
fcntl(int fd, int command, ...)
{
  va_list list;
  va_start(list, command);
  void *argument = va_arg(list, void *);
  va_end(list);
  char path[4096];
  bool locks = command == F_OFD_SETLK || command == F_OFD_SETLKW || command == F_SETLK || command == F_SETLKW;
  if (locks && chosen("lock") && strikes("lock", path_of(fd, path)))
    return how("pretend") ? 0 : -1;
  return (int)syscall(SYS_fcntl, fd, command, argument);
}

int
fcntl64(int fd, int command, ...)
{
  va_list list;
  va_start(list, command);
  void *argument = va_arg(list, void *);
  va_end(list);
  return fcntl(fd, command, argument);
}

/* ---- code ---- */

/* The loader maps with calls of its own, so the refusal has two faces: dlopen fails, and so does a mapping by hand. */
void *
dlopen(const char *name, int flags)
{
  typedef void *dlopen_call(const char *, int);
  NEXT(dlopen_call, real, "dlopen");
  char path[4096] = "";
  int fd = name ? (int)syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC) : -1;
  if (fd >= 0) {
    path_of(fd, path);
    syscall(SYS_close, fd);
  }
  return strikes("map", path) ? NULL : real.function(name, flags);
}

void *
mmap(void *at, size_t len, int protection, int flags, int fd, off_t offset)
{
  char path[4096];
  if ((protection & PROT_EXEC) && fd >= 0 && chosen("map") && strikes("map", path_of(fd, path)))
    return MAP_FAILED;
  return (void *)syscall(SYS_mmap, at, len, protection, flags, fd, offset);
}

int
memfd_create(const char *name, unsigned flags)
{
  return strikes("memfd", name) ? -1 : (int)syscall(SYS_memfd_create, name, flags);
}

int
posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
  typedef int spawn_call(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
      char *const[], char *const[]);
  NEXT(spawn_call, real, "posix_spawn");
  return strikes("spawn", path) ? errno : real.function(pid, path, actions, attributes, argv, envp);
}
