/* What a lever needs on disk while it is tried: its file, and the folder that it keeps. */
#include <stdlib.h>
#include <string.h>

#include "os/file.h"
#include "probe/trial_state.h"

static enum kiln_status
no_memory(struct kiln_error *error)
{
  return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short for lever files.");
}

static char *
path_of(const struct kiln_trial *trial, const char *id, const char *suffix)
{
  struct kiln_buf path;
  kiln_buf_init(&path);
  kiln_buf_printf(&path, "%s/levers/%s%s", trial->sandbox->folder, id, suffix);
  if (path.failed) {
    kiln_buf_release(&path);
  }
  return path.data;
}

/* An object as the observed program is to see it: with the folder. */
static char *
object_of(const struct kiln_trial_candidate *candidate, const struct kiln_lever *lever)
{
  struct kiln_lever_view view = candidate->view;
  struct kiln_buf text;
  struct kiln_json json;
  view.folder = candidate->folder;
  kiln_buf_init(&text);
  kiln_json_init(&json, &text, false);
  lever->make(&view, &json);
  if (text.failed) {
    kiln_buf_release(&text);
  }
  return text.data;
}

static enum kiln_status
write_file(const char *path, const char *const *objects, size_t count, struct kiln_error *error)
{
  struct kiln_buf text;
  enum kiln_status status;
  kiln_buf_init(&text);
  status = kiln_lever_file(objects, count, &text, error);
  if (status == KILN_OK && text.failed) {
    status = no_memory(error);
  }
  if (status == KILN_OK) {
    status = kiln_file_write(path, kiln_buf_text(&text), text.len, error);
  }
  kiln_buf_release(&text);
  return status;
}

/* One object, or those of all parts. */
static enum kiln_status
write_levers(const struct kiln_trial *trial, const struct kiln_trial_candidate *candidate, struct kiln_error *error)
{
  const size_t count = candidate->part_count ? candidate->part_count : 1;
  char **objects = calloc(count, sizeof *objects);
  enum kiln_status status = KILN_OK;
  if (!objects) {
    return no_memory(error);
  }
  for (size_t i = 0; i < count && status == KILN_OK; i++) {
    const struct kiln_trial_candidate *part =
        candidate->part_count ? &trial->candidates[candidate->parts[i]] : candidate;
    objects[i] = object_of(part, part->lever);
    status = objects[i] ? KILN_OK : no_memory(error);
  }
  if (status == KILN_OK) {
    status = write_file(candidate->file, (const char *const *)objects, count, error);
  }
  for (size_t i = 0; i < count; i++) {
    free(objects[i]);
  }
  free(objects);
  return status;
}

/* A folder that is only read later is filled by a run that keeps its cache there. */
static enum kiln_status
write_first(const struct kiln_trial *trial, struct kiln_trial_candidate *candidate, struct kiln_error *error)
{
  const struct kiln_lever *keep = kiln_lever_find("persistent_cache");
  enum kiln_status status;
  char *object;
  if (!(candidate->lever->flags & KILN_LEVER_SEALED) || candidate->part_count || !keep) {
    return KILN_OK;
  }
  candidate->first = path_of(trial, candidate->id, ".first.json");
  object = object_of(candidate, keep);
  status = candidate->first && object ? write_file(candidate->first, (const char *const *)&object, 1, error)
                                      : no_memory(error);
  free(object);
  return status;
}

/* The folder of a combination is that of the part whose cache lies in it. */
static enum kiln_status
make_folder(const struct kiln_trial *trial, struct kiln_trial_candidate *candidate, struct kiln_error *error)
{
  for (size_t i = 0; i < candidate->part_count; i++) {
    const struct kiln_trial_candidate *part = &trial->candidates[candidate->parts[i]];
    if (part->lever->flags & KILN_LEVER_KEPT) {
      candidate->folder = path_of(trial, part->id, ".folder");
    }
  }
  if (candidate->part_count || !(candidate->lever->flags & KILN_LEVER_FOLDER)) {
    return KILN_OK;
  }
  candidate->folder = path_of(trial, candidate->id, ".folder");
  return candidate->folder ? kiln_folder_make(candidate->folder, error) : no_memory(error);
}

enum kiln_status
kiln_trial_files(struct kiln_trial *trial, struct kiln_trial_candidate *candidate, struct kiln_error *error)
{
  struct kiln_buf folder;
  enum kiln_status status;
  kiln_buf_init(&folder);
  kiln_buf_printf(&folder, "%s/levers", trial->sandbox->folder);
  status = kiln_folder_make(kiln_buf_text(&folder), error);
  kiln_buf_release(&folder);
  candidate->file = path_of(trial, candidate->id, ".json");
  if (status == KILN_OK && !candidate->file) {
    status = no_memory(error);
  }
  if (status == KILN_OK) {
    status = make_folder(trial, candidate, error);
  }
  if (status == KILN_OK) {
    status = write_levers(trial, candidate, error);
  }
  return status == KILN_OK ? write_first(trial, candidate, error) : status;
}
