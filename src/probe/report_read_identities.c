/* The list of identities of a report file. */
#include <stdlib.h>
#include <string.h>

#include "probe/report_read.h"

#define MOST_IDENTITIES 1000000

static int
compare_pairs(const void *left, const void *right)
{
  const struct kiln_model_pair *a = left, *b = right;
  return strcmp(a->name, b->name);
}

static const struct kiln_model_pair *
read_pairs(struct kiln_report *report, const struct cJSON *object, size_t *count)
{
  const size_t wanted = kiln_json_is_object(object) ? kiln_json_count(object) : 0;
  struct kiln_model_pair *pairs = wanted ? kiln_arena_alloc(&report->arena, wanted * sizeof *pairs) : NULL;
  *count = 0;
  if (!pairs)
    return NULL;
  for (const struct cJSON *at = kiln_json_first(object); at; at = kiln_json_next(at)) {
    pairs[*count].name = kiln_arena_strdup(&report->arena, kiln_json_member_name(at));
    pairs[*count].value = kiln_arena_strdup(&report->arena, kiln_json_as_string(at, NULL));
    *count += pairs[*count].name != NULL;
  }
  qsort(pairs, *count, sizeof *pairs, compare_pairs);
  return pairs;
}

static struct kiln_model_hash
read_identity(struct kiln_report *report, const struct cJSON *row)
{
  const int64_t block_dim = kiln_json_get_int(row, "block_dim", 0);
  struct kiln_model_hash hash = {
      .framework = kiln_arena_strdup(&report->arena, kiln_json_get_string(row, "framework", NULL)),
      .module = kiln_arena_strdup(&report->arena, kiln_json_get_string(row, "module", NULL)),
      .identity = kiln_arena_strdup(&report->arena, kiln_json_get_string(row, "identity", NULL)),
      .block_dim = block_dim >= 0 && block_dim <= INT32_MAX ? (int)block_dim : 0,
  };
  hash.kernels = read_pairs(report, kiln_json_get(row, "kernels"), &hash.kernel_count);
  hash.options = read_pairs(report, kiln_json_get(row, "options"), &hash.option_count);
  return hash;
}

bool
kiln_report_read_identities(struct kiln_report *report, const struct cJSON *tree)
{
  const struct cJSON *list = kiln_json_get(tree, "identities");
  const size_t count = kiln_json_is_array(list) ? kiln_json_count(list) : 0;
  if (count == 0 || count > MOST_IDENTITIES)
    return true;
  report->identities = kiln_arena_alloc(&report->arena, count * sizeof *report->identities);
  for (const struct cJSON *row = kiln_json_first(list); report->identities && row; row = kiln_json_next(row))
    report->identities[report->identity_count++] = read_identity(report, row);
  return report->identities && !report->arena.failed;
}
