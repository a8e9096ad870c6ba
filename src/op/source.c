#include "op/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "os/file.h"
#include "os/module.h"
#include "os/path.h"
#include "os/process.h"

#define MOST_TEXT ((size_t)4 << 20)
#define MOST_FILES 32
#define EMBEDDED "embedded"
#define SHARED "include"

/* ---- which folder ---- */

static char *
copy(const char *text)
{
  const size_t size = strlen(text) + 1;
  char *fresh = malloc(size);
  return fresh ? memcpy(fresh, text, size) : NULL;
}

static enum kiln_status
use(struct kiln_sources *sources, const char *folder, const char *origin, struct kiln_error *error)
{
  sources->folder = folder ? copy(folder) : NULL;
  sources->origin = copy(origin);
  if (!sources->origin || (folder && !sources->folder))
    return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the place of kernel sources");
  return KILN_OK;
}

static bool
is_kernels(const char *folder)
{
  struct kiln_buf path;
  kiln_buf_init(&path);
  const bool is = kiln_file_exists(kiln_text_join(&path, folder, SHARED "/kiln_cpu.h"));
  kiln_buf_release(&path);
  return is;
}

/* The first line of <build folder>/kiln-tree, when this library or program lies in bin/, lib/ or tests/ of one. */
static bool
tree_of_build(struct kiln_buf *folder)
{
  struct kiln_buf own, path, text;
  kiln_buf_init(&own);
  kiln_buf_init(&path);
  kiln_buf_init(&text);
  bool found = kiln_native_own_folder(&own);
  if (found) {
    kiln_text_join(&path, own.data, "../kiln-tree");
    found = kiln_file_read(path.data, 4096, &text, NULL) == KILN_OK;
  }
  if (found) {
    text.data[strcspn(text.data, "\n")] = '\0';
    kiln_text_join(folder, text.data, "kernels");
    found = is_kernels(kiln_buf_text(folder));
  }
  kiln_buf_release(&own);
  kiln_buf_release(&path);
  kiln_buf_release(&text);
  return found;
}

static const struct kiln_setting *
setting(const struct kiln *kiln)
{
  const struct kiln_setting *it;
  for (size_t i = 0; (it = kiln_setting_at(kiln, i)) != NULL; i++)
    if (strcmp(it->name, "kernels") == 0 && *it->value)
      return it;
  return NULL;
}

static enum kiln_status
use_setting(struct kiln_sources *sources, const struct kiln_setting *set, struct kiln_error *error)
{
  struct kiln_buf resolved;
  if (strcmp(set->value, EMBEDDED) == 0)
    return use(sources, NULL, set->source, error);
  kiln_buf_init(&resolved);
  enum kiln_status status = KILN_OK;
  if (kiln_path_resolve(set->value, &resolved) && is_kernels(kiln_buf_text(&resolved)))
    status = use(sources, kiln_buf_text(&resolved), set->source, error);
  else {
    status =
        kiln_error_set(error, KILN_ERROR_NOT_FOUND, "'%s' (%s) is no folder with kernels", set->value, set->source);
    kiln_error_advise(
        error, "Name the folder kernels/ of a source tree, or '" EMBEDDED "' for the copies inside kiln.");
  }
  kiln_buf_release(&resolved);
  return status;
}

enum kiln_status
kiln_sources_find(struct kiln *kiln, struct kiln_sources *sources, struct kiln_error *error)
{
  struct kiln_buf folder;
  *sources = (struct kiln_sources){NULL, NULL};
  const struct kiln_setting *set = kiln ? setting(kiln) : NULL;
  if (set)
    return use_setting(sources, set, error);
  kiln_buf_init(&folder);
  const bool in_tree = tree_of_build(&folder);
  const enum kiln_status status =
      use(sources, in_tree ? kiln_buf_text(&folder) : NULL, in_tree ? "build folder" : "library", error);
  kiln_buf_release(&folder);
  return status;
}

void
kiln_sources_release(struct kiln_sources *sources)
{
  free(sources->folder);
  free(sources->origin);
  *sources = (struct kiln_sources){NULL, NULL};
}

/* ---- texts ---- */

static const struct kiln_embedded_source *
embedded(const char *path)
{
  for (const struct kiln_embedded_source *it = kiln_embedded_sources; it->path; it++)
    if (strcmp(it->path, path) == 0)
      return it;
  return NULL;
}

static bool
is_there(const struct kiln_sources *sources, const char *path)
{
  struct kiln_buf full;
  if (!sources->folder)
    return embedded(path) != NULL;
  kiln_buf_init(&full);
  const bool there = kiln_file_exists(kiln_text_join(&full, sources->folder, path));
  kiln_buf_release(&full);
  return there;
}

