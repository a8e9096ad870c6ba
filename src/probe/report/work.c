#include "probe/report/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct span {
  uint64_t begin, end;
};

double
kiln_run_native_s(const struct kiln_report_run *run)
{
  if (run->from_file)
    return run->native_s;
  uint64_t sum = 0;
  for (size_t i = 0; run->model && i < run->model->build_count; i++)
    sum += run->model->builds[i].native.wall_ns;
  return (double)sum / 1e9;
}

bool
kiln_run_is_split(const struct kiln_report_run *run)
{
  for (int i = 0; i < KILN_PHASE_COUNT; i++)
    if (i != KILN_PHASE_REST && (run->phase[i].wall_ns > 0 || run->phase[i].cpu_ns > 0))
      return true;
  return false;
}

bool
kiln_arm_is_split(const struct kiln_report_arm *arm)
{
  for (size_t i = 0; i < arm->sample_count; i++)
    if (arm->samples[i].valid && (kiln_run_is_split(&arm->samples[i].cold) || kiln_run_is_split(&arm->samples[i].warm)))
      return true;
  return false;
}

static int
compare_spans(const void *a, const void *b)
{
  const struct span *left = a, *right = b;
  return (left->begin > right->begin) - (left->begin < right->begin);
}

static uint64_t
union_of(struct span *spans, size_t count)
{
  qsort(spans, count, sizeof *spans, compare_spans);
  uint64_t sum = 0, covered = 0;
  for (size_t i = 0; i < count; i++) {
    const uint64_t begin = spans[i].begin > covered ? spans[i].begin : covered;
    if (spans[i].end > begin) {
      sum += spans[i].end - begin;
      covered = spans[i].end;
    }
  }
  return sum;
}

double
kiln_run_module_work_s(const struct kiln_report_run *run)
{
  if (run->from_file)
    return run->module_work_s;
  const struct kiln_model *model = run->model;
  const size_t count = model ? model->build_count + model->load_count : 0;
  struct span *spans = count ? malloc(count * sizeof *spans) : NULL;
  if (!spans)
    return 0;
  size_t n = 0;
  for (size_t i = 0; i < model->build_count; i++)
    spans[n++] = (struct span){model->builds[i].start_ns, model->builds[i].start_ns + model->builds[i].wall_ns};
  for (size_t i = 0; i < model->load_count; i++)
    spans[n++] = (struct span){model->loads[i].start_ns, model->loads[i].start_ns + model->loads[i].wall_ns};
  const uint64_t sum = union_of(spans, n);
  free(spans);
  return (double)sum / 1e9;
}

uint64_t
kiln_build_own_wall_ns(const struct kiln_model_build *build)
{
  return build->wall_ns > build->pch.wall_ns ? build->wall_ns - build->pch.wall_ns : 0;
}

uint64_t
kiln_build_own_cpu_ns(const struct kiln_model_build *build)
{
  return build->cpu_ns > build->pch.cpu_ns ? build->cpu_ns - build->pch.cpu_ns : 0;
}

int
kiln_order_text(const char *a, const char *b)
{
  return strcmp(a ? a : "", b ? b : "");
}

int
kiln_order_device_kind(const char *a, const char *b)
{
  a = a ? a : "";
  b = b ? b : "";
  const size_t left = strcspn(a, ":"), right = strcspn(b, ":");
  const int order = memcmp(a, b, left < right ? left : right);
  return order ? order : (left > right) - (left < right);
}

struct kiln_use
kiln_use_of_build(const struct kiln_model_build *build)
{
  return (struct kiln_use){build->framework, build->module, build->identity, build->device, build->block_dim};
}

struct kiln_use
kiln_use_of_load(const struct kiln_model_load *load)
{
  return (struct kiln_use){load->framework, load->module, load->identity, load->device, load->block_dim};
}

int
kiln_order_module(const struct kiln_use *a, const struct kiln_use *b)
{
  int order = kiln_order_text(a->framework, b->framework);
  order = order ? order : kiln_order_text(a->module, b->module);
  order = order ? order : kiln_order_device_kind(a->device, b->device);
  return order ? order : (a->block_dim > b->block_dim) - (a->block_dim < b->block_dim);
}

int
kiln_order_use(const struct kiln_use *a, const struct kiln_use *b)
{
  const int order = kiln_order_module(a, b);
  return order ? order : kiln_order_text(a->identity, b->identity);
}

const char *
kiln_device_label(char *label, const char *device, int block_dim)
{
  if (block_dim > 0)
    snprintf(label, KILN_DEVICE_LABEL, "%.64s, block %d", device ? device : "?", block_dim);
  else
    snprintf(label, KILN_DEVICE_LABEL, "%.64s", device ? device : "?");
  return label;
}
