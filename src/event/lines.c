#include "event/lines.h"

#include <string.h>

#include "event/event.h"

void
kiln_lines_init(struct kiln_lines *lines)
{
  kiln_buf_init(&lines->pending);
  lines->skipping = false;
  lines->dropped = 0;
}

void
kiln_lines_release(struct kiln_lines *lines)
{
  kiln_buf_release(&lines->pending);
}

static void
drop(struct kiln_lines *lines)
{
  lines->dropped++;
  kiln_buf_clear(&lines->pending);
}

/* A line ends here; its last `len` bytes are at data, what came before is pending. */
static bool
complete(struct kiln_lines *lines, const char *data, size_t len, kiln_lines_visit *visit, void *context)
{
  if (lines->skipping) {
    lines->skipping = false;
    return true;
  }
  if (len > KILN_EVENT_MAX_LINE - lines->pending.len) {
    drop(lines);
    return true;
  }
  if (lines->pending.len == 0)
    return visit(context, data, len);
  kiln_buf_append(&lines->pending, data, len);
  bool go_on = true;
  if (lines->pending.failed)
    lines->dropped++;
  else
    go_on = visit(context, lines->pending.data, lines->pending.len);
  kiln_buf_clear(&lines->pending);
  return go_on;
}

static void
keep(struct kiln_lines *lines, const char *data, size_t len)
{
  if (lines->skipping || len == 0)
    return;
  if (len <= KILN_EVENT_MAX_LINE - lines->pending.len)
    kiln_buf_append(&lines->pending, data, len);
  else
    lines->pending.failed = true;
  if (lines->pending.failed) {
    drop(lines);
    lines->skipping = true;
  }
}

bool
kiln_lines_feed(struct kiln_lines *lines, const char *data, size_t len, kiln_lines_visit *visit, void *context)
{
  const char *end = data + len;
  while (data < end) {
    const char *newline = memchr(data, '\n', (size_t)(end - data));
    if (!newline)
      break;
    if (!complete(lines, data, (size_t)(newline - data), visit, context))
      return false;
    data = newline + 1;
  }
  keep(lines, data, (size_t)(end - data));
  return true;
}

bool
kiln_lines_finish(struct kiln_lines *lines, kiln_lines_visit *visit, void *context)
{
  if (lines->skipping || lines->pending.len == 0) {
    lines->skipping = false;
    return true;
  }
  return complete(lines, "", 0, visit, context);
}
