/*
 * The two levels of a key. Request: what is known before the compiler runs; it names the record of dependencies. Entry:
 * request, toolchain identity and the content of every dependency. In neither: paths, times, the spec's name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "jit/build.h"
#include "os/file.h"
#include "os/path.h"
#include "registry/jit.h"

#define SOURCE_MAX_LEN ((size_t)64 << 20)

static enum kiln_status
no_memory(const struct kiln_spec *spec, struct kiln_error *error)
{
  return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the key of '%s'", spec->name);
}

/* ---- sources ---- */

static enum kiln_status
read_source(const struct kiln_spec_source *source, struct kiln_plan *plan, struct kiln_error *error)
{
  struct kiln_buf *text = &plan->texts[plan->text_count++];
  kiln_buf_init(text);
  if (!source->path) {
    kiln_buf_append(text, source->text, source->len);
    return KILN_OK;
  }
  /* Looked at first: a change during the reading is then seen the next time. */
  struct kiln_memo_file *file = &plan->files[plan->file_count];
  const bool seen = kiln_memo_file_look(file, source->path);
  enum kiln_status status = kiln_file_read(source->path, SOURCE_MAX_LEN, text, error);
  if (status == KILN_OK && seen)
    plan->file_count++;
  return status;
}

static enum kiln_status
read_sources(const struct kiln_spec *spec, struct kiln_plan *plan, struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  plan->texts = calloc(spec->source_count + 1, sizeof *plan->texts);
  plan->files = calloc(spec->source_count + 1, sizeof *plan->files);
  if (!plan->texts || !plan->files)
    return no_memory(spec, error);
  for (size_t i = 0; i < spec->source_count && status == KILN_OK; i++) {
    status = read_source(&spec->sources[i], plan, error);
    if (status == KILN_OK && plan->texts[i].failed)
      status = no_memory(spec, error);
  }
  return status;
}

/* ---- roots ---- */

static char *
copy_of(const struct kiln_buf *buf)
{
  char *copy = buf->failed ? NULL : malloc(buf->len + 1);
  return copy ? memcpy(copy, kiln_buf_text(buf), buf->len + 1) : NULL;
}

static enum kiln_status
add_root(const struct kiln_spec *spec, struct kiln_plan *plan, const char *folder, struct kiln_error *error)
{
  struct kiln_buf path;
  kiln_buf_init(&path);
  if (*folder && !kiln_path_resolve(folder, &path)) {
    kiln_buf_release(&path);
    kiln_error_set(
        error, KILN_ERROR_NOT_FOUND, "folder '%s', which spec '%s' names, does not exist", folder, spec->name);
    kiln_error_advise(error, "Check the include folders of the spec.");
    return KILN_ERROR_NOT_FOUND;
  }
  char *copy = copy_of(&path);
  kiln_buf_release(&path);
  if (!copy)
    return no_memory(spec, error);
  plan->roots[plan->root_count++] = copy;
  return KILN_OK;
}

static enum kiln_status
add_source_root(const struct kiln_spec *spec, struct kiln_plan *plan, const char *path, struct kiln_error *error)
{
  struct kiln_buf folder;
  kiln_buf_init(&folder);
  const size_t len = path ? (size_t)(kiln_text_base_name(path) - path) : 0;
  if (path && len == 0)
    kiln_buf_text_append(&folder, ".");
  else if (path)
    kiln_buf_append(&folder, path, len);
  enum kiln_status status =
      folder.failed ? no_memory(spec, error) : add_root(spec, plan, kiln_buf_text(&folder), error);
  kiln_buf_release(&folder);
  return status;
}

static enum kiln_status
find_roots(const struct kiln_spec *spec, struct kiln_plan *plan, struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  plan->roots = calloc(spec->includes.count + spec->source_count + 1, sizeof *plan->roots);
  if (!plan->roots)
    return no_memory(spec, error);
  for (size_t i = 0; i < spec->includes.count && status == KILN_OK; i++)
    status = add_root(spec, plan, spec->includes.items[i], error);
  for (size_t i = 0; i < spec->source_count && status == KILN_OK; i++)
    status = add_source_root(spec, plan, spec->sources[i].path, error);
  return status;
}

/* ---- the request ---- */

static void
add_list(struct kiln_key *key, const char *tag, const struct kiln_text_list *list)
{
  for (size_t i = 0; i < list->count; i++)
    kiln_key_add(key, tag, list->items[i]);
}

