#include "probe/compare_launches.h"

#include <stdio.h>

#include "probe/compare_load.h"

/* As many differences are spelt out; the rest is counted. */
#define MOST_NOTES 5
#define MOST_NAMES 8

struct unlike {
  struct kiln_comparison *comparison;
  const char *run_name;
  const struct kiln_loaded_report *a, *b;
  size_t found;
  bool kept;
};

static void
note_difference(struct unlike *unlike, const struct kiln_loaded_launch *launch, uint64_t a, uint64_t b)
{
  if (unlike->found++ >= MOST_NOTES)
    return;
  char dim[24] = "other dims";
  if (launch->dim >= 0)
    snprintf(dim, sizeof dim, "dim %lld", (long long)launch->dim);
  unlike->kept =
      unlike->kept &&
      kiln_comparison_note(unlike->comparison,
          "%s launches differ: kernel `%s` (%s, %s, block size %lld, %s) has the count %llu in '%s' and %llu in '%s'",
          unlike->run_name, launch->kernel, dim, launch->device, (long long)launch->block_dim, launch->direction,
          (unsigned long long)a, unlike->a->name, (unsigned long long)b, unlike->b->name);
}

bool
kiln_compare_launches(struct kiln_comparison *comparison, const char *run_name, const struct kiln_loaded_report *a,
    const struct kiln_loaded_report *b, int run, bool *kept)
{
  const struct kiln_loaded_run *x = &a->samples[0].run[run], *y = &b->samples[0].run[run];
  struct unlike unlike = {comparison, run_name, a, b, 0, *kept};
  for (size_t i = 0, j = 0; i < x->launch_count || j < y->launch_count;) {
    int order = i == x->launch_count ? 1 : -1;
    if (i < x->launch_count && j < y->launch_count)
      order = kiln_loaded_launch_order(&x->launches[i], &y->launches[j]);
    if (order < 0)
      note_difference(&unlike, &x->launches[i], x->launches[i].count, 0);
    else if (order > 0)
      note_difference(&unlike, &y->launches[j], 0, y->launches[j].count);
    else if (x->launches[i].count != y->launches[j].count)
      note_difference(&unlike, &x->launches[i], x->launches[i].count, y->launches[j].count);
    i += order <= 0;
    j += order >= 0;
  }
  if (unlike.found > MOST_NOTES)
    unlike.kept = unlike.kept && kiln_comparison_note(comparison, "%s launches differ in %zu more places", run_name,
                                     unlike.found - MOST_NOTES);
  *kept = unlike.kept;
  return unlike.found == 0;
}

/* "`kernel` of `module`, …": pairs of x that y lacks. */
static size_t
list_missing(struct kiln_buf *out, const struct kiln_loaded_run *x, const struct kiln_loaded_run *y)
{
  size_t found = 0;
  for (size_t i = 0, j = 0; i < x->name_count; i++) {
    while (j < y->name_count && kiln_loaded_name_order(&y->names[j], &x->names[i]) < 0)
      j++;
    if (j < y->name_count && kiln_loaded_name_order(&y->names[j], &x->names[i]) == 0)
      continue;
    if (found++ < MOST_NAMES)
      kiln_buf_printf(out, "%s`%s` of `%s`", found > 1 ? ", " : "", x->names[i].kernel, x->names[i].module);
  }
  if (found > MOST_NAMES)
    kiln_buf_printf(out, " and %zu more", found - MOST_NAMES);
  return found;
}

bool
kiln_compare_names(
    struct kiln_comparison *comparison, const struct kiln_loaded_report *a, const struct kiln_loaded_report *b)
{
  struct kiln_buf only_a, only_b;
  kiln_buf_init(&only_a);
  kiln_buf_init(&only_b);
  size_t found = list_missing(&only_a, &a->samples[0].run[0], &b->samples[0].run[0]);
  found += list_missing(&only_b, &b->samples[0].run[0], &a->samples[0].run[0]);
  bool kept = !only_a.failed && !only_b.failed;
  if (found)
    kept = kept &&
           kiln_comparison_note(comparison, "the same kernels come from modules of other names: in '%s' %s; in '%s' %s",
               a->name, only_a.len ? kiln_buf_text(&only_a) : "none", b->name,
               only_b.len ? kiln_buf_text(&only_b) : "none");
  kiln_buf_release(&only_a);
  kiln_buf_release(&only_b);
  return kept;
}
