/*
 * Event files: bytes → lines → events → model → phases. Whatever comes in, lines do not depend on how the bytes were
 * cut, and the phases of a run add up to it.
 */
#include <stdint.h>
#include <stdlib.h>

#include "event/lines.h"
#include "probe/model_state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require(bool truth)
{
  if (!truth)
    abort();
}

static bool
take_event(void *context, const struct kiln_event *event)
{
  struct kiln_model *model = context;
  require(event->kind >= 0 && event->kind <= KILN_EVENT_UNKNOWN);
  require(event->t <= UINT64_MAX - event->dur && event->cpu <= UINT64_MAX - event->dcpu);
  model->events++;
  kiln_model_take(model, event);
  return true;
}

static bool
take_line(void *context, const char *line, size_t len)
{
  struct kiln_model *model = context;
  require(len <= KILN_EVENT_MAX_LINE);
  model->event_bytes += len;
  if (!kiln_event_parse_line(line, len, take_event, model))
    model->bad_lines++;
  return true;
}

static struct kiln_model *
read_in_steps(const char *data, size_t size, size_t step)
{
  struct kiln_lines lines;
  struct kiln_model *model = kiln_model_new();
  require(model != NULL);
  kiln_lines_init(&lines);
  for (size_t at = 0; at < size; at += step)
    require(kiln_lines_feed(&lines, data + at, size - at < step ? size - at : step, take_line, model));
  require(kiln_lines_finish(&lines, take_line, model));
  model->bad_lines += lines.dropped;
  kiln_lines_release(&lines);
  require(kiln_model_finish(model, NULL) == KILN_OK);
  return model;
}

static void
check_phases(const struct kiln_model *model, uint64_t begin, uint64_t end, uint64_t cpu)
{
  struct kiln_span_time phase[KILN_PHASE_COUNT];
  struct kiln_span_time sum = {0, 0};
  const struct kiln_model_process *principal = kiln_model_principal(model);
  for (int root = 0; root < 2; root++) {
    kiln_model_phases(model, principal && root ? principal->pid : 0, begin, end, cpu, phase);
    sum = (struct kiln_span_time){0, 0};
    for (int i = 0; i < KILN_PHASE_COUNT; i++) {
      sum.wall_ns += phase[i].wall_ns;
      sum.cpu_ns += phase[i].cpu_ns;
    }
    require(sum.wall_ns == end - begin && sum.cpu_ns == cpu);
  }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct kiln_model *whole = read_in_steps((const char *)data, size, size ? size : 1);
  struct kiln_model *parts = read_in_steps((const char *)data, size, 7);
  require(whole->events == parts->events && whole->bad_lines == parts->bad_lines);
  require(whole->event_bytes == parts->event_bytes);
  require(whole->counts.identities == parts->counts.identities && whole->counts.builds == parts->counts.builds);
  require(whole->counts.modules <= whole->counts.identities || whole->counts.identities == 0);
  check_phases(whole, 0, 5000, 2500);
  check_phases(whole, 1000, UINT64_MAX, UINT64_MAX);
  kiln_model_free(whole);
  kiln_model_free(parts);
  return 0;
}
