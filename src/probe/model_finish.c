/* From tables to counts. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "probe/model_sort.h"
#include "probe/model_state.h"

/* What makes two builds or loads the same; texts are interned, so addresses decide. */
struct identity {
  const char *framework, *module, *identity, *kind;
};

static int
order_addresses(const char *a, const char *b)
{
  uintptr_t left = (uintptr_t)a, right = (uintptr_t)b;
  return left < right ? -1 : left > right;
}

static int
compare_identities(const void *left, const void *right)
{
  const struct identity *a = left, *b = right;
  int order = order_addresses(a->module, b->module);
  if (!order)
    order = order_addresses(a->identity, b->identity);
  if (!order)
    order = order_addresses(a->framework, b->framework);
  return order ? order : order_addresses(a->kind, b->kind);
}

static int
compare_modules(const void *left, const void *right)
{
  const struct identity *a = left, *b = right;
  return order_addresses(a->module, b->module);
}

static int
compare_ints(const void *left, const void *right)
{
  const int *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

/* Number of distinct items; sorts them. */
static uint64_t
count_distinct(void *items, size_t count, size_t size, int (*compare)(const void *, const void *))
{
  if (count == 0)
    return 0;
  qsort(items, count, size, compare);
  uint64_t distinct = 1;
  for (size_t i = 1; i < count; i++)
    if (compare((char *)items + (i - 1) * size, (char *)items + i * size) != 0)
      distinct++;
  return distinct;
}

/* "cuda" of "cuda:0": an identity is one whichever device of a kind it runs on. */
static const char *
device_kind(struct kiln_model *model, const char *device)
{
  const char *colon = device ? strchr(device, ':') : NULL;
  if (!colon)
    return device;
  char kind[64];
  size_t len = (size_t)(colon - device);
  if (len >= sizeof kind)
    return device;
  memcpy(kind, device, len);
  kind[len] = '\0';
  return kiln_model_intern(model, kind);
}

static bool
count_identities(struct kiln_model *model)
{
  size_t room = model->build_count + model->load_count, count = 0;
  struct identity *items = calloc(room ? room : 1, sizeof *items);
  if (!items)
    return false;
  for (size_t i = 0; i < model->build_count; i++) {
    const struct kiln_model_build *build = &model->builds[i];
    if (build->result != KILN_BUILD_FAILED && build->module)
      items[count++] =
          (struct identity){build->framework, build->module, build->identity, device_kind(model, build->device)};
  }
  for (size_t i = 0; i < model->load_count; i++) {
    const struct kiln_model_load *load = &model->loads[i];
    if (load->result != KILN_BUILD_FAILED && load->module)
      items[count++] =
          (struct identity){load->framework, load->module, load->identity, device_kind(model, load->device)};
  }
  model->counts.identities = count_distinct(items, count, sizeof *items, compare_identities);
  model->counts.modules = count_distinct(items, count, sizeof *items, compare_modules);
  free(items);
  return true;
}

static bool
count_processes(struct kiln_model *model)
{
  int *pids = calloc(model->process_count ? model->process_count : 1, sizeof *pids);
  if (!pids)
    return false;
  for (size_t i = 0; i < model->process_count; i++)
    pids[i] = model->processes[i].pid;
  model->counts.processes = count_distinct(pids, model->process_count, sizeof *pids, compare_ints);
  free(pids);
  return true;
}

static void
count_work(struct kiln_model *model)
{
  struct kiln_counts *counts = &model->counts;
  for (size_t i = 0; i < model->build_count; i++) {
    if (model->builds[i].result != KILN_BUILD_COMPILED)
      continue;
    counts->builds++;
    counts->source_bytes = kiln_model_sum(counts->source_bytes, model->builds[i].source_bytes);
  }
  for (size_t i = 0; i < model->load_count; i++)
    if (model->loads[i].result != KILN_BUILD_FAILED)
      counts->loads++;
  counts->launches = model->launch_overflow;
  for (size_t i = 0; i < model->launch_count; i++)
    counts->launches = kiln_model_sum(counts->launches, model->launches[i].count);
  counts->lto = model->lto_built;
}

/* Sum of the builds' spans over their union; the builds are sorted by begin. */
static double
overlap_of(const struct kiln_model *model)
{
  double sum = 0, covered = 0;
  uint64_t reached = 0, builds = 0;
  for (size_t i = 0; i < model->build_count; i++) {
    const struct kiln_model_build *build = &model->builds[i];
    uint64_t begin = build->start_ns, end = kiln_model_sum(build->start_ns, build->wall_ns);
    if (build->result != KILN_BUILD_COMPILED)
      continue;
    builds++;
    sum += (double)build->wall_ns;
    if (begin < reached)
      begin = reached;
    if (end > begin)
      covered += (double)(end - begin);
    if (end > reached)
      reached = end;
  }
  if (covered > 0)
    return sum / covered;
  return builds > 0 ? 1 : 0;
}

/* A process that was killed or left by _exit ends, for all we know, at its last event. */
static void
close_processes(struct kiln_model *model)
{
  const struct kiln_model_state *state = model->state;
  for (size_t i = 0; i < model->process_count; i++) {
    struct kiln_model_process *process = &model->processes[i];
    if (!process->ended)
      process->end_ns = state->lasts[i].ns;
    if (process->end_cpu_ns == 0)
      process->end_cpu_ns = state->lasts[i].cpu_ns;
  }
}

/* A forked child says nothing of itself: it runs what its parent runs, the latest image of that pid that had begun. */
static bool
inherit(struct kiln_model *model)
{
  struct kiln_index latest = {0};
  bool ok = true;
  for (size_t i = 0; i < model->process_count && ok; i++) {
    struct kiln_model_process *process = &model->processes[i];
    uint64_t *own = kiln_index_at(&latest, (uint64_t)process->pid, 0, UINT64_MAX);
    if (own)
      *own = i;
    uint64_t *row = own ? kiln_index_at(&latest, (uint64_t)process->ppid, 0, UINT64_MAX) : NULL;
    ok = row != NULL;
    if (!row || *row >= i || !process->forked)
      continue;
    const struct kiln_model_process *parent = &model->processes[*row];
    if (!process->python)
      process->python = parent->python;
    if (!process->framework_version)
      process->framework_version = parent->framework_version;
    if (!process->command)
      process->command = parent->command;
  }
  kiln_index_release(&latest);
  return ok;
}

enum kiln_status
kiln_model_finish(struct kiln_model *model, struct kiln_error *error)
{
  const struct kiln_model_state *state = model->state;
  if (!state)
    return KILN_OK;
  close_processes(model);
  bool failed = state->failed;
  kiln_model_sort(model);
  kiln_model_state_free(model);
  failed = !inherit(model) || !count_identities(model) || !count_processes(model) || failed || model->arena.failed;
  count_work(model);
  model->overlap = overlap_of(model);
  if (failed)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "no memory for the model of a run");
  return KILN_OK;
}
