#include "probe/report/processes.h"

#include <stdlib.h>

/* Positions in model->processes, sorted by pid and then by start. */
struct images {
  const struct kiln_model *model;
  struct image {
    int pid;
    uint64_t start_ns;
    size_t at;
  } * items;
};

static int
compare_images(const void *a, const void *b)
{
  const struct image *left = a, *right = b;
  if (left->pid != right->pid)
    return left->pid < right->pid ? -1 : 1;
  return (left->start_ns > right->start_ns) - (left->start_ns < right->start_ns);
}

/* First of the images of this pid; process_count when there is none. */
static size_t
first_of(const struct images *images, int pid)
{
  size_t low = 0, high = images->model->process_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (images->items[middle].pid < pid)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The image of this process that ran at time t; UINT64_MAX: the last one with an interpreter. NULL: none is known. */
static struct kiln_process_work *
work_at(const struct images *images, struct kiln_process_work *work, int pid, uint64_t t)
{
  const size_t count = images->model->process_count;
  struct kiln_process_work *found = NULL;
  for (size_t i = first_of(images, pid); i < count && images->items[i].pid == pid; i++) {
    const size_t at = images->items[i].at;
    const bool fits = t == UINT64_MAX ? images->model->processes[at].python != NULL : images->items[i].start_ns <= t;
    if (!found || fits)
      found = &work[at];
  }
  return found;
}

static void
count_work(const struct images *images, struct kiln_process_work *work)
{
  const struct kiln_model *model = images->model;
  struct kiln_process_work *one;
  for (size_t i = 0; i < model->process_count; i++)
    work[i].launches = model->processes[i].launches;
  for (size_t i = 0; i < model->build_count; i++)
    if (model->builds[i].result == KILN_BUILD_COMPILED &&
        (one = work_at(images, work, model->builds[i].pid, model->builds[i].start_ns)) != NULL)
      one->builds++;
  for (size_t i = 0; i < model->load_count; i++)
    if (model->loads[i].result != KILN_BUILD_FAILED &&
        (one = work_at(images, work, model->loads[i].pid, model->loads[i].start_ns)) != NULL)
      one->loads++;
  for (size_t i = 0; i < model->launch_count; i++)
    if ((one = work_at(images, work, model->launches[i].pid, UINT64_MAX)) != NULL)
      one->launches += model->launches[i].count;
}

struct kiln_process_work *
kiln_processes_work(const struct kiln_model *model)
{
  const size_t count = model->process_count;
  if (count == 0)
    return NULL;
  struct kiln_process_work *work = calloc(count, sizeof *work);
  struct images images = {model, calloc(count, sizeof *images.items)};
  if (work && images.items) {
    for (size_t i = 0; i < count; i++)
      images.items[i] = (struct image){model->processes[i].pid, model->processes[i].start_ns, i};
    qsort(images.items, count, sizeof *images.items, compare_images);
    count_work(&images, work);
  } else {
    free(work);
    work = NULL;
  }
  free(images.items);
  return work;
}
