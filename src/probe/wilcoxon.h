/*
 * The exact null distribution of Wilcoxon's signed-rank statistic: ranks 1 … n, each with a fair sign, W = sum of the
 * positive ones.
 */
#ifndef KILN_PROBE_WILCOXON_H
#define KILN_PROBE_WILCOXON_H

#include <stdbool.h>
#include <stddef.h>

/* Largest k with P(W ≤ k) ≤ p for n values, 1 ≤ n ≤ 1000. false when even P(W ≤ 0) is above p, or memory is short.
 * Takes n³ / 4 additions. */
bool kiln_wilcoxon_rank(size_t n, double p, size_t *k);

#endif
