/*
 * Recorded pairs as a source of series, for bench/aa.c and the replay of ./dev test.
 *
 * A series is made of blocks of 8 neighbouring pairs, drawn anew, in which a fair coin says for each pair which of the
 * two runs is the baseline: what links neighbours on a busy machine stays, and nothing has changed.
 */
#ifndef KILN_BENCH_SERIES_H
#define KILN_BENCH_SERIES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_read.h"
#include "os/file.h"
#include "probe/coin.h"
#include "probe/sequential.h"

#define SERIES_BLOCK 8
#define SERIES_MOST 4096

struct series {
  double (*pairs)[2]; /* in time order; as recorded */
  size_t count;
  double median; /* of all runs */
  bool injected; /* the second of each pair is slower */
};

/* What many series came to. */
struct series_result {
  size_t made, verdicts[4], pairs; /* by enum kiln_verdict; pairs used in all */
  size_t wrong;                    /* the other direction than injected */
};

static int
series_compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void
series_median(struct series *series)
{
  const size_t n = 2 * series->count;
  double *all = n ? malloc(n * sizeof *all) : NULL;
  if (!all)
    return;
  memcpy(all, series->pairs, n * sizeof *all);
  qsort(all, n, sizeof *all, series_compare);
  series->median = (all[(n - 1) / 2] + all[n / 2]) / 2;
  free(all);
}

/* key: "cold_cpu_s" …; false when the file is no recording. */
static bool
series_read(struct series *series, const char *path, const char *key)
{
  struct kiln_buf text;
  struct cJSON *tree = NULL;
  memset(series, 0, sizeof *series);
  kiln_buf_init(&text);
  if (kiln_file_read(path, (size_t)1 << 26, &text, NULL) == KILN_OK &&
      kiln_json_parse(kiln_buf_text(&text), text.len, path, &tree, NULL) == KILN_OK) {
    const struct cJSON *pairs = kiln_json_get(tree, "pairs");
    series->pairs = calloc(kiln_json_count(pairs) + 1, sizeof *series->pairs);
    series->injected = kiln_json_get_double(tree, "injected_s", 0) > 0;
    for (const struct cJSON *pair = kiln_json_first(pairs); series->pairs && pair && series->count < SERIES_MOST;
         pair = kiln_json_next(pair)) {
      const struct cJSON *first = kiln_json_first(kiln_json_get(pair, key));
      series->pairs[series->count][0] = kiln_json_as_double(first, 0);
      series->pairs[series->count][1] = kiln_json_as_double(kiln_json_next(first), 0);
      series->count += series->pairs[series->count][0] > 0 && series->pairs[series->count][1] > 0;
    }
  }
  kiln_json_free(tree);
  kiln_buf_release(&text);
  series_median(series);
  return series->count >= SERIES_BLOCK;
}

/* extra: seconds more for the candidate. d has room for KILN_SEQUENTIAL_MAX. Was the second run made the baseline in
 * pair i? A whole series of an injected recording has one direction, drawn by the caller. */
static void
series_draw(const struct series *series, struct kiln_coin *coin, double extra, bool swap_all, double *d)
{
  size_t n = 0;
  while (n < KILN_SEQUENTIAL_MAX) {
    size_t at = (size_t)kiln_coin_below(coin, series->count);
    for (size_t i = 0; i < SERIES_BLOCK && n < KILN_SEQUENTIAL_MAX; i++, at = (at + 1) % series->count) {
      const bool swap = series->injected ? swap_all : kiln_coin_flip(coin);
      const double base = series->pairs[at][swap], candidate = series->pairs[at][!swap] + extra;
      d[n++] = log(candidate) - log(base); /* as in src/probe/verdict.c */
    }
  }
}

/* `made` series; extra as a fraction of the median. */
static struct series_result
series_try(const struct series *series, size_t made, double extra, uint64_t seed)
{
  struct series_result result = {0};
  struct kiln_sequence sequence;
  struct kiln_coin coin;
  double d[KILN_SEQUENTIAL_MAX];
  kiln_coin_init(&coin, seed);
  for (; result.made < made; result.made++) {
    const bool swap = kiln_coin_flip(&coin);
    series_draw(series, &coin, extra * series->median, swap, d);
    if (kiln_sequence_judge(d, KILN_SEQUENTIAL_MAX, KILN_SEQUENTIAL_RESOLUTION, &sequence, NULL) != KILN_OK)
      break;
    result.verdicts[sequence.verdict]++;
    result.pairs += sequence.looks[sequence.look_count - 1].pairs;
    result.wrong += sequence.verdict == (series->injected && swap ? KILN_VERDICT_REGRESSED : KILN_VERDICT_IMPROVED);
  }
  return result;
}

static void
series_release(struct series *series)
{
  free(series->pairs);
}

#endif
