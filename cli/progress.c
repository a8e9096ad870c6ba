#include "progress.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "os/process.h"
#include "os/terminal.h"

#define STDERR 2

void
kiln_cli_progress_init(struct kiln_cli_progress *progress, bool nameless)
{
  const char *term = kiln_environment_current("TERM");
  progress->live = kiln_terminal_is(STDERR) && term && !kiln_text_equal(term, "dumb");
  progress->running = false;
  progress->nameless = nameless;
  progress->columns = kiln_terminal_columns(STDERR);
}

/* Append at most `columns` columns of text; a byte that moves the cursor is shown as "?". */
static void
append_fitted(struct kiln_buf *out, const char *text, size_t columns)
{
  bool cut = kiln_text_columns(text) > columns;
  size_t room = cut && columns > 0 ? columns - 1 : columns, used = 0;
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    used += (c & 0xC0) == 0x80 ? 0 : 1;
    if (used > room) {
      break;
    }
    kiln_buf_append(out, c < ' ' || c == 127 ? "?" : text, 1);
  }
  if (cut) {
    kiln_buf_text_append(out, "…");
  }
}

static void
append_name(const struct kiln_progress *now, struct kiln_buf *out)
{
  if (now->sample == 0) {
    kiln_buf_text_append(out, now->run);
  } else if (now->pairs) {
    kiln_buf_printf(out, "pair %d, look at %d: %s", now->sample, now->samples, now->run);
  } else {
    kiln_buf_printf(out, "%s %d/%d", now->run, now->sample, now->samples);
  }
}

void
kiln_cli_progress_line(const struct kiln_progress *now, bool nameless, int columns, struct kiln_buf *out)
{
  struct kiln_buf line;
  kiln_buf_init(&line);
  append_name(now, &line);
  kiln_buf_text_append(&line, " · ");
  kiln_text_duration(&line, now->run_elapsed_s);
  if (now->building) {
    kiln_buf_printf(&line, " · building %s ", nameless ? "a module" : now->building);
    kiln_text_duration(&line, now->building_s);
  }
  if (now->builds_done > 0) {
    kiln_buf_printf(&line, " · %u built", now->builds_done);
  }
  append_fitted(out, kiln_buf_text(&line), columns > 0 ? (size_t)columns : 0);
  kiln_buf_release(&line);
}

static void
show_plain(struct kiln_cli_progress *progress, const struct kiln_progress *now)
{
  struct kiln_buf line;
  kiln_buf_init(&line);
  kiln_buf_text_append(&line, "kiln: ");
  if (now->run_ended) {
    kiln_cli_progress_line(now, progress->nameless, 200, &line);
  } else {
    append_name(now, &line);
    kiln_buf_text_append(&line, " begins");
  }
  fprintf(stderr, "%s\n", kiln_buf_text(&line));
  progress->running = !now->run_ended;
  kiln_buf_release(&line);
}

void
kiln_cli_progress_show(void *context, const struct kiln_progress *now)
{
  struct kiln_cli_progress *progress = context;
  struct kiln_buf line;
  if (!progress->live) {
    if (now->run_ended || !progress->running) {
      show_plain(progress, now);
    }
    return;
  }
  kiln_buf_init(&line);
  kiln_buf_text_append(&line, "\r");
  kiln_cli_progress_line(now, progress->nameless, progress->columns - 1, &line);
  kiln_buf_text_append(&line, "\033[K");
  fputs(kiln_buf_text(&line), stderr);
  fflush(stderr);
  progress->running = true;
  kiln_buf_release(&line);
}

void
kiln_cli_progress_end(struct kiln_cli_progress *progress)
{
  if (progress->live && progress->running) {
    fputs("\r\033[K", stderr);
    fflush(stderr);
  }
  progress->running = false;
}
