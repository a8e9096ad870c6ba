#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cache.h"
#include "cmd_cache.h"
#include "kiln/prefetch.h"
#include "os/clock.h"
#include "os/process.h"
#include "os/terminal.h"
#include "os/thread.h"
#include "prewarm_result.h"
#include "spec_list.h"

#define STDERR 2
#define LOOK_S 0.1
#define SAY_NS UINT64_C(5000000000)
#define MOST_JOBS 256

enum { OPTION_JOBS = KILN_CLI_CACHE_OWN, OPTION_KEEP_GOING, OPTION_QUIET };

static const struct kiln_cli_option options[] = {
    KILN_CLI_CACHE_OPTIONS,
    [OPTION_JOBS] = {"jobs", 'j', "N", "specs at once (default: as many as the budget of this host allows)"},
    [OPTION_KEEP_GOING] = {"keep-going", 'k', NULL, "go on after a failure"},
    [OPTION_QUIET] = {"quiet", 0, NULL, "no progress on standard error"},
};

struct prewarm {
  struct kiln_cli_cache cache;
  unsigned jobs;
  bool keep_going, quiet, live;
  int columns;
  struct kiln_cli_spec_list list;
  struct kiln_prewarm_item *items;
  size_t *built_from; /* index of the item for each spec that is given to the library */
  size_t spec_count, unreadable;
  struct kiln_mutex mutex; /* over the arena, and what is shown */
  struct kiln_arena arena;
  char compiling[64]; /* name of a build that goes on; "" */
  double compiling_s;
  uint64_t said_ns;
};

/* ---- options ---- */

static int
take(void *context, size_t option, const char *value)
{
  struct prewarm *prewarm = context;
  uint64_t jobs;
  if (option == OPTION_KEEP_GOING) {
    prewarm->keep_going = true;
  } else if (option == OPTION_QUIET) {
    prewarm->quiet = true;
  } else if (!kiln_text_parse_uint(value, &jobs) || jobs == 0 || jobs > MOST_JOBS) {
    return kiln_cli_usage("--jobs is a number from 1 to %d, not '%s'.", MOST_JOBS, value);
  } else {
    prewarm->jobs = (unsigned)jobs;
  }
  return 0;
}

/* ---- progress ---- */

static void
clear_line(const struct prewarm *prewarm)
{
  if (prewarm->live) {
    fputs("\r\033[K", stderr);
  }
}

static void
say_log(void *context, enum kiln_log_level level, const char *message)
{
  struct prewarm *prewarm = context;
  if (level <= KILN_LOG_WARNING) {
    kiln_mutex_lock(&prewarm->mutex);
    clear_line(prewarm);
    fprintf(stderr, "kiln: %s\n", message);
    kiln_mutex_unlock(&prewarm->mutex);
  }
}

static void
note_progress(void *context, const struct kiln_build_progress *now)
{
  struct prewarm *prewarm = context;
  kiln_mutex_lock(&prewarm->mutex);
  snprintf(prewarm->compiling, sizeof prewarm->compiling, "%s%.40s",
      kiln_text_equal(now->phase, "queue") ? "waiting: " : "", now->name);
  prewarm->compiling_s = now->elapsed_s;
  kiln_mutex_unlock(&prewarm->mutex);
}

static void
progress_line(const struct prewarm *prewarm, const struct kiln_prefetch_summary *now, struct kiln_buf *line)
{
  size_t failed = now->failed + prewarm->unreadable;
  size_t done = now->built + now->hit + failed;
  kiln_buf_printf(line, "%zu of %zu: %zu built, %zu hit", done, prewarm->list.count, now->built, now->hit);
  if (failed > 0) {
    kiln_buf_printf(line, ", %zu failed", failed);
  }
  kiln_buf_text_append(line, ", ");
  kiln_text_duration(line, now->seconds);
  if (*prewarm->compiling) {
    kiln_buf_printf(line, "; %s ", prewarm->compiling);
    kiln_text_duration(line, prewarm->compiling_s);
  }
}

