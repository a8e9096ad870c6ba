#include "op/tool/run.h"

#include <stdio.h>
#include <string.h>

#include "op/text.h"
#include "os/clock.h"

/* ---- one trial ---- */

enum kiln_status
kiln_run_name(const struct kiln_trial *trial, struct kiln_run *run, struct kiln_error *error)
{
  const struct kiln_op_request request = {trial->op, trial->stream, trial->values, trial->op->nargs, true};
  const struct kiln_signature *signature;
  struct kiln_signature scratch;
  struct kiln_ops *ops;
  enum kiln_status status = kiln_ops_of(trial->kiln, &ops, error);
  if (status == KILN_OK)
    status = kiln_op_resolve(ops, &request, &scratch, &signature, NULL, error);
  if (status == KILN_OK)
    snprintf(run->variant, sizeof run->variant, "%s", signature->kernel->uri);
  return status;
}

static enum kiln_status
time_calls(struct kiln_trial *trial, unsigned calls, struct kiln_run *run, struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  const uint64_t begin = kiln_clock_now();
  for (unsigned i = 0; i < calls && status == KILN_OK; i++)
    status = kiln_trial_call(trial, NULL, error);
  run->call_us = calls ? (double)(kiln_clock_now() - begin) / 1e3 / calls : 0;
  return status;
}

enum kiln_status
kiln_run_trial(struct kiln_trial *trial, unsigned calls, struct kiln_run *run, struct kiln_error *error)
{
  memset(run, 0, sizeof *run);
  enum kiln_status status = kiln_trial_make(trial, error);
  if (status == KILN_OK) {
    const uint64_t begin = kiln_clock_now();
    status = kiln_trial_call(trial, &run->refusal, error);
    run->first_call_ms = (double)(kiln_clock_now() - begin) / 1e6;
  }
  if (status == KILN_OK)
    status = kiln_trial_compare(trial, &run->result, error);
  if (status == KILN_OK)
    status = kiln_run_name(trial, run, error);
  if (status == KILN_OK && calls) {
    status = kiln_trial_reset(trial, error);
    if (status == KILN_OK)
      status = time_calls(trial, calls, run, error);
  }
  kiln_trial_release(trial);
  return status;
}

/* ---- all of them ---- */

static bool
has_in_place(const struct kiln_op *op)
{
  for (unsigned i = 0; i < op->nargs; i++)
    if (op->args[i].flags & KILN_SAME_AS_OK)
      return true;
  return false;
}

/* Variation 0 is the plain one; then forms, layouts, in place. false: there is no such variation. A far form in which
 * no tensor reaches far is left out by kiln_matrix_next. */
static bool
vary(struct kiln_trial *trial, unsigned variation)
{
  const unsigned layouts = trial->op->nlayouts > 1 ? trial->op->nlayouts - 1u : 0;
  if (variation < KILN_FORM_COUNT) {
    trial->form = (enum kiln_form)variation;
    return true;
  }
  variation -= KILN_FORM_COUNT;
  if (variation < layouts) {
    trial->layout = variation + 1;
    return true;
  }
  trial->in_place = has_in_place(trial->op) && variation == layouts;
  return trial->in_place;
}

bool
kiln_matrix_next(struct kiln_matrix *matrix, struct kiln *kiln, struct kiln_trial *trial)
{
  uint8_t type[KILN_OP_TYPES];
  while (matrix->shape < matrix->op->ntests) {
    if (!kiln_trial_types(matrix->op, matrix->types, type)) {
      matrix->shape++;
      matrix->types = matrix->variation = 0;
      continue;
    }
    kiln_trial_init(trial, kiln, matrix->op, &matrix->op->tests[matrix->shape]);
    memcpy(trial->type, type, sizeof type);
    const bool there = (matrix->types == 0 || matrix->variation == 0) && vary(trial, matrix->variation);
    matrix->variation++;
    if (there && (!kiln_form_is_far(trial->form) || kiln_trial_reaches_far(trial)))
      return true;
    if (there)
      continue;
    matrix->types++;
    matrix->variation = 0;
  }
  return false;
}

void
kiln_matrix_describe(const struct kiln_trial *trial, struct kiln_buf *out)
{
  const struct kiln_op *op = trial->op;
  const size_t begin = out->len;
  for (unsigned i = 0; i < op->ntypes; i++)
    kiln_buf_printf(out, "%s%s=%s", out->len > begin ? " " : "", op->types[i].name,
        kiln_dtype_name((enum kiln_dtype)trial->type[i]));
  for (unsigned i = 1; i < op->naxes; i++)
    if (op->axes[i].kind != KILN_AXIS_DERIVED && i != kiln_trial_absent(trial))
      kiln_buf_printf(out, "%s%s=%lld", out->len > begin ? " " : "", op->axes[i].name, (long long)trial->axis[i]);
  for (unsigned i = 0; i < op->nargs; i++)
    if (trial->set & KILN_BIT(i)) {
      kiln_buf_printf(out, " %s=", op->args[i].name);
      kiln_text_number(out, trial->number[i]);
    } else if (trial->given & KILN_BIT(i))
      kiln_buf_printf(out, " +%s", op->args[i].name);
  if (trial->form != KILN_FORM_COMPACT)
    kiln_buf_printf(out, " %s", kiln_form_name(trial->form));
  if (trial->layout)
    kiln_buf_printf(out, " %s", op->layouts[trial->layout].name);
  kiln_buf_text_append(out, trial->in_place ? " in place" : "");
}
