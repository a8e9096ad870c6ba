/*
 * A build folder:
 *
 *   src/<name>     every source, as it was hashed
 *   tmp/           TMPDIR of the compiler
 *   entry          the sealed entry; linked into the store, so that it appears there at once and whole
 *   everything else is the toolchain's
 */
#include "jit/produce.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "jit/budget.h"
#include "jit/events.h"
#include "jit/identity.h"
#include "jit/manifest.h"
#include "jit/need.h"
#include "os/clock.h"
#include "os/file.h"
#include "store/evict.h"
#include "store/place.h"
#include "store/workspace.h"

#define SECOND UINT64_C(1000000000)
#define REFRESH_NS SECOND

struct attempt {
  struct kiln *kiln;
  const struct kiln_spec *spec;
  struct kiln_plan *plan;
  struct kiln_key_lock *lock;
  struct kiln_workspace workspace;
  bool in_store; /* the workspace is the store's; else a folder that is simply removed */
  struct kiln_build_input input;
  char **source_paths;
  struct kiln_build_output output;
  struct kiln_share share; /* of the budget of this host */
  const char *phase;
  uint64_t begin_ns, refreshed_ns;
};

static enum kiln_status
no_memory(const struct attempt *attempt, struct kiln_error *error)
{
  return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for building '%s'", attempt->spec->name);
}

/* ---- the folder ---- */

static char *
copy_text(const char *text)
{
  const size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  return copy ? memcpy(copy, text, size) : NULL;
}

static enum kiln_status
make_folder(struct attempt *attempt, struct kiln_error *error)
{
  struct kiln_buf path;
  if (attempt->kiln->store) {
    enum kiln_status status = kiln_workspace_new(attempt->kiln->store, &attempt->workspace, error);
    attempt->in_store = status == KILN_OK;
    return status;
  }
  kiln_buf_init(&path);
  enum kiln_status status = kiln_folder_make_private(kiln_folder_temporary(), "kiln-build-", &path, error);
  if (status == KILN_OK) {
    attempt->workspace = (struct kiln_workspace){.folder = copy_text(kiln_buf_text(&path)), .lock = -1};
    if (!attempt->workspace.folder)
      status = no_memory(attempt, error);
  }
  kiln_buf_release(&path);
  return status;
}

/* <workspace>/<name>-<first digits of the key>, where kept files go. */
static const char *
keep_place(const struct attempt *attempt, struct kiln_buf *place)
{
  char hex[KILN_DIGEST_HEX];
  const struct kiln *kiln = attempt->kiln;
  const struct kiln_plan *plan = attempt->plan;
  if (kiln->options.keep != KILN_ON || !kiln->options.workspace)
    return NULL;
  kiln_digest_hex(plan->entry_known ? &plan->entry : &plan->request, hex);
  hex[16] = '\0';
  kiln_buf_printf(place, "%s/%s-%s", kiln->options.workspace, attempt->spec->name, hex);
  if (place->failed || kiln_folder_make(kiln->options.workspace, NULL) != KILN_OK)
    return NULL;
  kiln_folder_remove(kiln_buf_text(place), NULL);
  return kiln_buf_text(place);
}

static void
leave_folder(struct attempt *attempt)
{
  struct kiln_buf place;
  if (!attempt->workspace.folder)
    return;
  kiln_buf_init(&place);
  const char *keep = keep_place(attempt, &place);
  if (attempt->in_store) {
    kiln_workspace_release(&attempt->workspace, keep);
    if (keep)
      kiln_log(attempt->kiln, KILN_LOG_INFO, "the files of building '%s' are kept in '%s'", attempt->spec->name, keep);
  } else {
    if (attempt->kiln->options.keep == KILN_ON)
      kiln_log(attempt->kiln, KILN_LOG_INFO, "the files of building '%s' are kept in '%s'", attempt->spec->name,
          attempt->workspace.folder);
    else
      kiln_folder_remove(attempt->workspace.folder, NULL);
    free(attempt->workspace.folder);
  }
  kiln_buf_release(&place);
}

/* ---- sources ---- */

static enum kiln_status
write_file(const char *path, const void *data, size_t len, struct kiln_error *error)
{
  const int fd = kiln_fd_open(path, KILN_OPEN_WRITE | KILN_OPEN_CREATE | KILN_OPEN_NEW);
  if (fd < 0)
    return kiln_file_write(path, data, len, error); /* says why */
  const bool good = kiln_fd_write(fd, data, len);
  kiln_fd_close(fd);
  return good ? KILN_OK : kiln_file_write(path, data, len, error);
}

