#include "libexec/line_watch.h"

void
kiln_line_watch_init(struct kiln_line_watch *watch, const struct kiln_pattern *pattern)
{
  watch->pattern = pattern;
  watch->found = false;
  watch->len = 0;
}

static void
line_end(struct kiln_line_watch *watch)
{
  watch->line[watch->len] = '\0';
  watch->found = kiln_pattern_matches(watch->pattern, watch->line);
  watch->len = 0;
}

void
kiln_line_watch_take(struct kiln_line_watch *watch, const char *data, size_t len)
{
  if (watch->pattern == NULL)
    return;
  for (size_t i = 0; i < len && !watch->found; i++) {
    if (data[i] == '\n' || data[i] == '\r')
      line_end(watch);
    else if (watch->len < KILN_WATCHED_LINE)
      watch->line[watch->len++] = data[i] != '\0' ? data[i] : '?';
  }
}

void
kiln_line_watch_end(struct kiln_line_watch *watch)
{
  if (watch->pattern != NULL && !watch->found && watch->len > 0)
    line_end(watch);
}
