/*
 * Parts of a table as text: for messages, pages and definitions. Everything is appended to a buffer of the caller.
 */
#ifndef KILN_OP_TEXT_H
#define KILN_OP_TEXT_H

#include "base/buf.h"
#include "op/op.h"

/* "float16, bfloat16". */
void kiln_text_dtypes(struct kiln_buf *out, uint32_t set);
/* "ceil(K / 128)", "batch_size + 1", "4". */
void kiln_text_dim(struct kiln_buf *out, const struct kiln_op *op, const struct kiln_dim *dim);
/* "[batch_size, hidden_size]"; with a dimension that may be absent both shapes, " or " between. */
void kiln_text_shape(struct kiln_buf *out, const struct kiln_op *op, const struct kiln_arg *arg);
/* A derived axis in terms of others, "num_qo_heads // num_kv_heads"; as Python too. The name of any other axis. */
void kiln_text_axis(struct kiln_buf *out, const struct kiln_op *op, unsigned axis);
/* "hidden_size % 8 == 0", with "when … is given" behind. */
void kiln_text_rule(struct kiln_buf *out, const struct kiln_op *op, const struct kiln_rule *rule);
/* Names of the arguments in a mask, ", " between. */
void kiln_text_args(struct kiln_buf *out, const struct kiln_op *op, uint32_t args);
/* "vec [cuda sm80+], row [cpu]". */
void kiln_text_variants(struct kiln_buf *out, const struct kiln_op *op);
/* "tensor", "int", "tensor or float". Never NULL. */
const char *kiln_text_kind(const struct kiln_arg *arg);
/* A number as a person writes it: 1e-06, 0.5, 8192. */
void kiln_text_number(struct kiln_buf *out, double value);
/* The same text in capitals, as in the -D of a kernel. */
void kiln_text_upper(struct kiln_buf *out, const char *text);

#endif
