#include "probe/measure_until.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "event/counters.h"
#include "os/file.h"

static bool
add_file(void *context, const char *path, const struct kiln_file_info *info)
{
  if (info->kind != KILN_FILE_REGULAR || !kiln_text_ends(path, ".count"))
    return info->kind == KILN_FILE_FOLDER;
  *(uint64_t *)context += kiln_counters_total(path);
  return false;
}

uint64_t
kiln_until_count_launches(const char *events)
{
  uint64_t sum = 0;
  kiln_folder_walk(events, 1, add_file, &sum, NULL);
  return sum;
}

static bool
launches_reached(void *context)
{
  const struct kiln_until *until = context;
  return kiln_until_count_launches(until->events) >= until->launches;
}

void
kiln_until_init(struct kiln_until *until, const struct kiln_measure_until *wanted, const char *events)
{
  memset(until, 0, sizeof *until);
  until->events = events;
  until->launches = wanted->launches;
  until->ready.output = wanted->output;
  until->ready.port = wanted->port;
  if (wanted->launches > 0) {
    until->ready.reached = launches_reached;
    until->ready.context = until;
  }
}

const struct kiln_run_ready *
kiln_until_ready(const struct kiln_until *until)
{
  const struct kiln_run_ready *ready = &until->ready;
  return ready->output || ready->port > 0 || ready->reached ? ready : NULL;
}

bool
kiln_measure_until_asked(const struct kiln_measure_until *until)
{
  return until->output || until->port > 0 || until->launches > 0;
}

void
kiln_measure_until_name(const struct kiln_measure_until *until, struct kiln_buf *text)
{
  if (until->output)
    kiln_buf_printf(text, "a line of output matches '%s'", until->output);
  else if (until->port > 0)
    kiln_buf_printf(text, "something listens on port %d", until->port);
  else if (until->launches > 0)
    kiln_buf_printf(text, "%" PRIu64 " kernels were launched", until->launches);
}