/* On a terminal one line that is rewritten, else one every five seconds. */
static void
show(struct prewarm *prewarm, const struct kiln_prefetch_summary *now)
{
  struct kiln_buf line;
  uint64_t time = kiln_clock_now();
  if (prewarm->quiet || (!prewarm->live && time - prewarm->said_ns < SAY_NS)) {
    return;
  }
  prewarm->said_ns = time;
  kiln_buf_init(&line);
  kiln_mutex_lock(&prewarm->mutex);
  progress_line(prewarm, now, &line);
  if (prewarm->live) {
    fprintf(stderr, "\r%.*s\033[K", prewarm->columns > 1 ? prewarm->columns - 1 : 1, kiln_buf_text(&line));
  } else {
    fprintf(stderr, "kiln: %s\n", kiln_buf_text(&line));
  }
  fflush(stderr);
  kiln_mutex_unlock(&prewarm->mutex);
  kiln_buf_release(&line);
}

/* ---- what became of each ---- */

/* The mutex is held, or no thread runs. */
static void
note_failure(struct prewarm *prewarm, struct kiln_prewarm_item *item, const struct kiln_error *error)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_prewarm_sentence(error, &text);
  item->result = "failed";
  item->status = error->status;
  item->error = kiln_arena_strdup(&prewarm->arena, kiln_buf_text(&text));
  clear_line(prewarm);
  fprintf(stderr, "kiln: %s: %s\n", item->file, kiln_buf_text(&text));
  kiln_buf_release(&text);
}

static void
note_report(void *context, const struct kiln_prefetch_report *report)
{
  struct prewarm *prewarm = context;
  struct kiln_prewarm_item *item = &prewarm->items[prewarm->built_from[report->index]];
  kiln_mutex_lock(&prewarm->mutex);
  item->key = *report->key ? kiln_arena_strdup(&prewarm->arena, report->key) : NULL;
  item->path = report->path ? kiln_arena_strdup(&prewarm->arena, report->path) : NULL;
  item->ms = report->build_ms;
  if (report->status == KILN_OK) {
    item->result = report->result == KILN_RESULT_HIT ? "hit" : "built";
  } else {
    note_failure(prewarm, item, report->error);
  }
  *prewarm->compiling = '\0';
  kiln_mutex_unlock(&prewarm->mutex);
}

/* ---- the work ---- */

static enum kiln_status
read_specs(struct prewarm *prewarm, struct kiln_error *error)
{
  size_t i;
  prewarm->items = calloc(prewarm->list.count, sizeof *prewarm->items);
  prewarm->built_from = calloc(prewarm->list.count, sizeof *prewarm->built_from);
  if (!prewarm->items || !prewarm->built_from) {
    return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short for %zu specs.", prewarm->list.count);
  }
  for (i = 0; i < prewarm->list.count; i++) {
    struct kiln_prewarm_item *item = &prewarm->items[i];
    struct kiln_error cause = {0};
    item->file = prewarm->list.paths[i];
    if (kiln_cli_spec_read(item->file, &item->spec, &cause) == KILN_OK) {
      prewarm->built_from[prewarm->spec_count++] = i;
      continue;
    }
    note_failure(prewarm, item, &cause);
    prewarm->unreadable++;
  }
  return KILN_OK;
}

static void
follow(struct prewarm *prewarm, struct kiln_prefetch *prefetch, struct kiln_prefetch_summary *summary)
{
  bool cancelled = false;
  while (!kiln_prefetch_wait(prefetch, LOOK_S, summary)) {
    if (kiln_interrupt_seen() && !cancelled) {
      kiln_prefetch_cancel(prefetch);
      cancelled = true;
    }
    show(prewarm, summary);
  }
  clear_line(prewarm);
}