static void
add_sources(const struct kiln_spec *spec, struct kiln_plan *plan)
{
  struct kiln_buf tag;
  kiln_buf_init(&tag);
  for (size_t i = 0; i < spec->source_count; i++) {
    const struct kiln_digest content = kiln_digest_of(kiln_buf_text(&plan->texts[i]), plan->texts[i].len);
    kiln_buf_clear(&tag);
    kiln_buf_printf(&tag, "source %s", spec->sources[i].name);
    kiln_key_add_digest(&plan->key, kiln_buf_text(&tag), &content);
  }
  plan->key.failed = plan->key.failed || tag.failed;
  kiln_buf_release(&tag);
}

static enum kiln_status
add_request(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_plan *plan, struct kiln_error *error)
{
  struct kiln_key *key = &plan->key;
  char count[24];
  kiln_key_add(key, "toolchain", plan->toolchain->name);
  kiln_key_add(key, "debug", kiln->options.debug == KILN_ON ? "on" : "off");
  enum kiln_status status = plan->toolchain->target(kiln, spec, key, error);
  if (status != KILN_OK)
    return status;
  add_sources(spec, plan);
  add_list(key, "flag", &spec->flags);
  add_list(key, "define", &spec->defines);
  snprintf(count, sizeof count, "%zu", spec->includes.count);
  kiln_key_add(key, "includes", count);
  if (plan->toolchain->device == &kiln_device_cpu) /* GPU toolchains put the architectures they mean into "target" */
    add_list(key, "arch", &spec->archs);
  add_list(key, "link", &spec->links);
  add_list(key, "entry point", &spec->entry_points);
  plan->request = kiln_key_digest(key);
  plan->request_fields = key->count;
  plan->request_hasher = key->hasher;
  return key->failed ? no_memory(spec, error) : KILN_OK;
}

static enum kiln_status
check_spec(const struct kiln_spec *spec, struct kiln_plan *plan, struct kiln_error *error)
{
  plan->toolchain = kiln_toolchain_find(spec->toolchain);
  if (!plan->toolchain)
    return kiln_error_set(error, KILN_ERROR_ARGUMENT, "toolchain '%s' does not exist", spec->toolchain);
  if (spec->entry_points.count == 0 || spec->source_count == 0) {
    kiln_error_set(error, KILN_ERROR_ARGUMENT, "spec '%s' has no %s", spec->name,
        spec->source_count == 0 ? "source" : "entry point");
    kiln_error_advise(error, "Add at least one source and one entry point.");
    return KILN_ERROR_ARGUMENT;
  }
  return plan->toolchain->check(spec, error);
}

enum kiln_status
kiln_plan_begin(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_plan *plan, struct kiln_error *error)
{
  memset(plan, 0, sizeof *plan);
  kiln_key_init(&plan->key);
  kiln_buf_init(&plan->toolchain_text);
  kiln_request_record_init(&plan->record);
  enum kiln_status status = check_spec(spec, plan, error);
  if (status == KILN_OK)
    status = read_sources(spec, plan, error);
  if (status == KILN_OK)
    status = find_roots(spec, plan, error);
  if (status == KILN_OK)
    status = add_request(kiln, spec, plan, error);
  if (status == KILN_OK)
    kiln_memo_keep(kiln, spec, &plan->request, plan->files, plan->file_count);
  else
    kiln_plan_release(plan);
  return status;
}

void
kiln_plan_release(struct kiln_plan *plan)
{
  for (size_t i = 0; i < plan->text_count; i++)
    kiln_buf_release(&plan->texts[i]);
  for (size_t i = 0; i < plan->root_count; i++)
    free(plan->roots[i]);
  free(plan->texts);
  free(plan->files);
  free(plan->roots);
  kiln_key_release(&plan->key);
  kiln_buf_release(&plan->toolchain_text);
  kiln_request_record_release(&plan->record);
  memset(plan, 0, sizeof *plan);
}

/* ---- the entry ---- */

/* System headers are known by their name and content: where a toolkit is installed is no input. */
static void
add_dependency(struct kiln_plan *plan, const struct kiln_dependency *dependency, struct kiln_buf *tag)
{
  kiln_buf_clear(tag);
  if (dependency->root == KILN_ROOT_SYSTEM)
    kiln_buf_printf(tag, "system %s", kiln_text_base_name(dependency->path));
  else
    kiln_buf_printf(tag, "root %d %s", dependency->root, dependency->path);
  kiln_key_add_digest(&plan->key, kiln_buf_text(tag), &dependency->content);
}

