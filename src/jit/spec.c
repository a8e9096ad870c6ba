#include "jit/spec.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "jit/arch.h"
#include "jit/flags.h"
#include "jit/memo.h"
#include "registry/jit.h"

#define NAME_MAX_LEN 200
#define TEXT_MAX_LEN 4096
#define SOURCE_MAX_LEN ((size_t)64 << 20)
#define LIST_MAX 4096

static enum kiln_status
no_memory(struct kiln_error *error)
{
  return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for a spec");
}

static bool
is_word_char(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool
is_name(const char *text, const char *also)
{
  size_t len = strlen(text);
  for (size_t i = 0; i < len; i++)
    if (!is_word_char(text[i]) && !strchr(also, text[i]))
      return false;
  return len > 0 && len <= NAME_MAX_LEN;
}

/* C's own identifiers: not empty, no digit first. */
static bool
is_identifier(const char *text, size_t len)
{
  if (len == 0 || (text[0] >= '0' && text[0] <= '9'))
    return false;
  for (size_t i = 0; i < len; i++)
    if (!is_word_char(text[i]))
      return false;
  return true;
}

/* One argument of a command line: something, of bounded length, without control characters. */
static bool
is_argument(const char *text)
{
  size_t len = strlen(text);
  for (size_t i = 0; i < len; i++)
    if ((unsigned char)text[i] < ' ' || text[i] == 127)
      return false;
  return len > 0 && len <= TEXT_MAX_LEN;
}

/* Relative, without empty, "." or ".." components: stays inside the folder it is put into. */
static bool
is_relative_path(const char *path)
{
  if (!is_argument(path))
    return false;
  while (true) {
    size_t len = strcspn(path, "/");
    if (len == 0 || (len == 1 && path[0] == '.') || (len == 2 && path[0] == '.' && path[1] == '.'))
      return false;
    if (path[len] == '\0')
      return true;
    path += len + 1;
  }
}

static enum kiln_status
refuse(struct kiln_error *error, const char *what, const char *value, const char *advice)
{
  kiln_error_set(error, KILN_ERROR_ARGUMENT, "%s '%s' is not allowed", what, value ? value : "(null)");
  kiln_error_advise(error, "%s", advice);
  return KILN_ERROR_ARGUMENT;
}

/* ---- life ---- */

static enum kiln_status
check_toolchain(const char *toolchain, struct kiln_error *error)
{
  struct kiln_buf names;
  if (toolchain && kiln_toolchain_find(toolchain))
    return KILN_OK;
  kiln_buf_init(&names);
  for (size_t i = 0; kiln_toolchain_at(i); i++)
    kiln_buf_printf(&names, "%s%s", i ? ", " : "", kiln_toolchain_at(i)->name);
  kiln_error_set(
      error, KILN_ERROR_ARGUMENT, "toolchain '%s' does not exist in this library", toolchain ? toolchain : "(null)");
  kiln_error_advise(error, "Choose one of: %s.", kiln_buf_text(&names));
  kiln_buf_release(&names);
  return KILN_ERROR_ARGUMENT;
}

enum kiln_status
kiln_spec_new(const char *name, const char *toolchain, struct kiln_spec **spec, struct kiln_error *error)
{
  *spec = NULL;
  if (!name || !is_name(name, ".-"))
    return refuse(error, "spec name", name, "Use 1 to 200 characters of A-Z, a-z, 0-9, '.', '_' and '-'.");
  enum kiln_status status = check_toolchain(toolchain, error);
  if (status != KILN_OK)
    return status;
  struct kiln_spec *fresh = calloc(1, sizeof *fresh);
  if (!fresh)
    return no_memory(error);
  kiln_arena_init(&fresh->arena);
  atomic_init(&fresh->memos, NULL);
  fresh->name = kiln_arena_strdup(&fresh->arena, name);
  fresh->toolchain = kiln_arena_strdup(&fresh->arena, toolchain);
  if (fresh->arena.failed) {
    kiln_spec_free(fresh);
    return no_memory(error);
  }
  *spec = fresh;
  return KILN_OK;
}

void
kiln_spec_free(struct kiln_spec *spec)
{
  if (!spec)
    return;
  kiln_memo_forget(spec);
  free(spec->sources);
  free(spec->flags.items);
  free(spec->defines.items);
  free(spec->includes.items);
  free(spec->archs.items);
  free(spec->supports.items);
  free(spec->links.items);
  free(spec->entry_points.items);
  kiln_arena_release(&spec->arena);
  free(spec);
}

/* ---- sources ---- */

static enum kiln_status
add_source(struct kiln_spec *spec, const struct kiln_spec_source *source, struct kiln_error *error)
{
  for (size_t i = 0; i < spec->source_count; i++)
    if (strcmp(spec->sources[i].name, source->name) == 0) {
      kiln_error_set(error, KILN_ERROR_ARGUMENT, "spec '%s' has two sources called '%s'", spec->name, source->name);
      kiln_error_advise(error, "Give each source a name of its own; a file is called by its last component.");
      return KILN_ERROR_ARGUMENT;
    }
  if (spec->source_count >= LIST_MAX)
    return kiln_error_set(error, KILN_ERROR_ARGUMENT, "more than %d sources in spec '%s'", LIST_MAX, spec->name);
  if (!KILN_GROW(spec->sources, spec->source_count, spec->source_capacity))
    return no_memory(error);
  struct kiln_spec_source copy = {.name = kiln_arena_strdup(&spec->arena, source->name),
      .path = kiln_arena_strdup(&spec->arena, source->path),
      .text = source->path ? NULL : kiln_arena_copy(&spec->arena, source->text, source->len),
      .len = source->len};
  if (spec->arena.failed)
    return no_memory(error);
  spec->sources[spec->source_count++] = copy;
  kiln_memo_forget(spec);
  return KILN_OK;
}

enum kiln_status
kiln_spec_add_source(struct kiln_spec *spec, const char *name, const char *text, size_t len, struct kiln_error *error)
{
  if (!name || !is_relative_path(name))
    return refuse(error, "source name", name, "Use a relative path without '..', such as 'scale.c'.");
  if ((!text && len > 0) || len > SOURCE_MAX_LEN)
    return kiln_error_set(error, KILN_ERROR_ARGUMENT, "source '%s' of %zu bytes is not allowed", name, len);
  return add_source(spec, &(struct kiln_spec_source){.name = name, .text = text ? text : "", .len = len}, error);
}

enum kiln_status
kiln_spec_add_source_file(struct kiln_spec *spec, const char *path, struct kiln_error *error)
{
  const char *name = path ? kiln_text_base_name(path) : NULL;
  if (!path || strlen(path) > TEXT_MAX_LEN || !is_relative_path(name))
    return refuse(error, "source path", path, "Name a file.");
  return add_source(spec, &(struct kiln_spec_source){.name = name, .path = path}, error);
}

/* ---- lists ---- */

static enum kiln_status
add(struct kiln_spec *spec, struct kiln_text_list *list, const char *text, struct kiln_error *error)
{
  if (list->count >= LIST_MAX)
    return kiln_error_set(error, KILN_ERROR_ARGUMENT, "more than %d values in one list of spec '%s', the last is '%s'",
        LIST_MAX, spec->name, text);
  const char *copy = kiln_arena_strdup(&spec->arena, text);
  if (!copy || !KILN_GROW(list->items, list->count, list->capacity))
    return no_memory(error);
  list->items[list->count++] = copy;
  kiln_memo_forget(spec);
  return KILN_OK;
}

enum kiln_status
kiln_spec_add_flag(struct kiln_spec *spec, const char *flag, struct kiln_error *error)
{
  if (!flag || !is_argument(flag) || flag[0] != '-')
    return refuse(error, "flag", flag, "A flag is one argument that begins with '-'.");
  return kiln_flag_check(flag, error) ? add(spec, &spec->flags, flag, error) : KILN_ERROR_ARGUMENT;
}

enum kiln_status
kiln_spec_add_define(struct kiln_spec *spec, const char *define, struct kiln_error *error)
{
  if (!define || !is_argument(define) || !is_identifier(define, strcspn(define, "=")))
    return refuse(error, "define", define, "Write NAME or NAME=VALUE.");
  return add(spec, &spec->defines, define, error);
}

enum kiln_status
kiln_spec_add_include(struct kiln_spec *spec, const char *folder, struct kiln_error *error)
{
  if (!folder || !*folder || strlen(folder) > TEXT_MAX_LEN)
    return refuse(error, "include folder", folder, "Name a folder.");
  return add(spec, &spec->includes, folder, error);
}

enum kiln_status
kiln_spec_add_arch(struct kiln_spec *spec, const char *arch, struct kiln_error *error)
{
  if (!arch || !is_name(arch, ".+- ,;"))
    return refuse(error, "architecture", arch, "Use a name such as 'native', 'x86-64-v3' or '9.0a'.");
  return add(spec, &spec->archs, arch, error);
}

enum kiln_status
kiln_spec_add_support(struct kiln_spec *spec, const char *limit, struct kiln_error *error)
{
  struct kiln_arch_limit parsed;
  if (!limit)
    return refuse(error, "supported architecture", limit, "Use 9.0, 9.0a, 10.0f, 9.x or 8.0+.");
  enum kiln_status status = kiln_arch_limit_parse(limit, &parsed, error);
  return status == KILN_OK ? add(spec, &spec->supports, limit, error) : status;
}

enum kiln_status
kiln_spec_add_link(struct kiln_spec *spec, const char *flag, struct kiln_error *error)
{
  if (!flag || !is_argument(flag))
    return refuse(error, "link flag", flag, "A link flag is one argument such as '-lm'.");
  return kiln_flag_check(flag, error) ? add(spec, &spec->links, flag, error) : KILN_ERROR_ARGUMENT;
}

enum kiln_status
kiln_spec_add_entry_point(struct kiln_spec *spec, const char *symbol, struct kiln_error *error)
{
  if (!symbol || strlen(symbol) > TEXT_MAX_LEN || !is_identifier(symbol, strlen(symbol)))
    return refuse(error, "entry point", symbol, "Use the name of a function as C writes it.");
  return add(spec, &spec->entry_points, symbol, error);
}