static enum kiln_status
build(struct prewarm *prewarm, struct kiln_prefetch_summary *summary, struct kiln_error *error)
{
  struct kiln_prefetch_options how;
  struct kiln_prefetch *prefetch;
  enum kiln_status status;
  size_t i;
  const struct kiln_spec **specs = calloc(prewarm->spec_count + 1, sizeof *specs);
  if (!specs) {
    return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short for %zu specs.", prewarm->spec_count);
  }
  for (i = 0; i < prewarm->spec_count; i++) {
    specs[i] = prewarm->items[prewarm->built_from[i]].spec;
  }
  kiln_prefetch_options_init(&how);
  how.threads = prewarm->jobs;
  how.stop_at_failure = !prewarm->keep_going;
  how.report = note_report;
  how.context = prewarm;
  status = kiln_module_prefetch(prewarm->cache.kiln, specs, prewarm->spec_count, &how, &prefetch, error);
  if (status == KILN_OK) {
    follow(prewarm, prefetch, summary);
    kiln_prefetch_free(prefetch);
  }
  free(specs);
  return status;
}

/* ---- the result ---- */

static int
finish(struct prewarm *prewarm, struct kiln_prefetch_summary *summary)
{
  struct kiln_buf out;
  summary->total = prewarm->list.count;
  summary->failed += prewarm->unreadable;
  summary->skipped = summary->total - summary->built - summary->hit - summary->failed;
  kiln_buf_init(&out);
  if (prewarm->cache.json) {
    kiln_prewarm_json(prewarm->items, summary, &out);
  } else {
    kiln_prewarm_text(summary, &out);
  }
  return kiln_cli_cache_say(&out, kiln_prewarm_exit(prewarm->items, prewarm->list.count));
}

static int
prewarm_list(struct prewarm *prewarm)
{
  struct kiln_prefetch_summary summary = {0};
  struct kiln_options settings;
  struct kiln_error error = {0};
  enum kiln_status status = kiln_cli_spec_list_read(&prewarm->list, prewarm->cache.argument, &error);
  kiln_options_init(&settings);
  settings.log = say_log;
  settings.progress = note_progress;
  settings.callback_context = prewarm;
  if (status == KILN_OK) {
    status = kiln_cli_cache_open(&prewarm->cache, &settings, &error);
  }
  if (status == KILN_OK) {
    status = read_specs(prewarm, &error);
  }
  if (status == KILN_OK && (prewarm->unreadable == 0 || prewarm->keep_going)) {
    status = build(prewarm, &summary, &error);
  }
  return status == KILN_OK ? finish(prewarm, &summary) : kiln_cli_complain(&error);
}

static int
run_prewarm(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct prewarm prewarm = {.cache = {.needs = "specs: a folder, a list, or - for a list on standard input"}};
  const char *term = kiln_environment_current("TERM");
  size_t i;
  int code;
  if (!kiln_cli_cache_parse(&prewarm.cache, command, argc, argv, take, &prewarm, &code)) {
    return code;
  }
  kiln_interrupt_watch();
  prewarm.live = !prewarm.quiet && kiln_terminal_is(STDERR) && term && !kiln_text_equal(term, "dumb");
  prewarm.columns = kiln_terminal_columns(STDERR);
  prewarm.said_ns = kiln_clock_now();
  kiln_mutex_init(&prewarm.mutex);
  kiln_arena_init(&prewarm.arena);
  code = prewarm_list(&prewarm);
  kiln_cli_cache_close(&prewarm.cache);
  for (i = 0; prewarm.items && i < prewarm.list.count; i++) {
    kiln_spec_free(prewarm.items[i].spec);
  }
  free(prewarm.items);
  free(prewarm.built_from);
  kiln_cli_spec_list_release(&prewarm.list);
  kiln_arena_release(&prewarm.arena);
  kiln_mutex_release(&prewarm.mutex);
  return code;
}

static const char examples[] =
    "  kiln cache prewarm specs/\n"
    "  kiln cache prewarm --jobs 4 --keep-going kernels.txt\n"
    "  kiln cache prewarm --json specs/ | jq -r '.specs[] | select(.result == \"failed\") | .error'\n";

const struct kiln_cli_command kiln_cmd_cache_prewarm = {"cache prewarm",
    "build every spec of a folder or a list, several at once", "[options] SPECS/|LIST|-", examples, options,
    sizeof options / sizeof *options, NULL, run_prewarm};