static enum kiln_status
write_source(struct attempt *attempt, size_t i, struct kiln_error *error)
{
  struct kiln_buf path, folder;
  const struct kiln_buf *text = &attempt->plan->texts[i];
  kiln_buf_init(&path);
  kiln_buf_init(&folder);
  kiln_buf_printf(&path, "%s/src/%s", attempt->workspace.folder, attempt->spec->sources[i].name);
  const char *name = path.failed ? "" : kiln_text_base_name(kiln_buf_text(&path));
  kiln_buf_append(&folder, kiln_buf_text(&path), (size_t)(name - kiln_buf_text(&path)));
  enum kiln_status status = path.failed ? no_memory(attempt, error) : kiln_folder_make(kiln_buf_text(&folder), error);
  if (status == KILN_OK)
    status = write_file(kiln_buf_text(&path), kiln_buf_text(text), text->len, error);
  attempt->source_paths[i] = status == KILN_OK ? copy_text(kiln_buf_text(&path)) : NULL;
  if (status == KILN_OK && !attempt->source_paths[i])
    status = no_memory(attempt, error);
  kiln_buf_release(&path);
  kiln_buf_release(&folder);
  return status;
}

static enum kiln_status
prepare(struct attempt *attempt, struct kiln_error *error)
{
  const size_t count = attempt->spec->source_count;
  attempt->source_paths = calloc(count + 1, sizeof *attempt->source_paths);
  enum kiln_status status = attempt->source_paths ? make_folder(attempt, error) : no_memory(attempt, error);
  const bool written = !attempt->plan->toolchain->takes_texts || attempt->kiln->options.keep == KILN_ON;
  for (size_t i = 0; written && attempt->source_paths && i < count && status == KILN_OK; i++)
    status = write_source(attempt, i, error);
  attempt->input = (struct kiln_build_input){.spec = attempt->spec,
      .folder = attempt->workspace.folder,
      .source_paths = (const char *const *)attempt->source_paths,
      .texts = attempt->plan->texts,
      .roots = (const char *const *)attempt->plan->roots,
      .root_count = attempt->plan->root_count};
  return status;
}

/* ---- the compiler ---- */

static void
tick(void *context)
{
  struct attempt *attempt = context;
  char hex[KILN_DIGEST_HEX];
  const uint64_t now = kiln_clock_now();
  if (now - attempt->refreshed_ns < REFRESH_NS)
    return;
  attempt->refreshed_ns = now;
  if (attempt->lock)
    kiln_key_lock_refresh(attempt->lock);
  kiln_budget_refresh(&attempt->share);
  kiln_digest_hex(&attempt->plan->request, hex);
  const struct kiln_build_progress progress = {.name = attempt->spec->name,
      .key = hex,
      .phase = attempt->phase,
      .elapsed_s = (double)(now - attempt->begin_ns) / (double)SECOND};
  kiln_progress(attempt->kiln, &progress);
}

/* The toolchain as it is at this moment. */
static enum kiln_status
identify(struct attempt *attempt, struct kiln_digest *identity, struct kiln_error *error)
{
  struct kiln_buf *text = &attempt->plan->toolchain_text;
  kiln_identity_doubt(attempt->kiln);
  kiln_buf_clear(text);
  return attempt->plan->toolchain->identity(attempt->kiln, attempt->spec, identity, text, error);
}

/* Wait until this host has room for one more compiler. */
static enum kiln_status
take_share(struct attempt *attempt, struct kiln_error *error)
{
  const char *source;
  const struct kiln_toolchain_ops *toolchain = attempt->plan->toolchain;
  const struct kiln_budget_request request = {.name = attempt->spec->name,
      .threads = toolchain->threads ? toolchain->threads(attempt->kiln, attempt->spec) : 1,
      .need_bytes = kiln_need_of(attempt->kiln, toolchain, &source),
      .tick = tick,
      .context = attempt};
  attempt->phase = "queue";
  const enum kiln_status status = kiln_budget_take(attempt->kiln, &request, &attempt->share, error);
  attempt->phase = "compile";
  return status;
}

