/*
 * The rule `hl-seq-1`: has a quantity changed between baseline and candidate, told from pairs that were measured
 * together?
 *
 * Each pair gives d = ln candidate - ln baseline. At fixed numbers of pairs, the looks, the Hodges-Lehmann estimate
 * (the median of the Walsh averages, Hodges and Lehmann 1963) and two exact intervals from Wilcoxon's signed-rank null
 * decide or let the measurement go on. A REGRESSED or IMPROVED is false at most 1.26 times in 100, whatever the noise,
 * if a fair coin chose who starts first. Nothing is decided between looks.
 */
#ifndef KILN_PROBE_SEQUENTIAL_H
#define KILN_PROBE_SEQUENTIAL_H

#include <stddef.h>

#include "kiln/error.h"

#define KILN_SEQUENTIAL_RULE "hl-seq-1"
#define KILN_SEQUENTIAL_LOOKS 9
#define KILN_SEQUENTIAL_MAX 181         /* pairs at the last look */
#define KILN_SEQUENTIAL_P_ALPHA 0.00075 /* one-sided, at each look: a change */
#define KILN_SEQUENTIAL_P_BETA 0.01     /* one-sided, at each look: no change */
#define KILN_SEQUENTIAL_FLOOR 0.01      /* smaller changes are real but idle */
#define KILN_SEQUENTIAL_RESOLUTION 0.05 /* SAME excludes this much */

enum kiln_verdict { KILN_VERDICT_INCONCLUSIVE, KILN_VERDICT_SAME, KILN_VERDICT_IMPROVED, KILN_VERDICT_REGRESSED };
const char *kiln_verdict_name(enum kiln_verdict verdict); /* "SAME" … */

/* Pairs of each look, and the ranks of its two intervals; the tables are checked against the exact null by a test. */
struct kiln_look_plan {
  size_t pairs, k_alpha, k_beta;
};
extern const struct kiln_look_plan kiln_looks[KILN_SEQUENTIAL_LOOKS];

/* Natural logarithms; kiln_log_percent gives percent. */
struct kiln_look {
  size_t pairs; /* 0: this look was not made */
  double estimate;
  double low, high;             /* L, U: a change shows when 0 is outside */
  double inner_low, inner_high; /* l, u: SAME when they lie within the resolution */
  enum kiln_verdict verdict;    /* INCONCLUSIVE: go on */
};

struct kiln_sequence {
  struct kiln_look looks[KILN_SEQUENTIAL_LOOKS];
  size_t look_count;
  enum kiln_verdict verdict; /* of the last look made */
};

/* 100 (e^value - 1). */
double kiln_log_percent(double value);
/* Number of pairs of the largest look that `pairs` reach; 0 when none. */
size_t kiln_look_reached(size_t pairs);
/* The look at exactly d[0 … plan.pairs - 1]. resolution is a fraction, above 0. Errors: memory. */
enum kiln_status kiln_look_make(const double *d, const struct kiln_look_plan *plan, double resolution,
    struct kiln_look *look, struct kiln_error *error);
/* Every look that n pairs reach, until one decides. d is in time order. Errors: memory. */
enum kiln_status kiln_sequence_judge(
    const double *d, size_t n, double resolution, struct kiln_sequence *sequence, struct kiln_error *error);
/* About how many pairs would decide, after an undecided last look; never below the next look; 0 without a look. */
size_t kiln_sequence_wanted(const struct kiln_sequence *sequence, double resolution);

#endif
