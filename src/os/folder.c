#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "os/failure.h"
#include "os/file.h"
#include "os/stat.h"

#define REMOVE_PASSES 8

static bool
is_folder(const char *path)
{
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int
make_one(const char *path)
{
  if (mkdir(path, 0700) == 0)
    return 0;
  int failed = errno;
  return is_folder(path) ? 0 : failed;
}

enum kiln_status
kiln_folder_make(const char *path, struct kiln_error *error)
{
  char *partial = strdup(path);
  if (!partial)
    return kiln_failure_set(error, ENOMEM, "create", path);
  /* Mostly only the last one is missing; each needless mkdir takes the lock of a folder that others may use. */
  int failed = *path ? make_one(partial) : ENOENT;
  if (failed == ENOENT && *path) {
    failed = 0;
    for (char *slash = strchr(partial + (*path == '/'), '/'); slash && !failed; slash = strchr(slash + 1, '/')) {
      *slash = '\0';
      failed = make_one(partial);
      *slash = '/';
    }
    if (!failed)
      failed = make_one(partial);
  }
  free(partial);
  return failed ? kiln_failure_set(error, failed, "create the folder", path) : KILN_OK;
}

enum kiln_status
kiln_folder_make_new(const char *path, struct kiln_error *error)
{
  return mkdir(path, 0700) == 0 ? KILN_OK : kiln_failure_set(error, errno, "create the folder", path);
}

enum kiln_status
kiln_folder_make_private(const char *parent, const char *prefix, struct kiln_buf *path, struct kiln_error *error)
{
  struct kiln_buf pattern;
  kiln_buf_init(&pattern);
  kiln_text_join(&pattern, parent, prefix);
  kiln_buf_text_append(&pattern, "XXXXXX");
  int failed = 0;
  if (pattern.failed)
    failed = ENOMEM;
  else if (!mkdtemp(pattern.data))
    failed = errno;
  if (!failed) {
    kiln_buf_append(path, pattern.data, pattern.len);
    if (path->failed) {
      failed = ENOMEM;
      rmdir(pattern.data);
    }
  }
  kiln_buf_release(&pattern);
  return failed ? kiln_failure_set(error, failed, "create a private folder in", parent) : KILN_OK;
}

static int remove_entry(int parent, const char *name);

/* One pass over the content of an open folder but the entry `spared` (NULL: none); the first errno, 0 if none. */
static int
remove_content(DIR *stream, const char *spared)
{
  int failed = 0;
  rewinddir(stream);
  for (struct dirent *entry = readdir(stream); entry; entry = readdir(stream)) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
        (spared && strcmp(entry->d_name, spared) == 0))
      continue;
    int result = remove_entry(dirfd(stream), entry->d_name);
    if (result && !failed)
      failed = result;
  }
  return failed;
}

/* `last`: an entry of it that stays until nothing else is in it; NULL: none. */
static int
remove_folder(int parent, const char *name, const char *last)
{
  struct stat status;
  if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT ? 0 : errno;
  if ((status.st_mode & 0700) != 0700)
    (void)!fchmodat(parent, name, 0700, 0);
  int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return errno == ENOENT ? 0 : errno;
  DIR *stream = fdopendir(fd);
  if (!stream) {
    int failed = errno;
    close(fd);
    return failed;
  }
  /* Another pass when entries came or were passed over while the list was read. */
  int failed = ENOTEMPTY;
  for (int pass = 0; pass < REMOVE_PASSES && failed == ENOTEMPTY; pass++) {
    failed = last ? remove_content(stream, last) : 0;
    failed = failed ? failed : remove_content(stream, NULL);
    if (failed == 0 && unlinkat(parent, name, AT_REMOVEDIR) != 0 && errno != ENOENT)
      failed = errno == EEXIST ? ENOTEMPTY : errno;
  }
  closedir(stream);
  return failed;
}

static int
remove_entry(int parent, const char *name)
{
  if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
    return 0;
  int failed = errno;
  struct stat status;
  if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode))
    return remove_folder(parent, name, NULL);
  return failed;
}

enum kiln_status
kiln_folder_remove(const char *path, struct kiln_error *error)
{
  int failed = remove_entry(AT_FDCWD, path);
  return failed && failed != ENOTDIR ? kiln_failure_set(error, failed, "remove", path) : KILN_OK;
}

