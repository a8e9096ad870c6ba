/*
 * How often hl-seq-1 errs on recorded pairs: `bench.aa [SERIES [FOLDER]]` (default 10000, bench/results/pairs).
 *
 * For each recording of one program against itself: false verdicts among SERIES series with random labels, and how many
 * of them find +5 %. For a recording with a real busy wait (NAME-slow): how many find it. Exit status 1 when more than
 * 1.26 % of the verdicts of one program are false, which the rule rules out on any noise.
 */
#include <stdio.h>

#include "base/text.h"
#include "bench/series.h"

#define BOUND 0.0126
#define SEED UINT64_C(0x1f3a)

struct search {
  size_t series;
  int found, exceeded;
};

static double
percent(size_t part, size_t whole)
{
  return whole ? 100.0 * (double)part / (double)whole : 0;
}

static double
mean_pairs(const struct series_result *result)
{
  return result->made ? (double)result->pairs / (double)result->made : 0;
}

static void
try_same(struct search *search, const struct series *series, const char *metric)
{
  const struct series_result same = series_try(series, search->series, 0, SEED);
  const struct series_result slow = series_try(series, search->series / 10, 0.05, SEED + 1);
  const size_t wrong = same.verdicts[KILN_VERDICT_IMPROVED] + same.verdicts[KILN_VERDICT_REGRESSED];
  printf("  %-14s A/A %zu series: false %.2f %%, SAME %.1f %%, %.0f pairs; +5 %% added: found %.1f %%, %.0f pairs\n",
      metric, same.made, percent(wrong, same.made), percent(same.verdicts[KILN_VERDICT_SAME], same.made),
      mean_pairs(&same), percent(slow.verdicts[KILN_VERDICT_REGRESSED], slow.made), mean_pairs(&slow));
  search->exceeded += (double)wrong > BOUND * (double)same.made;
}

static void
try_injected(const struct search *search, const struct series *series, const char *metric)
{
  const struct series_result slow = series_try(series, search->series / 10, 0, SEED + 2);
  const size_t right = slow.verdicts[KILN_VERDICT_IMPROVED] + slow.verdicts[KILN_VERDICT_REGRESSED] - slow.wrong;
  printf("  %-14s busy wait: found %.1f %% of %zu series, wrong direction %.2f %%, %.0f pairs\n", metric,
      percent(right, slow.made), slow.made, percent(slow.wrong, slow.made), mean_pairs(&slow));
}

static bool
try_file(void *context, const char *path, const struct kiln_file_info *info)
{
  static const char *const metrics[] = {"cold_cpu_s", "cold_elapsed_s"};
  struct search *search = context;
  if (info->kind != KILN_FILE_REGULAR || !kiln_text_ends(path, ".json"))
    return true;
  for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
    struct series series;
    if (series_read(&series, path, metrics[i])) {
      if (i == 0)
        printf("%s: %zu pairs, median %.3f s of CPU\n", kiln_text_base_name(path), series.count, series.median);
      if (series.injected)
        try_injected(search, &series, metrics[i]);
      else
        try_same(search, &series, metrics[i]);
      search->found++;
    }
    series_release(&series);
  }
  return true;
}

int
main(int argc, char **argv)
{
  struct search search = {10000, 0, 0};
  uint64_t number;
  if (argc > 1 && (!kiln_text_parse_uint(argv[1], &number) || number < 10 || number > 10000000)) {
    fprintf(stderr, "usage: %s [SERIES [FOLDER]]\n", argv[0]);
    return 2;
  }
  search.series = argc > 1 ? (size_t)number : search.series;
  kiln_folder_walk(argc > 2 ? argv[2] : "bench/results/pairs", 1, try_file, &search, NULL);
  if (search.found == 0)
    printf("no recording; bench/record_pairs.sh makes them\n");
  return search.exceeded > 0;
}
