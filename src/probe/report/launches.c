#include "probe/report/launches.h"

#include <stdlib.h>
#include <string.h>

#include "probe/report/work.h"

static int
compare_launches(const void *a, const void *b)
{
  const struct kiln_model_launch *left = a, *right = b;
  int order = kiln_order_text(left->framework, right->framework);
  order = order ? order : kiln_order_text(left->module, right->module);
  order = order ? order : kiln_order_text(left->kernel, right->kernel);
  order = order ? order : kiln_order_text(left->identity, right->identity);
  order = order ? order : kiln_order_text(left->device, right->device);
  order = order ? order : kiln_order_text(left->direction, right->direction);
  order = order ? order : (left->block_dim > right->block_dim) - (left->block_dim < right->block_dim);
  return order ? order : (left->dim > right->dim) - (left->dim < right->dim);
}

struct kiln_model_launch *
kiln_launches_sum(const struct kiln_model *model, size_t *count)
{
  *count = 0;
  struct kiln_model_launch *rows = model->launch_count ? malloc(model->launch_count * sizeof *rows) : NULL;
  if (!rows)
    return NULL;
  memcpy(rows, model->launches, model->launch_count * sizeof *rows);
  qsort(rows, model->launch_count, sizeof *rows, compare_launches);
  for (size_t i = 0; i < model->launch_count; i++) {
    if (*count && compare_launches(&rows[*count - 1], &rows[i]) == 0) {
      rows[*count - 1].count += rows[i].count;
      continue;
    }
    rows[*count] = rows[i];
    rows[(*count)++].pid = 0;
  }
  return rows;
}