static void
forget_entry(struct kiln_plan *plan)
{
  while (plan->key.count > plan->request_fields) {
    struct kiln_key_field *field = &plan->key.fields[--plan->key.count];
    free(field->tag);
    free(field->value);
  }
  plan->key.hasher = plan->request_hasher;
  plan->entry_known = false;
}

enum kiln_status
kiln_plan_set_entry(struct kiln_plan *plan, const struct kiln_request_record *record, struct kiln_error *error)
{
  struct kiln_buf tag;
  kiln_buf_init(&tag);
  forget_entry(plan);
  kiln_key_add_digest(&plan->key, "toolchain identity", &plan->identity);
  for (size_t i = 0; i < record->count; i++)
    if (!kiln_dependency_is_absence(&record->dependencies[i]))
      add_dependency(plan, &record->dependencies[i], &tag);
  plan->entry = kiln_key_digest(&plan->key);
  const bool failed = plan->key.failed || tag.failed;
  kiln_buf_release(&tag);
  return failed ? kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for a key") : KILN_OK;
}

static enum kiln_status
find_identity(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_plan *plan, struct kiln_error *error)
{
  if (plan->identity_known)
    return KILN_OK;
  if (kiln->options.jit == KILN_OFF) {
    kiln_error_set(&plan->no_toolchain, KILN_ERROR_NOT_FOUND, "compiling is switched off (KILN_JIT=off)");
    kiln_error_advise(&plan->no_toolchain, "Build the entry ahead of time, or unset KILN_JIT.");
    return KILN_OK;
  }
  kiln_buf_clear(&plan->toolchain_text);
  enum kiln_status status =
      plan->toolchain->identity(kiln, spec, &plan->identity, &plan->toolchain_text, &plan->no_toolchain);
  plan->identity_known = status == KILN_OK;
  if (status == KILN_OK || status == KILN_ERROR_NOT_FOUND)
    return KILN_OK;
  if (error)
    *error = plan->no_toolchain;
  return status;
}

/* Sum of what a record says about its files' places in time; differs when one moved. */
static uint64_t
moment_of(const struct kiln_request_record *record)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < record->count; i++) {
    const struct kiln_dependency *at = &record->dependencies[i];
    sum = (sum ^ at->size ^ at->inode << 20 ^ at->mtime_ns) * UINT64_C(0x9e3779b97f4a7c15) + 1;
  }
  return sum;
}

/* The record of this request, as the files are now. A file that is gone is a miss. */
static bool
find_record(struct kiln *kiln, struct kiln_plan *plan)
{
  struct kiln_digest used;
  bool changed = false;
  kiln_request_record_release(&plan->record);
  kiln_request_record_init(&plan->record);
  plan->identity_recorded = false;
  if (!kiln->store || kiln_request_read(kiln->store, &plan->request, plan->identity_known ? &plan->identity : NULL,
                          &plan->record, &used, NULL) != KILN_OK)
    return false;
  const uint64_t before = moment_of(&plan->record);
  enum kiln_status (*const refresh)(struct kiln_request_record *, const char *const *, size_t, bool *,
      struct kiln_error *) = plan->identity_known ? kiln_request_refresh : kiln_request_refresh_foreign;
  if (refresh(&plan->record, (const char *const *)plan->roots, plan->root_count, &changed, NULL) != KILN_OK)
    return false;
  plan->record_moved = moment_of(&plan->record) != before && !changed;
  if (!plan->identity_known) {
    plan->identity = used;
    plan->identity_recorded = true;
  }
  return true;
}

enum kiln_status
kiln_plan_complete(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_plan *plan, struct kiln_error *error)
{
  enum kiln_status status = find_identity(kiln, spec, plan, error);
  forget_entry(plan);
  if (status != KILN_OK || !find_record(kiln, plan))
    return status;
  status = kiln_plan_set_entry(plan, &plan->record, error);
  plan->entry_known = status == KILN_OK;
  return status;
}

enum kiln_status
kiln_plan_init(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_plan *plan, struct kiln_error *error)
{
  enum kiln_status status = kiln_plan_begin(kiln, spec, plan, error);
  if (status != KILN_OK)
    return status;
  status = kiln_plan_complete(kiln, spec, plan, error);
  if (status != KILN_OK)
    kiln_plan_release(plan);
  return status;
}
