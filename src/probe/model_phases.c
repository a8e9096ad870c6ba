/* The split of one run into disjoint phases. */
#include <stdbool.h>
#include <string.h>

#include "probe/model_state.h"

static uint64_t
clamp(uint64_t value, uint64_t low, uint64_t high)
{
  if (value < low)
    return low;
  return value > high ? high : value;
}

static uint64_t
between(uint64_t from, uint64_t to)
{
  return to > from ? to - from : 0;
}

static struct kiln_span_time
total(const struct kiln_span_time phase[KILN_PHASE_COUNT])
{
  struct kiln_span_time sum = {0, 0};
  for (int i = 0; i < KILN_PHASE_COUNT; i++) {
    sum.wall_ns = kiln_model_sum(sum.wall_ns, phase[i].wall_ns);
    sum.cpu_ns = kiln_model_sum(sum.cpu_ns, phase[i].cpu_ns);
  }
  return sum;
}

/* Which ends of a process are the run's own? The command's; but by exec one process may be several images, and then
 * only the first interpreter begins with the run and only the last image ends with it. */
struct ends {
  bool begin, end;
};

static struct ends
ends_of(const struct kiln_model *model, const struct kiln_model_process *process, int root_pid)
{
  struct ends ends = {process->pid == root_pid, process->pid == root_pid};
  for (size_t i = 0; i < model->process_count; i++) {
    const struct kiln_model_process *image = &model->processes[i];
    if (image->pid != process->pid || image == process)
      continue;
    if (image->start_ns < process->start_ns && image->main_ns != 0)
      ends.begin = false;
    if (image->start_ns > process->start_ns)
      ends.end = false;
  }
  return ends;
}

/* Start, program and exit from the marks; `phase` holds the spans between them. */
static void
split_by_marks(const struct kiln_model_process *process, struct ends own, uint64_t begin, uint64_t end,
    struct kiln_span_time phase[KILN_PHASE_COUNT])
{
  struct kiln_span_time spans = total(phase);
  uint64_t start = own.begin ? begin : clamp(process->start_ns, begin, end);
  uint64_t stop = own.end ? end : clamp(process->end_ns, begin, end);
  uint64_t enter = clamp(process->main_ns, begin, end);
  uint64_t leave = process->exit_ns ? clamp(process->exit_ns, begin, end) : stop;
  uint64_t leave_cpu = process->exit_ns ? process->exit_cpu_ns : process->end_cpu_ns;
  phase[KILN_PHASE_INTERPRETER_START] = (struct kiln_span_time){
      between(start, enter), between(own.begin ? 0 : process->start_cpu_ns, process->main_cpu_ns)};
  phase[KILN_PHASE_PROGRAM] = (struct kiln_span_time){
      between(spans.wall_ns, between(enter, leave)), between(spans.cpu_ns, between(process->main_cpu_ns, leave_cpu))};
  if (process->exit_ns)
    phase[KILN_PHASE_INTERPRETER_EXIT] =
        (struct kiln_span_time){between(leave, stop), between(process->exit_cpu_ns, process->end_cpu_ns)};
}

/* One value of a set that is `sum` together and must not pass `whole`; *left is what whole still has. */
static uint64_t
fit(uint64_t value, uint64_t sum, uint64_t whole, uint64_t *left)
{
  double share = sum > whole ? (double)value * ((double)whole / (double)sum) : (double)value;
  if (value > *left || sum > whole)
    value = share < (double)*left ? (uint64_t)share : *left;
  *left -= value;
  return value;
}

/* What no phase explains is rest. Clocks of different kinds disagree by a little (and hostile events by a lot): then
 * every phase gives way in proportion, so that the sum stays true. */
static void
close_sum(struct kiln_span_time phase[KILN_PHASE_COUNT], uint64_t wall, uint64_t cpu)
{
  struct kiln_span_time sum = total(phase), left = {wall, cpu};
  for (int i = 0; i < KILN_PHASE_COUNT; i++) {
    phase[i].wall_ns = fit(phase[i].wall_ns, sum.wall_ns, wall, &left.wall_ns);
    phase[i].cpu_ns = fit(phase[i].cpu_ns, sum.cpu_ns, cpu, &left.cpu_ns);
  }
  phase[KILN_PHASE_REST].wall_ns += left.wall_ns;
  phase[KILN_PHASE_REST].cpu_ns += left.cpu_ns;
}

void
kiln_model_phases(const struct kiln_model *model, int root_pid, uint64_t begin_ns, uint64_t end_ns,
    uint64_t tree_cpu_ns, struct kiln_span_time phase[KILN_PHASE_COUNT])
{
  const struct kiln_model_process *process = kiln_model_principal(model);
  memset(phase, 0, KILN_PHASE_COUNT * sizeof *phase);
  if (end_ns < begin_ns)
    end_ns = begin_ns;
  if (process) {
    memcpy(phase, process->phase, KILN_PHASE_COUNT * sizeof *phase);
    if (process->main_ns != 0)
      split_by_marks(process, ends_of(model, process, root_pid), begin_ns, end_ns, phase);
  }
  close_sum(phase, end_ns - begin_ns, tree_cpu_ns);
}