static enum kiln_status
compile(struct attempt *attempt, struct kiln_error *error)
{
  struct kiln_digest after;
  const struct kiln_toolchain_ops *toolchain = attempt->plan->toolchain;
  kiln_event_mark_begin(attempt->kiln, attempt->spec);
  enum kiln_status status = take_share(attempt, error);
  if (status != KILN_OK)
    return status;
  const struct kiln_moment begin = kiln_moment_now(attempt->kiln);
  attempt->begin_ns = kiln_clock_now(); /* what is told is how long the compiler takes, not its turn */
  kiln_log(attempt->kiln, KILN_LOG_INFO, "compiling '%s'", attempt->spec->name);
  status = identify(attempt, &attempt->plan->identity, error);
  if (status == KILN_OK)
    status = toolchain->build(attempt->kiln, &attempt->input, &attempt->output, tick, attempt, error);
  kiln_budget_return(&attempt->share);
  if (status == KILN_OK && attempt->output.payload.len == 0)
    status = toolchain->validate(attempt->spec, kiln_buf_text(&attempt->output.payload_path), error);
  if (status == KILN_OK &&
      (identify(attempt, &after, NULL) != KILN_OK || !kiln_digest_equal(&after, &attempt->plan->identity)))
    attempt->output.unstable = true;
  kiln_event_native(attempt->kiln, attempt->spec, begin, status == KILN_OK ? "compiled" : "failed", &attempt->output);
  return status;
}

/* ---- the entry ---- */

/* What the compiler made, as the whole content of data. */
static enum kiln_status
take_payload(struct attempt *attempt, struct kiln_buf *data, struct kiln_error *error)
{
  struct kiln_buf *made = &attempt->output.payload;
  if (made->len == 0)
    return kiln_file_read(kiln_buf_text(&attempt->output.payload_path), KILN_ENTRY_MAX_PAYLOAD, data, error);
  kiln_buf_append(data, made->data, made->len);
  return data->failed ? no_memory(attempt, error) : KILN_OK;
}

/* Payload, manifest and footer in found->entry.data, checked as a reader would. */
static enum kiln_status
seal(struct attempt *attempt, struct kiln_found *found, double build_ms, struct kiln_error *error)
{
  struct kiln_buf manifest;
  struct kiln_buf *data = &found->entry.data;
  const struct kiln_manifest_facts facts = {
      .spec = attempt->spec, .plan = attempt->plan, .output = &attempt->output, .build_ms = build_ms};
  kiln_buf_init(&manifest);
  enum kiln_status status = kiln_manifest_write(&facts, &manifest, error);
  if (status == KILN_OK)
    status = take_payload(attempt, data, error);
  if (status == KILN_OK)
    status = kiln_entry_seal(data, &attempt->plan->entry, manifest.data, manifest.len, error);
  kiln_buf_release(&manifest);
  if (status != KILN_OK)
    return status;
  const enum kiln_entry_fault fault =
      kiln_entry_check(data->data, data->len, &attempt->plan->entry, false, &found->entry);
  if (fault != KILN_ENTRY_GOOD)
    return kiln_error_set(error, KILN_ERROR_FORMAT, "the new entry of '%s' is not good: %s", attempt->spec->name,
        kiln_entry_fault_text(fault));
  return KILN_OK;
}

/* The sealed bytes as a file, open for reading; the bytes in memory do as well when the disk refuses. */
static bool
write_entry(struct attempt *attempt, struct kiln_found *found, struct kiln_buf *path, struct kiln_error *error)
{
  const struct kiln_buf *data = &found->entry.data;
  kiln_text_join(path, attempt->workspace.folder, "entry");
  if (path->failed || write_file(kiln_buf_text(path), data->data, data->len, error) != KILN_OK)
    return false;
  found->fd = kiln_fd_open(kiln_buf_text(path), KILN_OPEN_READ);
  return found->fd >= 0;
}

static char *
entry_path(const struct attempt *attempt)
{
  struct kiln_buf relative, path;
  char hex[KILN_DIGEST_HEX];
  kiln_buf_init(&relative);
  kiln_buf_init(&path);
  kiln_digest_hex(&attempt->plan->entry, hex);
  kiln_buf_printf(&relative, "entries/%.2s/%s", hex, hex);
  char *copy = copy_text(kiln_store_path(attempt->kiln->store, kiln_buf_text(&relative), &path));
  kiln_buf_release(&relative);
  kiln_buf_release(&path);
  return copy;
}

