/*
 * How the elements of a test's tensor lie in memory.
 *
 * A far form puts one dimension so far apart that its later half begins at an element of index 2^31 or more and at a
 * byte of 2^32 or more; everything else stays close together. So the tensor has few places that are touched, its
 * pieces, and whoever looks at memory looks at these alone.
 */
#ifndef KILN_OP_TOOL_PLACE_H
#define KILN_OP_TOOL_PLACE_H

#include "op/op.h"

/* How the rows of tensors lie, where the op allows it. */
enum kiln_form {
  KILN_FORM_COMPACT,
  KILN_FORM_ODD,     /* rows one element apart, and blocks of rows: nothing wide fits */
  KILN_FORM_ALIGNED, /* rows 32 bytes apart, and blocks of rows */
  KILN_FORM_FAR,     /* the outermost dimension far apart, aligned to 32 bytes */
  KILN_FORM_FAR_1,   /* the one inside of it */
  KILN_FORM_FAR_2,
  KILN_FORM_COUNT
};
/* "compact", "odd", "aligned", "far", "far-1", "far-2". */
const char *kiln_form_name(enum kiln_form form);
/* Is it one of the far ones? */
bool kiln_form_is_far(enum kiln_form form);

struct kiln_place {
  unsigned ndim;
  int64_t shape[KILN_OP_RANK], strides[KILN_OP_RANK]; /* in memory order */
  int64_t extent[KILN_OP_RANK], step[KILN_OP_RANK];   /* the same in canonical order */
  /* In elements: `pieces` times `piece`, their beginnings `apart` from each other. One piece where nothing is far; no
   * elements: the piece is 0. */
  int64_t pieces, piece, apart;
};

/* Fill *place from its ndim and extent. perm: position in memory → canonical position, or NULL; size: bytes of an
 * element. A form that does not fit the tensor (compact by declaration, no such dimension, one row or more than
 * KILN_PLACE_ROWS of them) leaves it compact. */
void kiln_place_tensor(
    struct kiln_place *place, const struct kiln_arg *arg, const uint8_t *perm, enum kiln_form form, unsigned size);
enum { KILN_PLACE_ROWS = 512 };

/* Index in memory, in elements, of the k-th element in canonical order; there are elements. */
int64_t kiln_place_index(const struct kiln_place *place, int64_t k);
/* Elements of the last canonical dimension, which lie *step apart: a row at once saves the divisions above. */
int64_t kiln_place_row(const struct kiln_place *place, int64_t *step);

#endif
