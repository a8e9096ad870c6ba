#include "probe/apply.h"

#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/text.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/publish.h"
#include "os/user.h"
#include "probe/ledger.h"
#include "probe/lever.h"
#include "probe/preload.h"

#define FILE_BYTES (16u << 20)
#define LOG_VARIABLE "KILN_LEVERS_LOG"
#define RUN_PREFIX "run-"
#define OLD_NS UINT64_C(86400000000000) /* a run's folder that is a day old: its kiln was killed */
#define OTHERS_WRITE 022u
#define OTHERS_ALL 077u

void
kiln_apply_init(struct kiln_apply *apply)
{
  memset(apply, 0, sizeof *apply);
  kiln_buf_init(&apply->file);
  kiln_buf_init(&apply->state);
  kiln_buf_init(&apply->run);
}

void
kiln_apply_release(struct kiln_apply *apply)
{
  if (apply->run.len > 0)
    (void)kiln_folder_remove(kiln_buf_text(&apply->run), NULL);
  kiln_buf_release(&apply->file);
  kiln_buf_release(&apply->state);
  kiln_buf_release(&apply->run);
}

/* ---- what to apply ---- */

static enum kiln_status
add_lever(struct kiln_apply *apply, const struct cJSON *object, const char *path, struct kiln_error *error)
{
  const char *id = kiln_json_get_string(object, "id", NULL);
  if (apply->count == KILN_APPLY_LEVERS)
    return kiln_error_set(
        error, KILN_ERROR_FORMAT, "The file '%s' names more than %d levers.", path, KILN_APPLY_LEVERS);
  if (!kiln_json_is_object(object) || !id || strlen(id) >= sizeof apply->levers->id)
    return kiln_error_set(error, KILN_ERROR_FORMAT, "Lever %zu of '%s' has no id.", apply->count + 1, path);
  struct kiln_apply_lever *lever = &apply->levers[apply->count++];
  snprintf(lever->id, sizeof lever->id, "%s", id);
  lever->meant = kiln_json_count(kiln_json_get(object, "modules")) + kiln_json_count(kiln_json_get(object, "calls"));
  return KILN_OK;
}

static enum kiln_status
list_levers(struct kiln_apply *apply, const char *path, struct kiln_error *error)
{
  struct cJSON *tree;
  enum kiln_status status = kiln_json_parse(apply->file.data, apply->file.len, path, &tree, error);
  if (status != KILN_OK)
    return status;
  const struct cJSON *levers = kiln_json_get(tree, "levers");
  if (!kiln_json_is_array(levers)) {
    status = kiln_error_set(error, KILN_ERROR_FORMAT, "The lever file '%s' has no list of levers.", path);
    kiln_error_advise(error, "docs/levers.md says how such a file looks.");
  }
  for (const struct cJSON *at = kiln_json_first(levers); at && status == KILN_OK; at = kiln_json_next(at))
    status = add_lever(apply, at, path, error);
  kiln_json_free(tree);
  return status;
}

static enum kiln_status
take_ledger(struct kiln_apply *apply, const struct kiln_buf *text, const char *path, struct kiln_error *error)
{
  struct kiln_ledger *ledger;
  size_t count;
  enum kiln_status status = kiln_ledger_parse(text->data, text->len, path, &ledger, error);
  if (status != KILN_OK)
    return status;
  status = kiln_ledger_levers(ledger, &apply->file, &count, error);
  kiln_ledger_free(ledger);
  return status;
}

/* "kiln-ledger-1"; "" when there is none. */
static enum kiln_status
read_schema(const struct kiln_buf *text, const char *path, char schema[64], struct kiln_error *error)
{
  struct cJSON *tree;
  const enum kiln_status status = kiln_json_parse(kiln_buf_text(text), text->len, path, &tree, error);
  schema[0] = '\0';
  if (status != KILN_OK) {
    kiln_error_advise(error, "Name the ledger that 'kiln try -o FILE' wrote.");
    return status;
  }
  snprintf(schema, 64, "%s", kiln_json_get_string(tree, "schema", ""));
  kiln_json_free(tree);
  return KILN_OK;
}

enum kiln_status
kiln_apply_load(struct kiln_apply *apply, const char *path, struct kiln_error *error)
{
  struct kiln_buf text;
  char schema[64];
  kiln_buf_init(&text);
  enum kiln_status status = kiln_file_read(path, FILE_BYTES, &text, error);
  if (status == KILN_OK)
    status = read_schema(&text, path, schema, error);
  if (status == KILN_OK && kiln_text_equal(schema, KILN_LEDGER_SCHEMA)) {
    status = take_ledger(apply, &text, path, error);
  } else if (status == KILN_OK && kiln_text_equal(schema, KILN_LEVER_SCHEMA)) {
    kiln_buf_append(&apply->file, text.data, text.len);
  } else if (status == KILN_OK) {
    status = kiln_error_set(error, KILN_ERROR_FORMAT,
        "The file '%s' is neither a ledger nor a lever file: its schema is '%s'.", path, schema);
    kiln_error_advise(error, "Name the ledger that 'kiln try -o FILE' wrote.");
  }
  kiln_buf_release(&text);
  return status == KILN_OK ? list_levers(apply, path, error) : status;
}

/* ---- where it is kept ---- */

