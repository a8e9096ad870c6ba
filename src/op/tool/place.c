#include "op/tool/place.h"

#define FAR_ELEMENTS (INT64_C(1) << 31)
#define FAR_BYTES (INT64_C(1) << 32)
#define LINE 32 /* bytes between aligned rows: what the widest loads need */

const char *
kiln_form_name(enum kiln_form form)
{
  static const char *const names[] = {"compact", "odd", "aligned", "far", "far-1", "far-2"};
  return form < KILN_FORM_COUNT ? names[form] : "unknown";
}

bool
kiln_form_is_far(enum kiln_form form)
{
  return form >= KILN_FORM_FAR && form < KILN_FORM_COUNT;
}

/* The dimension that is far apart, in memory order; ndim: none is. The last one is never. */
static unsigned
far_dim(const struct kiln_place *place, const struct kiln_arg *arg, enum kiln_form form)
{
  const unsigned dim = kiln_form_is_far(form) ? form - KILN_FORM_FAR : place->ndim;
  bool empty = false;
  for (unsigned d = 0; d < place->ndim; d++)
    empty = empty || place->shape[d] == 0;
  if (empty || arg->flags & KILN_CONTIGUOUS || dim + 1 >= place->ndim)
    return place->ndim;
  return place->shape[dim] > 1 && place->shape[dim] <= KILN_PLACE_ROWS ? dim : place->ndim;
}

/* Elements between its rows: the one in the middle begins far out, and so do all behind it. */
static int64_t
far_step(int64_t rows, int64_t compact, unsigned size)
{
  const int64_t elements = FAR_BYTES / size > FAR_ELEMENTS ? FAR_BYTES / size : FAR_ELEMENTS;
  const int64_t middle = rows > 2 ? (rows - 1) / 2 : 1, wanted = (elements + middle - 1) / middle;
  const int64_t step = wanted > compact ? wanted : compact, line = LINE / size;
  return (step + line - 1) / line * line;
}

/* What lies behind each row, and behind each block of rows: every stride is one of its own. */
static int64_t
gap(const struct kiln_arg *arg, enum kiln_form form, unsigned size)
{
  if (arg->flags & KILN_CONTIGUOUS)
    return 0;
  return form == KILN_FORM_ODD ? 1 : form == KILN_FORM_ALIGNED ? LINE / size : 0;
}

void
kiln_place_tensor(
    struct kiln_place *place, const struct kiln_arg *arg, const uint8_t *perm, enum kiln_form form, unsigned size)
{
  int64_t step = 1, last = 0;
  bool empty = false;
  for (unsigned d = 0; d < place->ndim; d++)
    place->shape[d] = place->extent[perm ? perm[d] : d];
  const unsigned far = far_dim(place, arg, form);
  for (unsigned d = place->ndim; d-- > 0;) {
    const int64_t extent = place->shape[d];
    empty = empty || extent == 0;
    if (d == far)
      continue;
    place->strides[d] = step;
    last += (extent > 0 ? extent - 1 : 0) * step;
    step *= extent > 0 ? extent : 1;
    step += gap(arg, form, size);
  }
  place->pieces = 1;
  place->piece = empty ? 0 : last + 1;
  place->apart = 0;
  if (far < place->ndim) {
    place->pieces = place->shape[far];
    place->apart = place->strides[far] = far_step(place->pieces, step, size);
  }
  for (unsigned d = 0; d < place->ndim; d++)
    place->step[perm ? perm[d] : d] = place->strides[d];
}

int64_t
kiln_place_index(const struct kiln_place *place, int64_t k)
{
  int64_t at = 0;
  for (unsigned d = place->ndim; d-- > 0;) {
    at += k % place->extent[d] * place->step[d];
    k /= place->extent[d];
  }
  return at;
}

int64_t
kiln_place_row(const struct kiln_place *place, int64_t *step)
{
  *step = place->ndim > 0 ? place->step[place->ndim - 1] : 1;
  return place->ndim > 0 ? place->extent[place->ndim - 1] : 1;
}
