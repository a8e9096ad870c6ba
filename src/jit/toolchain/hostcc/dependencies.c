/* From the files that the compiler read to dependencies: root and place below it, content and time. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "jit/content.h"
#include "jit/toolchain/hostcc/hostcc.h"
#include "os/clock.h"
#include "os/file.h"

#define MOST_DEPFILE ((size_t)64 << 20)
#define MOST_ABSENCES 1024 /* each costs a warm start half a microsecond */

struct collect {
  struct kiln_content_cache *contents;
  const struct kiln_build_input *input;
  struct kiln_build_output *output;
  uint64_t begin_ns;
  struct kiln_buf path;
};

/* "a/./b//c/../d" as "a/b/d"; purely by spelling. */
static void
shorten(const char *path, struct kiln_buf *out)
{
  kiln_buf_clear(out);
  while (*path) {
    const size_t len = strcspn(path, "/");
    if (len == 2 && path[0] == '.' && path[1] == '.') {
      char *slash = out->len > 0 ? strrchr(out->data, '/') : NULL;
      if (slash)
        out->data[out->len = (size_t)(slash - out->data)] = '\0';
    } else if (len > 0 && !(len == 1 && path[0] == '.')) {
      kiln_buf_text_append(out, "/");
      kiln_buf_append(out, path, len);
    }
    path += len + (path[len] == '/');
  }
}

/* One spelling for one file, if the shorter one really is the same file (folders may be links). */
static const char *
canonical(struct collect *collect, const char *path, const struct kiln_file_info *info)
{
  struct kiln_file_info other;
  shorten(path, &collect->path);
  const char *shorter = kiln_buf_text(&collect->path);
  if (strcmp(shorter, path) == 0)
    return path;
  const bool same = path[0] == '/' && !collect->path.failed &&
                    kiln_file_target_info(shorter, &other, NULL) == KILN_OK && other.inode == info->inode &&
                    other.device == info->device;
  return same ? shorter : path;
}

/* The deepest root that holds the path, by spelling; *relative points into path. */
static int
root_of(const struct kiln_build_input *input, const char *path, const char **relative)
{
  int root = KILN_ROOT_SYSTEM;
  size_t longest = 0;
  for (size_t i = 0; i < input->root_count; i++) {
    const size_t len = strlen(input->roots[i]);
    if (len > longest && strncmp(path, input->roots[i], len) == 0 && path[len] == '/') {
      root = (int)i;
      longest = len;
    }
  }
  *relative = root == KILN_ROOT_SYSTEM ? path : path + longest + 1;
  while (root != KILN_ROOT_SYSTEM && **relative == '/')
    (*relative)++;
  return root;
}

static bool
is_there(const struct kiln_request_record *record, int root, const char *relative)
{
  for (size_t i = 0; i < record->count; i++)
    if (record->dependencies[i].root == root && strcmp(record->dependencies[i].path, relative) == 0)
      return true;
  return false;
}

static bool
add(struct collect *collect, int root, const char *relative, const struct kiln_file_info *info, const char *path)
{
  struct kiln_request_record *record = &collect->output->dependencies;
  struct kiln_digest content;
  if (is_there(record, root, relative))
    return true;
  if (kiln_content_digest(collect->contents, path, info, &content, NULL) != KILN_OK) {
    collect->output->unstable = true;
    return true;
  }
  const size_t len = strlen(relative);
  char *copy = malloc(len + 1);
  if (!copy || !KILN_GROW(record->dependencies, record->count, record->capacity)) {
    free(copy);
    return false;
  }
  memcpy(copy, relative, len + 1);
  record->dependencies[record->count++] =
      (struct kiln_dependency){root, copy, info->size, info->inode, info->mtime_ns, content};
  return true;
}

static bool
is_own_name(const struct kiln_build_input *input, const char *path)
{
  for (size_t i = 0; input->own_names && i < input->spec->source_count; i++)
    if (kiln_text_equal(path, input->spec->sources[i].path))
      return true;
  return input->own_names && path[0] != '/';
}

