#include "probe/measure_live.h"

#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/text.h"
#include "os/clock.h"
#include "probe/measure_pairs.h"
#include "probe/sequential.h"

static void
module_begin(struct kiln_live *live, const struct kiln_event *event)
{
  const char *name = kiln_json_get_string(event->fields, "module", NULL);
  struct kiln_live_module *module;
  if (!kiln_text_equal(kiln_json_get_string(event->fields, "name", NULL), "begin") ||
      live->building_count == KILN_LIVE_MODULES) {
    return;
  }
  if (!name) {
    name = kiln_json_get_string(event->fields, "symbol", "?");
  }
  module = &live->building[live->building_count++];
  snprintf(module->name, sizeof module->name, "%s", name);
  module->pid = event->pid;
  module->since_ns = event->t;
}

static void
module_end(struct kiln_live *live, int pid, const char *name)
{
  size_t i;
  char cut[KILN_LIVE_NAME];
  snprintf(cut, sizeof cut, "%s", name);
  for (i = 0; i < live->building_count; i++) {
    if (live->building[i].pid == pid && strcmp(live->building[i].name, cut) == 0) {
      live->building_count--;
      memmove(&live->building[i], &live->building[i + 1], (live->building_count - i) * sizeof live->building[i]);
      return;
    }
  }
}

/* A process that ended, or was killed in the middle of a build, builds no more. */
static void
process_end(struct kiln_live *live, int pid)
{
  size_t i, kept = 0;
  for (i = 0; i < live->building_count; i++) {
    if (live->building[i].pid != pid) {
      live->building[kept++] = live->building[i];
    }
  }
  live->building_count = kept;
}

static void
compile_end(struct kiln_live *live, const struct kiln_event *event)
{
  module_end(live, event->pid, kiln_json_get_string(event->fields, "module", "?"));
  if (kiln_text_equal(kiln_json_get_string(event->fields, "step", NULL), "module") &&
      kiln_text_equal(kiln_json_get_string(event->fields, "result", NULL), "compiled")) {
    live->builds_done++;
  }
}

bool
kiln_live_event(void *context, const struct kiln_event *event)
{
  struct kiln_live *live = context;
  if (event->kind == KILN_EVENT_MARK) {
    module_begin(live, event);
  } else if (event->kind == KILN_EVENT_COMPILE) {
    compile_end(live, event);
  } else if (event->kind == KILN_EVENT_LINK) {
    module_end(live, event->pid, kiln_json_get_string(event->fields, "symbol", "?"));
  } else if (event->kind == KILN_EVENT_PROCESS &&
             kiln_text_equal(kiln_json_get_string(event->fields, "what", NULL), "end")) {
    process_end(live, event->pid);
  }
  return true;
}

static double
seconds_since(uint64_t then_ns)
{
  uint64_t now = kiln_clock_now();
  return now > then_ns ? (double)(now - then_ns) / 1e9 : 0.0;
}

static void
report_now(const struct kiln_live *live, double elapsed_s, bool ended)
{
  struct kiln_progress progress = {live->run, live->sample, live->samples, live->options->arm_count > 0, elapsed_s,
      NULL, 0.0, live->builds_done, ended};
  if (!live->options->progress) {
    return;
  }
  if (live->building_count > 0 && !ended) {
    progress.building = live->building[0].name;
    progress.building_s = seconds_since(live->building[0].since_ns);
  }
  live->options->progress(live->options->context, &progress);
}

/* Pairs are counted for each candidate, up to the look that comes next. */
static void
count_samples(struct kiln_live *live, int sample)
{
  const struct kiln_measure_options *options = live->options;
  const int candidates = (int)options->arm_count - 1, limit = kiln_pairs_limit(options->max_pairs);
  size_t i = 0;
  live->sample = sample;
  live->samples = options->samples;
  if (options->arm_count == 0) {
    return;
  }
  live->sample = sample == 0 ? 0 : (sample - 1) / candidates + 1;
  while (i < KILN_SEQUENTIAL_LOOKS - 1 && (int)kiln_looks[i].pairs < live->sample) {
    i++;
  }
  live->samples = (int)kiln_looks[i].pairs < limit ? (int)kiln_looks[i].pairs : limit;
}

void
kiln_live_init(
    struct kiln_live *live, const struct kiln_measure_options *options, int sample, const char *run, const char *events)
{
  memset(live, 0, sizeof *live);
  live->options = options;
  live->run = sample == 0 ? "warm-up" : run;
  count_samples(live, sample);
  live->begin_ns = kiln_clock_now();
  if (options->progress) {
    live->follower = kiln_event_follower_new(events);
  }
  report_now(live, 0.0, false);
}

void
kiln_live_tick(void *context)
{
  struct kiln_live *live = context;
  if (live->follower) {
    kiln_event_follower_poll(live->follower, kiln_live_event, live);
  }
  report_now(live, seconds_since(live->begin_ns), false);
}

void
kiln_live_end(struct kiln_live *live, double elapsed_s, unsigned builds_done)
{
  live->builds_done = builds_done;
  report_now(live, elapsed_s, true);
}

void
kiln_live_release(struct kiln_live *live)
{
  kiln_event_follower_free(live->follower);
  live->follower = NULL;
}
