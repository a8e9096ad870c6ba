/* Following a folder of event files; declared in event/reader.h. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/json_read.h"
#include "base/text.h"
#include "event/lines.h"
#include "event/reader.h"
#include "os/file.h"

#define CHUNK_BYTES ((size_t)65536)
/* Descriptors held at once: ten polls a second must not open every file anew. Files beyond wait until one ends. */
#define MAX_OPEN 256

struct file {
  char *path;
  int fd; /* -1: not opened yet, or its process has ended */
  bool done;
  uint64_t offset; /* bytes read */
  struct kiln_lines lines;
};

struct kiln_event_follower {
  char *folder;
  struct file *files; /* sorted by path */
  size_t count, capacity;
  int open;
  char chunk[CHUNK_BYTES];
};

/* One poll. */
struct poll {
  struct kiln_event_follower *follower;
  kiln_event_visit *visit;
  void *context;
  bool ended, stopped; /* the file at hand said that its process ended; the caller wants no more */
};

static char *
copy_text(const char *text)
{
  size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  return copy ? memcpy(copy, text, size) : NULL;
}

struct kiln_event_follower *
kiln_event_follower_new(const char *folder)
{
  struct kiln_event_follower *follower = calloc(1, sizeof *follower);
  if (!follower)
    return NULL;
  follower->folder = copy_text(folder);
  if (!follower->folder) {
    free(follower);
    return NULL;
  }
  return follower;
}

static void
close_file(struct kiln_event_follower *follower, struct file *file)
{
  if (file->fd < 0)
    return;
  kiln_fd_close(file->fd);
  file->fd = -1;
  file->done = true;
  follower->open--;
  kiln_lines_release(&file->lines);
}

void
kiln_event_follower_free(struct kiln_event_follower *follower)
{
  if (!follower)
    return;
  for (size_t i = 0; i < follower->count; i++) {
    close_file(follower, &follower->files[i]);
    free(follower->files[i].path);
  }
  free(follower->files);
  free(follower->folder);
  free(follower);
}

/* Where `path` is or belongs. */
static size_t
position_of(const struct kiln_event_follower *follower, const char *path, bool *found)
{
  size_t low = 0, high = follower->count;
  *found = false;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = strcmp(follower->files[middle].path, path);
    if (order == 0) {
      *found = true;
      return middle;
    }
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static struct file *
find_or_add(struct kiln_event_follower *follower, const char *path)
{
  bool found;
  size_t at = position_of(follower, path, &found);
  if (found)
    return &follower->files[at];
  char *copy = copy_text(path);
  if (!copy || !KILN_GROW(follower->files, follower->count, follower->capacity)) {
    free(copy);
    return NULL;
  }
  memmove(&follower->files[at + 1], &follower->files[at], (follower->count - at) * sizeof *follower->files);
  follower->files[at] = (struct file){.path = copy, .fd = -1};
  follower->count++;
  return &follower->files[at];
}

static bool
take_event(void *context, const struct kiln_event *event)
{
  struct poll *poll = context;
  if (event->kind == KILN_EVENT_PROCESS) {
    const struct cJSON *fields = event->fields;
    poll->ended = kiln_text_equal(kiln_json_get_string(fields, "what", NULL), "end");
  }
  if (!poll->stopped)
    poll->stopped = !poll->visit(poll->context, event);
  return true;
}

static bool
take_line(void *context, const char *line, size_t len)
{
  struct poll *poll = context;
  kiln_event_parse_line(line, len, take_event, poll);
  return true;
}

static bool
open_file(struct kiln_event_follower *follower, struct file *file)
{
  if (file->fd >= 0)
    return true;
  if (follower->open >= MAX_OPEN)
    return false;
  file->fd = kiln_fd_open(file->path, KILN_OPEN_READ);
  if (file->fd < 0)
    return false;
  kiln_lines_init(&file->lines);
  follower->open++;
  return true;
}

/* Read what the file had when the poll looked at it: a busy writer must not keep us here. */
static void
read_new(struct poll *poll, struct file *file, uint64_t size)
{
  struct kiln_event_follower *follower = poll->follower;
  if (!open_file(follower, file))
    return;
  poll->ended = false;
  while (file->offset < size) {
    long got = kiln_fd_read(file->fd, follower->chunk, CHUNK_BYTES);
    if (got <= 0)
      break;
    file->offset += (uint64_t)got;
    kiln_lines_feed(&file->lines, follower->chunk, (size_t)got, take_line, poll);
  }
  if (poll->ended)
    close_file(follower, file);
}

static bool
visit_entry(void *context, const char *path, const struct kiln_file_info *info)
{
  struct poll *poll = context;
  if (poll->stopped || info->kind != KILN_FILE_REGULAR || !kiln_text_ends(path, ".jsonl"))
    return false;
  struct file *file = find_or_add(poll->follower, path);
  if (file && !file->done && info->size > file->offset)
    read_new(poll, file, info->size);
  return false;
}

void
kiln_event_follower_poll(struct kiln_event_follower *follower, kiln_event_visit *visit, void *context)
{
  struct poll poll = {.follower = follower, .visit = visit, .context = context};
  kiln_folder_walk(follower->folder, 1, visit_entry, &poll, NULL);
}
