/* A folder of event and counter files into a model. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "os/file.h"
#include "probe/model_state.h"

struct paths {
  char **items;
  size_t count, capacity;
  bool failed;
};

static void
paths_release(struct paths *paths)
{
  for (size_t i = 0; i < paths->count; i++)
    free(paths->items[i]);
  free(paths->items);
}

static bool
collect(void *context, const char *path, const struct kiln_file_info *info)
{
  struct paths *paths = context;
  bool wanted = kiln_text_ends(path, ".jsonl") || kiln_text_ends(path, ".count");
  if (info->kind != KILN_FILE_REGULAR || !wanted)
    return false;
  size_t size = strlen(path) + 1;
  char *copy = malloc(size);
  if (!copy || !KILN_GROW(paths->items, paths->count, paths->capacity)) {
    free(copy);
    paths->failed = true;
    return false;
  }
  paths->items[paths->count++] = memcpy(copy, path, size);
  return false;
}

static int
compare_paths(const void *left, const void *right)
{
  const char *const *a = left, *const *b = right;
  return strcmp(*a, *b);
}

static bool
take(void *context, const struct kiln_event *event)
{
  struct kiln_model *model = context;
  if (!kiln_model_take(model, event))
    model->bad_lines++;
  return true;
}

static enum kiln_status
read_events(struct kiln_model *model, const char *path, struct kiln_error *error)
{
  struct kiln_model_state *state = model->state;
  struct kiln_event_stats stats = {0};
  state->file++;
  enum kiln_status status = kiln_event_read_file(path, take, model, &stats, error);
  model->events += stats.events;
  model->bad_lines += stats.bad_lines;
  model->event_bytes += stats.bytes;
  return status;
}

/* Every file of one kind; one that has vanished meanwhile is passed over. */
static enum kiln_status
read_kind(struct kiln_model *model, const struct paths *paths, const char *suffix,
    enum kiln_status (*read)(struct kiln_model *, const char *, struct kiln_error *), struct kiln_error *error)
{
  for (size_t i = 0; i < paths->count; i++) {
    if (!kiln_text_ends(paths->items[i], suffix))
      continue;
    enum kiln_status status = read(model, paths->items[i], error);
    if (status != KILN_OK && status != KILN_ERROR_NOT_FOUND)
      return status;
  }
  return KILN_OK;
}

static enum kiln_status
read_all(struct kiln_model *model, struct paths *paths, struct kiln_error *error)
{
  const struct kiln_model_state *state = model->state;
  if (paths->count > 0)
    qsort(paths->items, paths->count, sizeof *paths->items, compare_paths);
  enum kiln_status status = read_kind(model, paths, ".jsonl", read_events, error);
  if (status == KILN_OK)
    status = read_kind(model, paths, ".count", kiln_model_take_counters, error);
  if (status == KILN_OK && (paths->failed || state->failed || model->arena.failed))
    return kiln_error_set(error, KILN_ERROR_MEMORY, "no memory to read the events of a run");
  return status;
}

enum kiln_status
kiln_model_read(struct kiln_model *model, const char *folder, struct kiln_error *error)
{
  if (!model->state)
    return kiln_error_set(error, KILN_ERROR_ARGUMENT, "folder '%s' was given to a model that is finished", folder);
  struct paths paths = {0};
  enum kiln_status status = kiln_folder_walk(folder, 1, collect, &paths, error);
  if (status == KILN_OK)
    status = read_all(model, &paths, error);
  paths_release(&paths);
  return status;
}
