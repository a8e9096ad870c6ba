/* "did you mean": the nearest name by edit distance. */
#include <stdint.h>
#include <string.h>

#include "cli.h"

#define SUGGEST_LENGTH 32

static size_t
least(size_t a, size_t b, size_t c)
{
  size_t ab = a < b ? a : b;
  return ab < c ? ab : c;
}

/* Insertions, deletions and replacements between two short words; a neighbour swap costs two. */
static size_t
distance(const char *a, const char *b)
{
  size_t row[SUGGEST_LENGTH + 1], i, j;
  size_t len_a = strlen(a), len_b = strlen(b);
  if (len_a > SUGGEST_LENGTH || len_b > SUGGEST_LENGTH) {
    return SIZE_MAX;
  }
  for (j = 0; j <= len_b; j++) {
    row[j] = j;
  }
  for (i = 1; i <= len_a; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (j = 1; j <= len_b; j++) {
      size_t above = row[j];
      row[j] = least(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1));
      diagonal = above;
    }
  }
  return row[len_b];
}

const char *
kiln_cli_nearest(
    const char *word, size_t count, const char *(*name_of)(const void *context, size_t i), const void *context)
{
  const char *best = NULL;
  size_t i, best_distance = strlen(word) / 3 + 2;
  for (i = 0; i < count; i++) {
    const char *name = name_of(context, i);
    size_t d = distance(word, name);
    if (d < best_distance) {
      best_distance = d;
      best = name;
    }
  }
  return best;
}
