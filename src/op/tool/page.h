/*
 * The reference page of an op, docs/ops/<op>.md, and the trace definition, kernels/<family>/<op>/definition.json: both
 * made from the table and checked to be up to date by `kiln op check`.
 *
 * The definition is one object that FlashInfer-Bench and FlashInfer's loader both accept: literal axes, dtypes of its
 * list only, names of inputs and outputs apart, `run` in the reference. It belongs to the call itself, never to a plan.
 */
#ifndef KILN_OP_TOOL_PAGE_H
#define KILN_OP_TOOL_PAGE_H

#include "base/buf.h"
#include "kiln/error.h"
#include "op/op.h"
#include "op/tool/trial.h"

/* Markdown; appended. */
void kiln_page_write(const struct kiln_op *op, struct kiln_buf *out);

/* JSON for the sizes and dtypes of a trial (kiln_trial_init, no data); reference: text of reference.py. Appended. */
void kiln_definition_write(const struct kiln_trial *trial, const char *reference, struct kiln_buf *out);
/* The trial that the committed definition is of: the first shape of the benchmark, bfloat16 where there is one. */
void kiln_definition_trial(const struct kiln_op *op, struct kiln_trial *trial);
/* Does a definition obey the rules that its readers have? KILN_ERROR_FORMAT names the first that it does not. */
enum kiln_status kiln_definition_check(const char *text, size_t len, struct kiln_error *error);

#endif