enum kiln_status
kiln_sources_read(const struct kiln_sources *sources, const char *path, struct kiln_buf *text, struct kiln_error *error)
{
  struct kiln_buf full;
  if (!sources->folder) {
    const struct kiln_embedded_source *it = embedded(path);
    if (!it) {
      kiln_error_set(error, KILN_ERROR_NOT_FOUND, "this kiln has no copy of the kernel source '%s'", path);
      kiln_error_advise(error, "Build kiln again, or let KILN_KERNELS name the folder kernels/ of a source tree.");
      return KILN_ERROR_NOT_FOUND;
    }
    kiln_buf_append(text, it->text, it->len);
    return KILN_OK;
  }
  kiln_buf_init(&full);
  const enum kiln_status status = kiln_file_read(kiln_text_join(&full, sources->folder, path), MOST_TEXT, text, error);
  kiln_buf_release(&full);
  return status;
}

/* ---- a source with all that it includes ---- */

/* op.c was compiled with the params.h (or shared …params.h) of its time; a kernel with another would read nonsense. */
static enum kiln_status
check_params(
    const struct kiln_sources *sources, const char *path, const struct kiln_buf *text, struct kiln_error *error)
{
  const struct kiln_embedded_source *built = embedded(path);
  if (!sources->folder || !built || !kiln_text_ends(kiln_text_base_name(path), "params.h") ||
      (built->len == text->len && memcmp(built->text, kiln_buf_text(text), text->len) == 0))
    return KILN_OK;
  kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "kernels/%s changed since this kiln was built", path);
  kiln_error_advise(error, "Build kiln again: op.c, which fills that struct, is part of it.");
  return KILN_ERROR_ENVIRONMENT;
}

struct gather {
  const struct kiln_sources *sources;
  const char *folder;
  struct kiln_spec *spec;
  struct kiln_error *error;
  char names[MOST_FILES][64];
  size_t count;
};

static bool
known(const struct gather *gather, const char *name)
{
  for (size_t i = 0; i < gather->count; i++)
    if (strcmp(gather->names[i], name) == 0)
      return true;
  return false;
}

static enum kiln_status add_file(struct gather *gather, const char *name);

/* The name in `#include "name"` if the line is one. */
static bool
include_of(const char *line, char name[64])
{
  line += strspn(line, " \t");
  if (*line != '#')
    return false;
  line += 1 + strspn(line + 1, " \t");
  if (strncmp(line, "include", 7) != 0)
    return false;
  line += 7 + strspn(line + 7, " \t");
  const size_t len = *line == '"' ? strcspn(line + 1, "\"\n") : 0;
  if (len == 0 || len >= 64)
    return false;
  memcpy(name, line + 1, len);
  name[len] = '\0';
  return true;
}

static enum kiln_status
add_includes(struct gather *gather, const char *text)
{
  enum kiln_status status = KILN_OK;
  char name[64];
  for (const char *line = text; *line && status == KILN_OK;) {
    if (include_of(line, name) && !known(gather, name))
      status = add_file(gather, name);
    line += strcspn(line, "\n");
    line += *line == '\n';
  }
  return status;
}

/* What lies beside the source comes first, as a compiler would have it. */
static enum kiln_status
add_file(struct gather *gather, const char *name)
{
  struct kiln_buf path, text, marked;
  enum kiln_status status;
  if (gather->count == MOST_FILES)
    return kiln_error_set(
        gather->error, KILN_ERROR_ARGUMENT, "'%s' includes more than %d files", gather->folder, MOST_FILES);
  memcpy(gather->names[gather->count++], name, strlen(name) + 1);
  kiln_buf_init(&path);
  kiln_buf_init(&text);
  kiln_buf_init(&marked);
  if (!is_there(gather->sources, kiln_text_join(&path, gather->folder, name)))
    if (!is_there(gather->sources, kiln_text_join(&path, SHARED, name)))
      kiln_text_join(&path, gather->folder, name);
  status = kiln_sources_read(gather->sources, kiln_buf_text(&path), &text, gather->error);
  if (status == KILN_OK)
    status = check_params(gather->sources, kiln_buf_text(&path), &text, gather->error);
  if (status == KILN_OK) {
    kiln_buf_printf(&marked, "#line 1 \"kernels/%s\"\n", kiln_buf_text(&path));
    kiln_buf_append(&marked, kiln_buf_text(&text), text.len);
    status = marked.failed ? kiln_error_set(gather->error, KILN_ERROR_MEMORY, "memory is short for '%s'", name)
                           : kiln_spec_add_source(gather->spec, name, marked.data, marked.len, gather->error);
  }
  if (status == KILN_OK)
    status = add_includes(gather, kiln_buf_text(&text));
  kiln_buf_release(&path);
  kiln_buf_release(&text);
  kiln_buf_release(&marked);
  return status;
}

enum kiln_status
kiln_sources_add(const struct kiln_sources *sources, const char *folder, const char *file, struct kiln_spec *spec,
    struct kiln_error *error)
{
  struct gather gather = {.sources = sources, .folder = folder, .spec = spec, .error = error};
  if (strlen(file) >= sizeof gather.names[0])
    return kiln_error_set(error, KILN_ERROR_ARGUMENT, "the name '%s' is too long for a kernel source", file);
  return add_file(&gather, file);
}