/* The sources themselves and what the build made are no dependencies. */
static bool
visit(void *context, const char *path, size_t len)
{
  struct collect *collect = context;
  struct kiln_file_info info;
  const char *relative;
  (void)len;
  if (kiln_text_path_within(path, collect->input->folder) || is_own_name(collect->input, path))
    return true;
  if (kiln_file_target_info(path, &info, NULL) != KILN_OK) {
    collect->output->unstable = true; /* gone already, or a name that was not understood */
    return true;
  }
  /* A time in the future is a wrong clock and says nothing. */
  if (info.mtime_ns >= collect->begin_ns && info.mtime_ns <= kiln_clock_real())
    collect->output->unstable = true;
  int root = root_of(collect->input, path, &relative);
  if (root == KILN_ROOT_SYSTEM) {
    path = canonical(collect, path, &info);
    root = root_of(collect->input, path, &relative);
  }
  return add(collect, root, relative, &info, path);
}

/* ---- where else a header could have been found ---- */

/* The name by which a system header may have been included: what follows the last "/include/", without the folder of
 * one processor ("x86_64-linux-gnu/bits/types.h"). NULL when the path tells nothing. */
static const char *
included_name(const char *path)
{
  const char *name = NULL;
  for (const char *at = path; (at = strstr(at, "/include/")) != NULL; at++)
    name = at + strlen("/include/");
  const size_t len = name ? strcspn(name, "/") : 0;
  if (name && name[len] == '/' && len > 4 && strncmp(name + len - 4, "-gnu", 4) == 0)
    name += len + 1;
  return name && *name ? name : NULL;
}

/* A file that appears there would be taken instead: it being absent is a dependency. */
static bool
add_absence(struct collect *collect, int root, const char *name, size_t *left)
{
  struct kiln_request_record *record = &collect->output->dependencies;
  const char *folder = collect->input->roots[root];
  kiln_text_join(&collect->path, folder, name);
  if (*left == 0 || !*folder || collect->path.failed || kiln_file_exists(kiln_buf_text(&collect->path)) ||
      is_there(record, root, name))
    return true;
  const size_t size = strlen(name) + 1;
  char *copy = malloc(size);
  if (!copy || !KILN_GROW(record->dependencies, record->count, record->capacity)) {
    free(copy);
    return false;
  }
  record->dependencies[record->count++] = (struct kiln_dependency){.root = root, .path = memcpy(copy, name, size)};
  (*left)--;
  return true;
}

/* Roots are the include folders in the order in which they are searched, then the folders of sources, which quoted
 * names are looked for in first. */
static bool
add_absences(struct collect *collect)
{
  const int includes = (int)collect->input->spec->includes.count, roots = (int)collect->input->root_count;
  const size_t found = collect->output->dependencies.count;
  size_t left = MOST_ABSENCES;
  for (size_t i = 0; i < found; i++) {
    const struct kiln_dependency one = collect->output->dependencies.dependencies[i];
    if (kiln_dependency_is_absence(&one))
      continue; /* of an earlier source */
    const bool of_source = one.root >= includes;
    const int before = of_source ? 0 : one.root == KILN_ROOT_SYSTEM ? includes : one.root;
    const char *name = one.root == KILN_ROOT_SYSTEM ? included_name(one.path) : one.path;
    for (int root = 0; name && root < roots; root++)
      if ((root < before || (root >= includes && (!of_source || root < one.root))) &&
          !add_absence(collect, root, name, &left))
        return false;
  }
  return true;
}

enum kiln_status
kiln_hostcc_dependencies(struct kiln *kiln, const struct kiln_build_input *input, const char *depfile,
    uint64_t begin_ns, struct kiln_build_output *output, struct kiln_error *error)
{
  struct collect collect = {.contents = kiln->contents, .input = input, .output = output, .begin_ns = begin_ns};
  struct kiln_buf text;
  if (!kiln_file_exists(depfile))
    return KILN_OK;
  const char **known = calloc(input->root_count + 1, sizeof *known);
  if (!known)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the dependencies of a build");
  known[0] = input->folder;
  for (size_t i = 0; i < input->root_count; i++)
    known[i + 1] = input->roots[i];
  kiln_buf_init(&text);
  kiln_buf_init(&collect.path);
  enum kiln_status status = kiln_file_read(depfile, MOST_DEPFILE, &text, error);
  if (status == KILN_OK)
    status = kiln_depfile_read(&text, known, input->root_count + 1, visit, &collect, error);
  if (status == KILN_OK && !add_absences(&collect))
    status = kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the dependencies of a build");
  kiln_buf_release(&text);
  kiln_buf_release(&collect.path);
  free(known);
  return status;
}