enum kiln_status
kiln_folder_remove_marked(const char *path, const char *last, struct kiln_error *error)
{
  int failed = remove_folder(AT_FDCWD, path, last);
  return failed ? kiln_failure_set(error, failed, "remove", path) : KILN_OK;
}

bool
kiln_folder_remove_empty(const char *path)
{
  return rmdir(path) == 0;
}

bool
kiln_folder_writable(const char *path)
{
  return faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0;
}

const char *
kiln_folder_temporary(void)
{
  const char *set = getenv("TMPDIR");
  return set && *set ? set : "/tmp";
}

struct walk {
  kiln_folder_visit *visit;
  void *context;
  struct kiln_buf path;
  int depth; /* 0: unlimited */
  int failed;
  struct kiln_buf failed_path;
};

static void
walk_fail(struct walk *walk, int failed)
{
  if (walk->failed || failed == 0)
    return;
  walk->failed = failed;
  kiln_buf_text_append(&walk->failed_path, kiln_buf_text(&walk->path));
}

/* Names in the folder, each with its NUL, into names. The folder is closed again before its content is visited, so that
 * a deep tree does not use up the descriptors. */
static int
list_names(const char *path, bool follow, struct kiln_buf *names)
{
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW));
  if (fd < 0)
    return errno;
  DIR *stream = fdopendir(fd);
  if (!stream) {
    int failed = errno;
    close(fd);
    return failed;
  }
  for (struct dirent *entry = readdir(stream); entry; entry = readdir(stream))
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      kiln_buf_append(names, entry->d_name, strlen(entry->d_name) + 1);
  closedir(stream);
  return names->failed ? ENOMEM : 0;
}

void
kiln_folder_names(const char *path, bool (*visit)(void *context, const char *name), void *context)
{
  struct kiln_buf names;
  kiln_buf_init(&names);
  (void)list_names(path, true, &names);
  for (size_t at = 0; at < names.len; at += strlen(names.data + at) + 1)
    if (!visit(context, names.data + at))
      break;
  kiln_buf_release(&names);
}

static void walk_folder(struct walk *walk, int level);

static void
walk_entry(struct walk *walk, const char *name, int level)
{
  size_t len = walk->path.len;
  if (len == 0 || walk->path.data[len - 1] != '/')
    kiln_buf_append(&walk->path, "/", 1);
  kiln_buf_text_append(&walk->path, name);
  struct stat status;
  if (walk->path.failed) {
    walk_fail(walk, ENOMEM);
  } else if (lstat(walk->path.data, &status) != 0) {
    walk_fail(walk, errno == ENOENT ? 0 : errno);
  } else {
    struct kiln_file_info info;
    kiln_stat_convert(&status, &info);
    bool enter = walk->visit(walk->context, walk->path.data, &info);
    if (enter && info.kind == KILN_FILE_FOLDER && (walk->depth == 0 || level < walk->depth))
      walk_folder(walk, level + 1);
  }
  walk->path.len = len;
  walk->path.data[len] = '\0';
}

static void
walk_folder(struct walk *walk, int level)
{
  struct kiln_buf names;
  kiln_buf_init(&names);
  int failed = list_names(walk->path.data, level == 1, &names);
  if (failed != ENOENT && !(level == 1 && failed == ENOTDIR))
    walk_fail(walk, failed);
  for (size_t at = 0; at < names.len; at += strlen(names.data + at) + 1)
    walk_entry(walk, names.data + at, level);
  kiln_buf_release(&names);
}

enum kiln_status
kiln_folder_walk(const char *path, int depth, kiln_folder_visit *visit, void *context, struct kiln_error *error)
{
  struct walk walk = {.visit = visit, .context = context, .depth = depth};
  kiln_buf_init(&walk.path);
  kiln_buf_init(&walk.failed_path);
  kiln_buf_text_append(&walk.path, path);
  if (walk.path.failed)
    walk_fail(&walk, ENOMEM);
  else if (walk.path.len > 0)
    walk_folder(&walk, 1);
  enum kiln_status status = KILN_OK;
  if (walk.failed)
    status = kiln_failure_set(error, walk.failed, "read", kiln_buf_text(&walk.failed_path));
  kiln_buf_release(&walk.path);
  kiln_buf_release(&walk.failed_path);
  return status;
}
