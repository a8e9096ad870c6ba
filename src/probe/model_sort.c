#include "probe/model_sort.h"

#include <stdlib.h>
#include <string.h>

static int
order_numbers(uint64_t a, uint64_t b)
{
  return a < b ? -1 : a > b;
}

static int
order_texts(const char *a, const char *b)
{
  if (a == b || !a || !b)
    return (a != NULL) - (b != NULL);
  return strcmp(a, b);
}

static int
order_events(uint64_t a_ns, uint64_t b_ns, int a_pid, int b_pid)
{
  int order = order_numbers(a_ns, b_ns);
  return order ? order : (a_pid > b_pid) - (a_pid < b_pid);
}

static int
compare_processes(const void *left, const void *right)
{
  const struct kiln_model_process *a = left, *b = right;
  return order_events(a->start_ns, b->start_ns, a->pid, b->pid);
}

static int
compare_builds(const void *left, const void *right)
{
  const struct kiln_model_build *a = left, *b = right;
  int order = order_events(a->start_ns, b->start_ns, a->pid, b->pid);
  return order ? order : order_texts(a->module, b->module);
}

static int
compare_loads(const void *left, const void *right)
{
  const struct kiln_model_load *a = left, *b = right;
  int order = order_events(a->start_ns, b->start_ns, a->pid, b->pid);
  return order ? order : order_texts(a->module, b->module);
}

static int
compare_declarations(const void *left, const void *right)
{
  const struct kiln_model_declaration *a = left, *b = right;
  int order = order_events(a->t_ns, b->t_ns, a->pid, b->pid);
  if (!order)
    order = order_texts(a->kernel, b->kernel);
  return order ? order : order_texts(a->overload, b->overload);
}

static int
compare_hashes(const void *left, const void *right)
{
  const struct kiln_model_hash *a = left, *b = right;
  int order = order_events(a->t_ns, b->t_ns, a->pid, b->pid);
  if (!order)
    order = order_texts(a->module, b->module);
  return order ? order : order_texts(a->identity, b->identity);
}

static int
compare_options(const void *left, const void *right)
{
  const struct kiln_model_option *a = left, *b = right;
  int order = order_events(a->t_ns, b->t_ns, a->pid, b->pid);
  if (!order)
    order = order_texts(a->module, b->module);
  return order ? order : order_texts(a->name, b->name);
}

static int
compare_caches(const void *left, const void *right)
{
  const struct kiln_model_cache *a = left, *b = right;
  int order = order_events(a->t_ns, b->t_ns, a->pid, b->pid);
  return order ? order : order_texts(a->path, b->path);
}

static int
compare_marks(const void *left, const void *right)
{
  const struct kiln_model_mark *a = left, *b = right;
  int order = order_events(a->t_ns, b->t_ns, a->pid, b->pid);
  return order ? order : order_texts(a->name, b->name);
}

static int
compare_levers(const void *left, const void *right)
{
  const struct kiln_model_lever *a = left, *b = right;
  int order = order_events(a->t_ns, b->t_ns, a->pid, b->pid);
  if (!order)
    order = order_texts(a->id, b->id);
  return order ? order : order_texts(a->module, b->module);
}

static int
compare_links(const void *left, const void *right)
{
  const struct kiln_model_link *a = left, *b = right;
  int order = order_events(a->start_ns, b->start_ns, a->pid, b->pid);
  return order ? order : order_texts(a->symbol, b->symbol);
}

static int
compare_headers(const void *left, const void *right)
{
  const struct kiln_model_header *a = left, *b = right;
  int order = order_events(a->start_ns, b->start_ns, a->pid, b->pid);
  return order ? order : (a->tid > b->tid) - (a->tid < b->tid);
}

static int
compare_moments(const void *left, const void *right)
{
  const struct kiln_model_moment *a = left, *b = right;
  int order = order_events(a->t_ns, b->t_ns, a->pid, b->pid);
  return order ? order : order_texts(a->kind, b->kind);
}

static int
compare_launches(const void *left, const void *right)
{
  const struct kiln_model_launch *a = left, *b = right;
  int order = order_texts(a->framework, b->framework);
  if (!order)
    order = order_texts(a->module, b->module);
  if (!order)
    order = order_texts(a->kernel, b->kernel);
  if (!order)
    order = order_texts(a->direction, b->direction);
  if (!order)
    order = order_texts(a->device, b->device);
  if (!order)
    order = (a->block_dim > b->block_dim) - (a->block_dim < b->block_dim);
  if (!order)
    order = order_events(a->dim, b->dim, a->pid, b->pid);
  return order ? order : order_texts(a->identity, b->identity);
}

static void
sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *))
{
  if (count > 1)
    qsort(items, count, size, compare);
}

void
kiln_model_sort(struct kiln_model *model)
{
  sort(model->processes, model->process_count, sizeof *model->processes, compare_processes);
  sort(model->builds, model->build_count, sizeof *model->builds, compare_builds);
  sort(model->loads, model->load_count, sizeof *model->loads, compare_loads);
  sort(model->declarations, model->declaration_count, sizeof *model->declarations, compare_declarations);
  sort(model->hashes, model->hash_count, sizeof *model->hashes, compare_hashes);
  sort(model->options, model->option_count, sizeof *model->options, compare_options);
  sort(model->caches, model->cache_count, sizeof *model->caches, compare_caches);
  sort(model->marks, model->mark_count, sizeof *model->marks, compare_marks);
  sort(model->links, model->link_count, sizeof *model->links, compare_links);
  sort(model->headers, model->header_count, sizeof *model->headers, compare_headers);
  sort(model->moments, model->moment_count, sizeof *model->moments, compare_moments);
  sort(model->levers, model->lever_count, sizeof *model->levers, compare_levers);
  sort(model->launches, model->launch_count, sizeof *model->launches, compare_launches);
}
