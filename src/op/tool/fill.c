#include "op/tool/fill.h"

/* ---- reals ---- */

/* Near enough to a normal distribution: the sum of four uniform numbers of 16 bits, mean 0, deviation 1. */
static double
normal(struct kiln_rng *rng)
{
  const uint64_t bits = kiln_rng_next(rng);
  const uint64_t sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
  return ((double)sum / 65535 - 2) * 1.7320508075688772;
}

static void
fill_reals(const struct kiln_arg *arg, struct kiln_rng *rng, int64_t n, double *real)
{
  for (int64_t i = 0; i < n; i++)
    real[i] = arg->fill == KILN_FILL_POSITIVE   ? 0.5 + kiln_rng_unit(rng)
              : arg->fill == KILN_FILL_COUNTING ? (double)i
                                                : normal(rng);
}

/* ---- integers ---- */

static int64_t
below(struct kiln_rng *rng, int64_t bound)
{
  return bound > 0 ? (int64_t)(kiln_rng_next(rng) % (uint64_t)bound) : 0;
}

/* n - 1 parts of `total`, some of them empty: each cut is drawn, then they are sorted by insertion. */
static void
fill_indptr(struct kiln_rng *rng, int64_t n, int64_t total, int64_t *integer)
{
  for (int64_t i = 0; i < n; i++) {
    int64_t cut = i == 0 ? 0 : i == n - 1 ? total : below(rng, total + 1), at = i;
    for (; at > 1 && integer[at - 1] > cut; at--)
      integer[at] = integer[at - 1];
    integer[at] = cut;
  }
  if (n > 0)
    integer[0] = 0;
}

static void
fill_permuted(struct kiln_rng *rng, int64_t n, int64_t *integer)
{
  for (int64_t i = 0; i < n; i++) {
    const int64_t other = below(rng, i + 1);
    integer[i] = integer[other];
    integer[other] = i;
  }
}

static void
fill_integers(const struct kiln_arg *arg, const int64_t *axis, struct kiln_rng *rng, int64_t n, int64_t *integer)
{
  const int64_t bound = arg->fill_axis ? axis[arg->fill_axis] : 8;
  switch ((enum kiln_fill)arg->fill) {
  case KILN_FILL_INDPTR:
    fill_indptr(rng, n, bound, integer);
    return;
  case KILN_FILL_PERMUTED:
    fill_permuted(rng, n, integer);
    return;
  case KILN_FILL_NORMAL:
  case KILN_FILL_POSITIVE:
  case KILN_FILL_BELOW:
  case KILN_FILL_LAST_PAGE:
  case KILN_FILL_COUNTING:
    break;
  }
  for (int64_t i = 0; i < n; i++)
    integer[i] = arg->fill == KILN_FILL_COUNTING ? i : below(rng, bound) + (arg->fill == KILN_FILL_LAST_PAGE);
}

void
kiln_fill_argument(const struct kiln_op *op, const int64_t *axis, unsigned i, enum kiln_dtype dtype,
    struct kiln_rng *rng, int64_t n, double *real, int64_t *integer)
{
  if (!op->fill || !op->fill(op, axis, i, rng, n, real, integer)) {
    if (real)
      fill_reals(&op->args[i], rng, n, real);
    else
      fill_integers(&op->args[i], axis, rng, n, integer);
  }
  for (int64_t k = 0; k < n && real; k++)
    real[k] = kiln_dtype_round(dtype, real[k]);
}

bool
kiln_fill_is_noise(const struct kiln_op *op, const int64_t *axis, unsigned i, enum kiln_dtype dtype)
{
  struct kiln_rng rng = {0};
  double none;
  if (!kiln_dtype_is_real(dtype) || op->args[i].fill != KILN_FILL_NORMAL)
    return false;
  return !op->fill || !op->fill(op, axis, i, &rng, 0, &none, NULL);
}