static void
say_unpublished(struct attempt *attempt, const struct kiln_error *cause)
{
  const char *name = attempt->spec->name;
  struct kiln_store *store = attempt->kiln->store;
  if (store && !kiln_store_warned(store, KILN_WARN_NOT_STORED))
    kiln_store_warn(store, KILN_WARN_UNKEPT, "'%s' was built but not kept: %s", name, cause->what);
  else
    kiln_log(attempt->kiln, KILN_LOG_INFO, "'%s' was built but not kept: %s", name, cause->what);
}

/* Entry first, then the record that leads to it: a reader that finds the record finds the entry. */
static void
publish(struct attempt *attempt, struct kiln_found *found)
{
  struct kiln *kiln = attempt->kiln;
  struct kiln_plan *plan = attempt->plan;
  struct kiln_error cause = {0};
  struct kiln_buf path;
  bool lost;
  kiln_buf_init(&path);
  if (!write_entry(attempt, found, &path, &cause)) {
    say_unpublished(attempt, &cause);
  } else if (kiln->store && attempt->output.unstable) {
    kiln_error_set(&cause, KILN_ERROR_INVALID, "a file that it includes, or the compiler, changed while it was built");
    say_unpublished(attempt, &cause);
  } else if (kiln->store) {
    enum kiln_status status = kiln_store_publish(kiln->store, &plan->entry, kiln_buf_text(&path), &lost, &cause);
    if (status == KILN_OK) {
      found->path = entry_path(attempt);
      attempt->output.dependencies.entry = plan->entry;
      status = kiln_request_write(kiln->store, &plan->request, &plan->identity, &attempt->output.dependencies, &cause);
    }
    if (status == KILN_OK)
      kiln_store_evict_sometimes(kiln->store, kiln->options.cache_limit_bytes);
    else
      say_unpublished(attempt, &cause);
  }
  kiln_buf_release(&path);
}

static enum kiln_status
finish(struct attempt *attempt, struct kiln_found *found, double build_ms, struct kiln_error *error)
{
  enum kiln_status status = kiln_plan_set_entry(attempt->plan, &attempt->output.dependencies, error);
  if (status == KILN_OK)
    status = seal(attempt, found, build_ms, error);
  if (status != KILN_OK)
    return status;
  attempt->plan->entry_known = true;
  publish(attempt, found);
  /* The plan's record is what this process watches from now on. */
  const struct kiln_request_record before = attempt->plan->record;
  attempt->plan->record = attempt->output.dependencies;
  attempt->output.dependencies = before;
  return KILN_OK;
}

enum kiln_status
kiln_produce(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_plan *plan, struct kiln_key_lock *lock,
    struct kiln_found *found, double *build_ms, bool *lasting, struct kiln_error *error)
{
  struct attempt attempt = {
      .kiln = kiln, .spec = spec, .plan = plan, .lock = lock, .share = {.fd = -1}, .begin_ns = kiln_clock_now()};
  attempt.refreshed_ns = attempt.begin_ns;
  *found = (struct kiln_found){.fd = -1};
  kiln_build_output_init(&attempt.output);
  enum kiln_status status = prepare(&attempt, error);
  if (status == KILN_OK)
    status = compile(&attempt, error);
  *build_ms = (double)(kiln_clock_now() - attempt.begin_ns) / 1e6;
  if (status == KILN_OK)
    status = finish(&attempt, found, *build_ms, error);
  /* Last: an entry is worth more than this, should the disk be full. */
  kiln_need_learn(kiln, plan->toolchain, attempt.output.peak_bytes);
  *lasting = status == KILN_ERROR_COMMAND && !attempt.output.passing;
  if (status != KILN_OK) {
    kiln_log(
        kiln, KILN_LOG_DEBUG, "what the compiler of '%s' printed:\n%s", spec->name, kiln_buf_text(&attempt.output.log));
    kiln_found_release(found);
    *found = (struct kiln_found){.fd = -1};
  }
  leave_folder(&attempt);
  for (size_t i = 0; attempt.source_paths && i < spec->source_count; i++)
    free(attempt.source_paths[i]);
  free(attempt.source_paths);
  kiln_build_output_release(&attempt.output);
  return status;
}
