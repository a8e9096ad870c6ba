#include "probe/report/modules.h"

#include <stdlib.h>

#include "probe/report/work.h"

enum { OWN, HEADER, NATIVE, CODEGEN, LOAD, TIMES };

/* One build or load of one cold run. */
struct entry {
  struct kiln_use of;
  size_t sample;
  struct kiln_where where;
  double builds, loads, times[TIMES];
};

/* Each device has its row. */
static int
order_keys(const struct entry *a, const struct entry *b)
{
  const int order = kiln_order_use(&a->of, &b->of);
  return order ? order : kiln_order_text(a->of.device, b->of.device);
}

static int
order_entries(const void *left, const void *right)
{
  const struct entry *a = left, *b = right;
  const int order = order_keys(a, b);
  if (order)
    return order;
  if (a->sample != b->sample)
    return a->sample < b->sample ? -1 : 1;
  return a->builds > b->builds ? -1 : a->builds < b->builds; /* a build knows better who asked */
}

static struct entry
entry_of_build(const struct kiln_model_build *build, size_t sample)
{
  return (struct entry){kiln_use_of_build(build), sample, build->where, 1, 0,
      {(double)kiln_build_own_wall_ns(build) / 1e9, (double)build->pch.wall_ns / 1e9,
          (double)build->native.wall_ns / 1e9, (double)build->codegen.wall_ns / 1e9, 0}};
}

static struct entry
entry_of_load(const struct kiln_model_load *load, size_t sample)
{
  return (struct entry){kiln_use_of_load(load), sample, load->where, 0, 1, {0, 0, 0, 0, (double)load->wall_ns / 1e9}};
}

static bool
counts(const struct kiln_report_arm *arm, size_t i)
{
  return arm->samples[i].cold.model && (arm->samples[i].valid || arm->cold.elapsed_s.n == 0);
}

static size_t
room_for(const struct kiln_report_arm *arm)
{
  size_t room = 0;
  for (size_t i = 0; i < arm->sample_count; i++)
    if (counts(arm, i))
      room += arm->samples[i].cold.model->build_count + arm->samples[i].cold.model->load_count;
  return room;
}

static size_t
collect(const struct kiln_report_arm *arm, struct entry *entries)
{
  size_t n = 0;
  for (size_t i = 0; i < arm->sample_count; i++) {
    if (!counts(arm, i))
      continue;
    const struct kiln_model *model = arm->samples[i].cold.model;
    for (size_t j = 0; j < model->build_count; j++)
      if (model->builds[j].result != KILN_BUILD_CACHED)
        entries[n++] = entry_of_build(&model->builds[j], i);
    for (size_t j = 0; j < model->load_count; j++)
      entries[n++] = entry_of_load(&model->loads[j], i);
  }
  qsort(entries, n, sizeof *entries, order_entries);
  return n;
}

/* Sum entries[from … to) sample by sample; values holds TIMES rows of `stride`. Returns the number of samples. */
static size_t
sum_samples(const struct entry *entries, size_t from, size_t to, double *values, size_t stride)
{
  size_t n = 0;
  for (size_t i = from; i < to; i++) {
    const bool another = i == from || entries[i].sample != entries[i - 1].sample;
    for (size_t k = 0; k < TIMES; k++) {
      double *at = &values[k * stride + n - (another ? 0 : 1)];
      *at = (another ? 0 : *at) + entries[i].times[k];
    }
    n += another;
  }
  return n;
}

static struct kiln_module_cost
merge(const struct entry *entries, size_t from, size_t to, double *values, size_t stride)
{
  const struct entry *first = &entries[from];
  struct kiln_module_cost cost = {.framework = first->of.framework,
      .module = first->of.module,
      .identity = first->of.identity,
      .device = first->of.device,
      .block_dim = first->of.block_dim};
  struct kiln_interval *const intervals[TIMES] = {
      [OWN] = &cost.own_s,
      [HEADER] = &cost.header_s,
      [NATIVE] = &cost.native_s,
      [CODEGEN] = &cost.codegen_s,
      [LOAD] = &cost.load_s,
  };
  for (size_t i = from; i < to; i++) {
    if (!cost.where.file)
      cost.where = entries[i].where;
    if (entries[i].sample == first->sample) {
      cost.builds += entries[i].builds;
      cost.loads += entries[i].loads;
    }
  }
  const size_t n = sum_samples(entries, from, to, values, stride);
  for (size_t k = 0; k < TIMES; k++)
    *intervals[k] = kiln_interval_of(&values[k * stride], n);
  return cost;
}

static int
order_costs(const void *left, const void *right)
{
  const struct kiln_module_cost *a = left, *b = right;
  const double x = a->own_s.median + a->load_s.median, y = b->own_s.median + b->load_s.median;
  if (x != y)
    return x < y ? 1 : -1;
  return kiln_order_text(a->module, b->module);
}

struct kiln_module_cost *
kiln_module_costs(const struct kiln_report_arm *arm, size_t *count, bool *failed)
{
  const size_t room = room_for(arm), stride = arm->sample_count;
  *count = 0;
  *failed = false;
  if (room == 0)
    return NULL;
  struct entry *entries = malloc(room * sizeof *entries);
  struct kiln_module_cost *costs = malloc(room * sizeof *costs);
  double *values = calloc(TIMES * stride, sizeof *values);
  *failed = !entries || !costs || !values;
  const size_t n = *failed ? 0 : collect(arm, entries);
  for (size_t from = 0, to; from < n; from = to) {
    for (to = from + 1; to < n && order_keys(&entries[from], &entries[to]) == 0; to++)
      ;
    costs[(*count)++] = merge(entries, from, to, values, stride);
  }
  free(entries);
  free(values);
  if (*count == 0) {
    free(costs);
    return NULL;
  }
  qsort(costs, *count, sizeof *costs, order_costs);
  return costs;
}