/* Is it a folder of this user, and nothing of `forbidden` in its mode? Links are not followed. */
static bool
is_own_folder(struct kiln_apply *apply, const char *path, unsigned forbidden)
{
  struct kiln_file_info info;
  struct kiln_error error = {0};
  if (kiln_file_info(path, &info, &error) != KILN_OK)
    snprintf(apply->no_state, sizeof apply->no_state, "%s", error.what);
  else if (info.kind != KILN_FILE_FOLDER)
    snprintf(apply->no_state, sizeof apply->no_state, "'%s' is no folder.", path);
  else if (info.uid != kiln_user_id())
    snprintf(apply->no_state, sizeof apply->no_state, "The folder '%s' belongs to another user.", path);
  else if (info.mode & forbidden)
    snprintf(apply->no_state, sizeof apply->no_state, "Others may write or read the folder '%s'.", path);
  else
    return true;
  return false;
}

/* The user may have made the cache folder a link; what is behind it counts. */
static void
make_state(struct kiln_apply *apply, const char *cache)
{
  struct kiln_error error = {0};
  struct kiln_file_info info;
  kiln_text_join(&apply->state, cache, "levers");
  bool good = kiln_folder_make(kiln_buf_text(&apply->state), &error) == KILN_OK;
  if (!good) {
    snprintf(apply->no_state, sizeof apply->no_state, "%s", error.what);
  } else if (kiln_file_target_info(cache, &info, NULL) != KILN_OK || (info.mode & OTHERS_WRITE) != 0) {
    snprintf(apply->no_state, sizeof apply->no_state, "Others may write the folder '%s'.", cache);
    good = false;
  } else {
    good = is_own_folder(apply, kiln_buf_text(&apply->state), OTHERS_ALL);
  }
  if (!good)
    kiln_buf_clear(&apply->state);
}

static bool
sweep_old(void *context, const char *path, const struct kiln_file_info *info)
{
  const uint64_t *now = context;
  if (info->kind == KILN_FILE_FOLDER && kiln_text_starts(kiln_text_base_name(path), RUN_PREFIX) &&
      info->mtime_ns + OLD_NS < *now)
    (void)kiln_folder_remove(path, NULL);
  return true; /* the root is visited too */
}

/* The run's folder in `parent`, with the lever file. Nothing is left when it fails. */
static enum kiln_status
make_run_in(struct kiln_apply *apply, const char *parent, const char *prefix, struct kiln_error *error)
{
  struct kiln_buf path;
  kiln_buf_clear(&apply->run);
  enum kiln_status status = kiln_folder_make_private(parent, prefix, &apply->run, error);
  if (status != KILN_OK)
    return status;
  kiln_buf_init(&path);
  kiln_text_join(&path, kiln_buf_text(&apply->run), "levers.json");
  status = kiln_file_write(kiln_buf_text(&path), apply->file.data, apply->file.len, error);
  if (status == KILN_OK)
    status = kiln_file_set_mode(kiln_buf_text(&path), 0600, error);
  if (status != KILN_OK) {
    (void)kiln_folder_remove(kiln_buf_text(&apply->run), NULL);
    kiln_buf_clear(&apply->run);
  }
  kiln_buf_release(&path);
  return status;
}

static enum kiln_status
make_run(struct kiln_apply *apply, struct kiln_error *error)
{
  uint64_t now = kiln_clock_real();
  enum kiln_status status = KILN_ERROR_IO;
  if (apply->state.len > 0) {
    kiln_folder_walk(kiln_buf_text(&apply->state), 1, sweep_old, &now, NULL);
    status = make_run_in(apply, kiln_buf_text(&apply->state), RUN_PREFIX, NULL);
  }
  if (status != KILN_OK)
    status = make_run_in(apply, kiln_folder_temporary(), "kiln-apply-", error);
  if (status == KILN_OK || status == KILN_ERROR_MEMORY)
    return status;
  if (error)
    error->status = KILN_ERROR_ENVIRONMENT;
  return KILN_ERROR_ENVIRONMENT;
}

enum kiln_status
kiln_apply_place(struct kiln_apply *apply, const char *cache, struct kiln_error *error)
{
  if (cache)
    make_state(apply, cache);
  else
    snprintf(apply->no_state, sizeof apply->no_state, "There is no cache folder.");
  return make_run(apply, error);
}

enum kiln_status
kiln_apply_environment(
    struct kiln_apply *apply, const char *preload, struct kiln_environment *env, struct kiln_error *error)
{
  struct kiln_buf path;
  const char *events = kiln_environment_current("KILN_EVENTS");
  kiln_buf_init(&path);
  apply->observed = events && *events;
  kiln_environment_copy_current(env);
  kiln_environment_set(env, KILN_LEVER_VARIABLE, kiln_text_join(&path, kiln_buf_text(&apply->run), "levers.json"));
  kiln_environment_set(env, LOG_VARIABLE, kiln_text_join(&path, kiln_buf_text(&apply->run), "log"));
  if (apply->state.len > 0)
    kiln_environment_set(env, KILN_LEVER_STATE_VARIABLE, kiln_buf_text(&apply->state));
  else
    kiln_environment_unset(env, KILN_LEVER_STATE_VARIABLE);
  const bool failed = path.failed;
  kiln_buf_release(&path);
  if (failed || env->failed)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  return kiln_preload_put(env, preload, error);
}
