#include "event/reader.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "event/lines.h"
#include "os/file.h"

#define CHUNK_BYTES ((size_t)131072)
/* No clock of a real run passes 36 years; what is larger is not believed, so that sums of two cannot overflow. */
#define LARGEST_TIME 1152921504606846976.0

static bool
is_number(const struct cJSON *value, uint64_t *number)
{
  double real = kiln_json_as_double(value, -1);
  if (!(real >= 0 && real <= LARGEST_TIME)) {
    *number = 0;
    return false;
  }
  *number = (uint64_t)real;
  return true;
}

static int
as_id(const struct cJSON *value)
{
  uint64_t number;
  return is_number(value, &number) && number <= INT_MAX ? (int)number : 0;
}

/* One common field. The names are told apart by hand because this runs a dozen times per line. */
static void
take_field(struct kiln_event *event, const char *name, const struct cJSON *value)
{
  if (name[0] == 't') {
    if (name[1] == '\0')
      is_number(value, &event->t);
    else if (strcmp(name, "tid") == 0)
      event->tid = as_id(value);
  } else if (name[0] == 'd') {
    if (strcmp(name, "dur") == 0)
      event->is_span = is_number(value, &event->dur);
    else if (strcmp(name, "dcpu") == 0)
      is_number(value, &event->dcpu);
  } else if (strcmp(name, "cpu") == 0) {
    is_number(value, &event->cpu);
  } else if (strcmp(name, "pid") == 0) {
    event->pid = as_id(value);
  }
}

static bool
parse(const char *line, size_t len, struct kiln_event *event, struct cJSON **tree)
{
  if (len > KILN_EVENT_MAX_LINE || kiln_json_parse(line, len, "event", tree, NULL) != KILN_OK)
    return false;
  *event = (struct kiln_event){.fields = *tree};
  const char *kind = NULL;
  if (kiln_json_is_object(*tree))
    for (const struct cJSON *at = kiln_json_first(*tree); at; at = kiln_json_next(at)) {
      const char *name = kiln_json_member_name(at);
      if (name && !kind && strcmp(name, "ev") == 0)
        kind = kiln_json_as_string(at, NULL);
      else if (name)
        take_field(event, name, at);
    }
  event->kind = kiln_event_kind_parse(kind);
  if (!kind)
    kiln_json_free(*tree);
  return kind != NULL;
}

bool
kiln_event_parse_line(const char *line, size_t len, kiln_event_visit *visit, void *context)
{
  struct kiln_event event;
  struct cJSON *tree;
  if (!parse(line, len, &event, &tree))
    return false;
  visit(context, &event);
  kiln_json_free(tree);
  return true;
}

struct reading {
  kiln_event_visit *visit;
  void *context;
  struct kiln_event_stats *stats;
};

static bool
read_line(void *context, const char *line, size_t len)
{
  struct reading *reading = context;
  struct kiln_event event;
  struct cJSON *tree;
  if (!parse(line, len, &event, &tree)) {
    reading->stats->bad_lines++;
    return true;
  }
  reading->stats->events++;
  bool go_on = reading->visit(reading->context, &event);
  kiln_json_free(tree);
  return go_on;
}

static enum kiln_status
read_all(int fd, const char *path, char *chunk, struct reading *reading, struct kiln_error *error)
{
  struct kiln_lines lines;
  kiln_lines_init(&lines);
  bool go_on = true;
  long got = 0;
  while (go_on && (got = kiln_fd_read(fd, chunk, CHUNK_BYTES)) > 0) {
    reading->stats->bytes += (uint64_t)got;
    go_on = kiln_lines_feed(&lines, chunk, (size_t)got, read_line, reading);
  }
  if (go_on)
    kiln_lines_finish(&lines, read_line, reading);
  reading->stats->bad_lines += lines.dropped;
  kiln_lines_release(&lines);
  if (got >= 0)
    return KILN_OK;
  kiln_error_set(error, KILN_ERROR_IO, "event file '%s' cannot be read", path);
  kiln_error_advise(error, "Check the disk that holds it.");
  return KILN_ERROR_IO;
}

/* Why a file cannot be opened: gone, or refused. */
static enum kiln_status
refuse_open(const char *path, struct kiln_error *error)
{
  struct kiln_file_info info;
  enum kiln_status status = kiln_file_info(path, &info, error);
  if (status != KILN_OK)
    return status;
  kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "event file '%s' cannot be opened", path);
  kiln_error_advise(error, "Check its owner and permissions.");
  return KILN_ERROR_ENVIRONMENT;
}

enum kiln_status
kiln_event_read_file(
    const char *path, kiln_event_visit *visit, void *context, struct kiln_event_stats *stats, struct kiln_error *error)
{
  struct kiln_event_stats ignored = {0};
  struct reading reading = {visit, context, stats ? stats : &ignored};
  int fd = kiln_fd_open(path, KILN_OPEN_READ);
  if (fd < 0)
    return refuse_open(path, error);
  char *chunk = malloc(CHUNK_BYTES);
  enum kiln_status status = KILN_ERROR_MEMORY;
  if (chunk)
    status = read_all(fd, path, chunk, &reading, error);
  else
    kiln_error_set(error, KILN_ERROR_MEMORY, "no memory to read event file '%s'", path);
  free(chunk);
  kiln_fd_close(fd);
  return status;
}
