#include "probe/report/identities.h"

#include <stdlib.h>
#include <string.h>

struct gathering {
  struct kiln_model_hash *items;
  size_t count, capacity;
  bool failed;
};

static void
gather(struct gathering *gathering, const struct kiln_model_hash *hashes, size_t count)
{
  for (size_t i = 0; i < count && !gathering->failed; i++) {
    if (hashes[i].kernel_count + hashes[i].option_count == 0 || !hashes[i].module || !hashes[i].identity)
      continue;
    if (KILN_GROW(gathering->items, gathering->count, gathering->capacity))
      gathering->items[gathering->count++] = hashes[i];
    else
      gathering->failed = true;
  }
}

static void
gather_runs(struct gathering *gathering, const struct kiln_report_arm *arm)
{
  for (size_t i = 0; i < arm->sample_count; i++) {
    const struct kiln_model *const models[2] = {arm->samples[i].cold.model, arm->samples[i].warm.model};
    for (int j = 0; j < 2; j++)
      if (models[j])
        gather(gathering, models[j]->hashes, models[j]->hash_count);
  }
}

static int
order_texts(const char *a, const char *b)
{
  return strcmp(a ? a : "", b ? b : "");
}

static int
compare(const void *left, const void *right)
{
  const struct kiln_model_hash *a = left, *b = right;
  int order = order_texts(a->framework, b->framework);
  if (!order)
    order = order_texts(a->module, b->module);
  if (!order)
    order = (a->block_dim > b->block_dim) - (a->block_dim < b->block_dim);
  return order ? order : order_texts(a->identity, b->identity);
}

struct kiln_model_hash *
kiln_report_identities(const struct kiln_report *report, size_t *count)
{
  struct gathering gathering = {0};
  *count = 0;
  gather(&gathering, report->identities, report->identity_count);
  for (size_t i = 0; i < report->arm_count; i++)
    gather_runs(&gathering, &report->arms[i]);
  if (gathering.failed || gathering.count == 0) {
    free(gathering.items);
    return NULL;
  }
  qsort(gathering.items, gathering.count, sizeof *gathering.items, compare);
  for (size_t i = 0; i < gathering.count; i++)
    if (i == 0 || compare(&gathering.items[i], &gathering.items[*count - 1]) != 0)
      gathering.items[(*count)++] = gathering.items[i];
  return gathering.items;
}
