#include "probe/escape.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/text.h"
#include "os/file.h"
#include "os/path.h"
#include "os/process.h"
#include "os/user.h"
#include "probe/frameworks.h"

#define ESCAPE_CACHE_FOLDER ".cache/"

/* One artefact as it was seen last. */
struct seen {
  const char *path; /* in the arena */
  uint64_t mtime_ns, size, inode;
  const struct kiln_framework *framework;
};

/* One look at all places, sorted by path. */
struct look {
  struct kiln_arena arena;
  struct seen *items;
  size_t count, capacity;
  const struct kiln_framework *framework; /* of the folder that is being walked */
};

struct kiln_escape_watch {
  char *roots[3]; /* homes, and the user's own cache folder; NULL: none */
  struct look before, now;
};

enum { ROOT_HOME, ROOT_USER, ROOT_XDG };

static bool
look_visit(void *context, const char *path, const struct kiln_file_info *info)
{
  struct look *look = context;
  struct seen *item;
  if (info->kind != KILN_FILE_REGULAR || !kiln_framework_is_artefact(look->framework, kiln_text_base_name(path))) {
    return true;
  }
  if (!KILN_GROW(look->items, look->count, look->capacity)) {
    return true;
  }
  item = &look->items[look->count];
  item->path = kiln_arena_strdup(&look->arena, path);
  item->mtime_ns = info->mtime_ns;
  item->size = info->size;
  item->inode = info->inode;
  item->framework = look->framework;
  look->count += item->path ? 1 : 0;
  return true;
}

static int
seen_compare(const void *a, const void *b)
{
  return strcmp(((const struct seen *)a)->path, ((const struct seen *)b)->path);
}

/* "~/.cache/warp" is "$XDG_CACHE_HOME/warp" where that is set. */
static const char *
place_below(int root, const char *home)
{
  if (root != ROOT_XDG) {
    return home;
  }
  return kiln_text_starts(home, ESCAPE_CACHE_FOLDER) ? home + strlen(ESCAPE_CACHE_FOLDER) : NULL;
}

static void
look_take(struct look *look, char *const roots[3])
{
  struct kiln_buf path;
  int root;
  size_t i;
  kiln_buf_init(&path);
  for (root = 0; root < 3; root++) {
    for (i = 0; roots[root] && i < kiln_framework_count; i++) {
      const char *place = kiln_frameworks[i].home ? place_below(root, kiln_frameworks[i].home) : NULL;
      if (place) {
        look->framework = &kiln_frameworks[i];
        kiln_folder_walk(kiln_text_join(&path, roots[root], place), 0, look_visit, look, NULL);
      }
    }
  }
  kiln_buf_release(&path);
  if (look->count > 0) {
    qsort(look->items, look->count, sizeof *look->items, seen_compare);
  }
}

static void
look_init(struct look *look)
{
  memset(look, 0, sizeof *look);
  kiln_arena_init(&look->arena);
}

static void
look_release(struct look *look)
{
  free(look->items);
  kiln_arena_release(&look->arena);
}

/* The resolved spelling, so that one folder with two names is looked at once; NULL when it does not exist. */
static char *
root_resolve(const char *path)
{
  struct kiln_buf resolved;
  kiln_buf_init(&resolved);
  if (!path || !*path || !kiln_path_resolve(path, &resolved)) {
    kiln_buf_release(&resolved);
    return NULL;
  }
  return resolved.data;
}

/* Forget a root that is HOME, or a place below it, under another name. */
static void
root_drop_same(struct kiln_escape_watch *watch, int root, const char *below)
{
  struct kiln_buf path;
  const char *home = watch->roots[ROOT_HOME];
  kiln_buf_init(&path);
  kiln_buf_printf(&path, "%s%s", home ? home : "", below);
  if (home && kiln_text_equal(watch->roots[root], kiln_buf_text(&path))) {
    free(watch->roots[root]);
    watch->roots[root] = NULL;
  }
  kiln_buf_release(&path);
}

static void
roots_find(struct kiln_escape_watch *watch, const char *home)
{
  struct kiln_buf user;
  watch->roots[ROOT_HOME] = root_resolve(home ? home : kiln_environment_current("HOME"));
  if (home) {
    return;
  }
  watch->roots[ROOT_XDG] = root_resolve(kiln_environment_current("XDG_CACHE_HOME"));
  kiln_buf_init(&user);
  if (kiln_user_home(&user)) {
    watch->roots[ROOT_USER] = root_resolve(kiln_buf_text(&user));
  }
  kiln_buf_release(&user);
  root_drop_same(watch, ROOT_USER, "");
  root_drop_same(watch, ROOT_XDG, "/.cache");
}

struct kiln_escape_watch *
kiln_escape_watch_new(const char *home)
{
  struct kiln_escape_watch *watch = calloc(1, sizeof *watch);
  if (!watch) {
    return NULL;
  }
  look_init(&watch->before);
  look_init(&watch->now);
  roots_find(watch, home);
  look_take(&watch->before, watch->roots);
  return watch;
}

void
kiln_escape_watch_free(struct kiln_escape_watch *watch)
{
  size_t i;
  if (!watch) {
    return;
  }
  for (i = 0; i < sizeof watch->roots / sizeof *watch->roots; i++) {
    free(watch->roots[i]);
  }
  look_release(&watch->before);
  look_release(&watch->now);
  free(watch);
}

static bool
seen_changed(const struct look *before, const struct seen *item)
{
  const struct seen *old =
      before->count ? bsearch(item, before->items, before->count, sizeof *item, seen_compare) : NULL;
  return !old || old->mtime_ns != item->mtime_ns || old->size != item->size || old->inode != item->inode;
}

size_t
kiln_escape_watch_check(struct kiln_escape_watch *watch, const char **framework, const char **path)
{
  size_t i, changed = 0;
  look_release(&watch->now);
  look_init(&watch->now);
  look_take(&watch->now, watch->roots);
  for (i = 0; i < watch->now.count; i++) {
    if (seen_changed(&watch->before, &watch->now.items[i])) {
      if (changed++ == 0) {
        *framework = watch->now.items[i].framework->name;
        *path = watch->now.items[i].path;
      }
    }
  }
  return changed;
}
