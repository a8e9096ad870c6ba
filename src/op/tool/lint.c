#include "op/tool/lint.h"

#include <ctype.h>
#include <stdarg.h>

#include "base/text.h"
#include "op/signature.h"
#include "op/tool/trial.h"

struct lint {
  const struct kiln_op *op;
  struct kiln_buf *out;
  uint32_t bound;    /* axes that required arguments bind */
  uint32_t optional; /* axes that only optional ones bind */
};

static void say(struct lint *lint, const char *format, ...) KILN_PRINTF(2, 3);

static void
say(struct lint *lint, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  kiln_buf_vprintf(lint->out, format, args);
  kiln_buf_text_append(lint->out, "\n");
  va_end(args);
}

/* ---- names ---- */

static bool
good_name(const char *name)
{
  if (!name || !islower((unsigned char)*name))
    return false;
  for (; *name; name++)
    if (!isalnum((unsigned char)*name) && *name != '_')
      return false;
  return true;
}

static void
check_names(struct lint *lint)
{
  const struct kiln_op *op = lint->op;
  if (!good_name(op->name) || !good_name(op->family))
    say(lint, "op and family are names of lower-case letters, digits and '_', not '%s' and '%s'", op->name, op->family);
  if (!op->doc || !*op->doc)
    say(lint, "doc is empty; it is one sentence");
  for (unsigned i = 0; i < op->nargs; i++) {
    if (!op->args[i].name) {
      say(lint, "argument %u has no line in args[]", i);
      continue;
    }
    for (unsigned k = 0; k < i; k++)
      if (kiln_text_equal(op->args[i].name, op->args[k].name))
        say(lint, "two arguments are called '%s'", op->args[i].name);
  }
  for (unsigned i = 1; i < op->naxes; i++) {
    if (!op->axes[i].name)
      say(lint, "axis %u has no line in axes[]", i);
    for (unsigned k = 1; k < i; k++)
      if (op->axes[i].name && kiln_text_equal(op->axes[i].name, op->axes[k].name))
        say(lint, "two axes are called '%s'", op->axes[i].name);
  }
}

/* ---- arguments ---- */

static void
bind(struct lint *lint, const struct kiln_arg *arg, unsigned axis)
{
  *(arg->flags & KILN_OPTIONAL ? &lint->optional : &lint->bound) |= KILN_BIT(axis);
}

static void
check_dims(struct lint *lint, const struct kiln_arg *arg)
{
  const struct kiln_op *op = lint->op;
  for (unsigned d = 0; d < arg->ndim; d++) {
    const struct kiln_dim *dim = &arg->dim[d];
    if (dim->axis >= op->naxes)
      say(lint, "%s.dim[%u] names axis %u of %u", arg->name, d, dim->axis, op->naxes - 1u);
    else if (dim->axis && !dim->mul)
      say(lint, "%s.dim[%u] multiplies by 0", arg->name, d);
    else if (!dim->axis && (!dim->div || dim->add < 0))
      say(lint, "%s.dim[%u] is missing, or a negative number", arg->name, d);
    else if (dim->axis && dim->div <= 1 && op->axes[dim->axis].kind != KILN_AXIS_DERIVED &&
             !(arg->flags & KILN_AT_LEAST))
      bind(lint, arg, dim->axis);
  }
}

/* All that have the axis let it be absent in the same way, or it would be 1 in one and free in another. */
static bool
is_absent_alike(const struct kiln_op *op, unsigned axis)
{
  for (unsigned i = 0; i < op->nargs; i++) {
    const struct kiln_arg *arg = &op->args[i];
    if (arg->flags & KILN_BINDS && arg->axis == axis)
      return false;
    for (unsigned d = 0; d < arg->ndim; d++)
      if ((arg->dim[d].axis == axis) != (arg->absent == d + 1))
        return false;
  }
  return true;
}

static void
check_absent(struct lint *lint, const struct kiln_arg *arg)
{
  const unsigned d = arg->absent - 1u;
  if (!arg->absent)
    return;
  if (d == 0 || d + 1 >= arg->ndim) {
    say(lint, "%s.absent names dimension %u of %u; it is neither the first nor the last", arg->name, d, arg->ndim);
    return;
  }
  const struct kiln_dim *dim = &arg->dim[d];
  if (!dim->axis || dim->mul != 1 || dim->div > 1 || dim->add || lint->op->axes[dim->axis].kind == KILN_AXIS_DERIVED)
    say(lint, "%s.dim[%u] may be absent, but is not one whole axis", arg->name, d);
  else if (!is_absent_alike(lint->op, dim->axis))
    say(lint, "the axis '%s' may be absent in one place and not in another", lint->op->axes[dim->axis].name);
  if (arg->flags & (KILN_LAYOUTED | KILN_AT_LEAST | KILN_PAIR))
    say(lint, "%s may not have a dimension that may be absent: not with a layout, as a pair, or at least", arg->name);
}

static void
check_tensor(struct lint *lint, const struct kiln_arg *arg)
{
  const struct kiln_op *op = lint->op;
  if (arg->ndim > KILN_OP_RANK)
    say(lint, "%s has %u dimensions; at most %d", arg->name, arg->ndim, KILN_OP_RANK);
  if (arg->type > op->ntypes)
    say(lint, "%s has type variable %u of %u", arg->name, arg->type, op->ntypes);
  if (!arg->type && (!arg->fixed || arg->fixed >= KILN_DTYPE_COUNT))
    say(lint, "%s has neither a type variable nor a dtype", arg->name);
  if (arg->flags & KILN_SAME_AS_OK && (!arg->alias || arg->alias > op->nargs))
    say(lint, "%s may be another argument, but alias names none", arg->name);
  if (arg->role == KILN_INOUT && !arg->as)
    say(lint, "%s is read and written; `as` must name the result in definitions", arg->name);
  if (arg->flags & KILN_LAYOUTED && !op->layouts)
    say(lint, "%s has a layout, but the op has none", arg->name);
  check_dims(lint, arg);
}

/* Once every dimension is known to be good. */
static void
check_all_absent(struct lint *lint)
{
  for (unsigned i = 0; i < lint->op->nargs; i++)
    check_absent(lint, &lint->op->args[i]);
}

static void
check_number(struct lint *lint, const struct kiln_arg *arg)
{
  const bool real = arg->kind == KILN_ARG_REAL || arg->kind == KILN_ARG_TENSOR_OR_REAL;
  const bool ranged = arg->kind == KILN_ARG_INT || arg->kind == KILN_ARG_TENSOR_OR_INT;
  if (real && !(arg->real.lo < arg->real.hi && arg->real.def >= arg->real.lo && arg->real.def <= arg->real.hi))
    say(lint, "%s has no range, or a default outside of it", arg->name);
  if (ranged && arg->integer.lo >= arg->integer.hi)
    say(lint, "%s has no range", arg->name);
  if (ranged && !(arg->flags & KILN_BINDS) &&
      (arg->integer.def < arg->integer.lo || arg->integer.def > arg->integer.hi))
    say(lint, "the default of %s is outside of its range", arg->name);
  if (arg->kind == KILN_ARG_ENUM && (!arg->names || !arg->names[0]))
    say(lint, "%s has no names", arg->name);
  if (arg->role != KILN_IN && arg->kind != KILN_ARG_TENSOR)
    say(lint, "%s is a number and cannot be written", arg->name);
  if (arg->flags & KILN_BINDS) {
    if (!arg->axis || arg->axis >= lint->op->naxes || lint->op->axes[arg->axis].kind == KILN_AXIS_DERIVED ||
        arg->integer.lo < 0 || arg->integer.hi > INT32_MAX)
      say(lint, "%s binds no axis, or its range is none of an extent", arg->name);
    else
      lint->bound |= KILN_BIT(arg->axis);
  }
}

static void
check_args(struct lint *lint)
{
  struct kiln_prepared prepared;
  for (unsigned i = 0; i < lint->op->nargs; i++) {
    const struct kiln_arg *arg = &lint->op->args[i];
    if (!arg->name)
      continue;
    if (arg->kind != KILN_ARG_TENSOR)
      check_number(lint, arg);
    if (arg->kind == KILN_ARG_TENSOR || arg->kind == KILN_ARG_TENSOR_OR_INT || arg->kind == KILN_ARG_TENSOR_OR_REAL)
      check_tensor(lint, arg);
    if (!arg->doc || !*arg->doc)
      say(lint, "%s has no doc", arg->name);
  }
  kiln_op_prepare(lint->op, &prepared);
  if (prepared.npairs == KILN_OP_PAIRS)
    say(lint, "more than %d pairs of tensors may overlap", KILN_OP_PAIRS);
}

/* ---- axes and rules ---- */

static void
check_axes(struct lint *lint)
{
  const struct kiln_op *op = lint->op;
  if (op->naxes > KILN_OP_AXES || op->nargs > KILN_OP_ARGS || op->ntypes > KILN_OP_TYPES)
    say(lint, "more than %d axes, %d arguments or %d type variables", KILN_OP_AXES - 1, KILN_OP_ARGS, KILN_OP_TYPES);
  for (unsigned i = 1; i < op->naxes; i++) {
    const struct kiln_axis *axis = &op->axes[i];
    if (axis->kind != KILN_AXIS_DERIVED && !((lint->bound | lint->optional) & KILN_BIT(i)))
      say(lint, "nothing binds the axis '%s'", axis->name);
    if (axis->kind == KILN_AXIS_DERIVED && (!axis->a || axis->a >= i || axis->b >= i || !axis->fn))
      say(lint, "the axis '%s' is derived from one that comes later, or from nothing", axis->name);
  }
}

static bool
only_optional(const struct lint *lint, unsigned axis)
{
  const struct kiln_axis *it = &lint->op->axes[axis];
  if (!axis)
    return false;
  if (it->kind == KILN_AXIS_DERIVED)
    return only_optional(lint, it->a) || only_optional(lint, it->b);
  return !(lint->bound & KILN_BIT(axis));
}

static void
check_rule(struct lint *lint, const struct kiln_rule *rule, const char *whose)
{
  const struct kiln_op *op = lint->op;
  const bool about_args = rule->kind == KILN_RULE_ONE_OF || rule->kind == KILN_RULE_TOGETHER;
  const bool two = rule->kind == KILN_RULE_MULTIPLE_OF || rule->kind == KILN_RULE_AT_MOST ||
                   rule->kind == KILN_RULE_EQUAL || rule->kind == KILN_RULE_NEEDS;
  if (rule->kind == KILN_RULE_DATA) {
    if (!rule->text)
      say(lint, "a rule about data of %s has no text", whose);
    return;
  }
  if (about_args) {
    if (!(rule->args & (rule->args - 1)))
      say(lint, "a rule of %s about arguments names fewer than two", whose);
    return;
  }
  if (!rule->a || rule->a >= op->naxes || (two && (!rule->b || rule->b >= op->naxes)))
    say(lint, "a rule of %s names no axis", whose);
  else if ((only_optional(lint, rule->a) || (two && only_optional(lint, rule->b))) && !rule->if_given &&
           !rule->if_absent)
    say(lint, "a rule of %s is about '%s', which only optional arguments bind; say if_given", whose,
        op->axes[rule->a].name);
  if (rule->kind == KILN_RULE_MULTIPLE && rule->lo < 1)
    say(lint, "a rule of %s wants multiples of %d", whose, rule->lo);
  if (rule->kind == KILN_RULE_IN && !rule->in)
    say(lint, "a rule of %s has no list", whose);
}

static void
check_variants(struct lint *lint)
{
  const struct kiln_op *op = lint->op;
  unsigned backends = 0;
  for (unsigned i = 0; i < op->nvariants; i++) {
    const struct kiln_variant *variant = &op->variants[i];
    backends |= 1U << variant->backend;
    if (!variant->entry)
      say(lint, "the variant '%s' has no entry", variant->name);
    if (variant->backend == KILN_BACKEND_CUDA && !variant->archs)
      say(lint, "the variant '%s' says no architecture", variant->name);
    for (const struct kiln_rule *rule = variant->needs; rule && rule->kind; rule++)
      check_rule(lint, rule, variant->name);
    for (unsigned k = 0; k < i; k++)
      if (op->variants[k].backend == variant->backend && kiln_text_equal(op->variants[k].name, variant->name))
        say(lint, "two variants are called '%s'", variant->name);
  }
  if (backends != 3)
    say(lint, "an op has variants for the CPU and for CUDA");
}

/* ---- shapes and functions ---- */

static void
check_shape(struct lint *lint, const struct kiln_case *shape, const char *list, unsigned i)
{
  struct kiln_trial trial;
  kiln_trial_init(&trial, NULL, lint->op, shape);
  for (unsigned k = 1; k < lint->op->naxes; k++)
    if (lint->op->axes[k].kind == KILN_AXIS_DERIVED && !kiln_op_derive(lint->op, k, trial.axis)) {
      say(lint, "%s[%u]: %s cannot be computed", list, i, lint->op->axes[k].name);
      return;
    }
  for (const struct kiln_rule *rule = lint->op->rules; rule && rule->kind; rule++)
    if (!kiln_op_rule_holds(rule, trial.axis, trial.given | trial.set))
      say(lint, "%s[%u] breaks rule %d of the op", list, i, (int)(rule - lint->op->rules));
}

static void
check_functions(struct lint *lint)
{
  const struct kiln_op *op = lint->op;
  if (!op->pack || !op->reference)
    say(lint, "pack or reference is missing");
  if (op->ntests == 0 || op->nbenches == 0)
    say(lint, "tests[] or benches[] is empty");
  for (unsigned i = 0; i < op->ntests; i++)
    check_shape(lint, &op->tests[i], "tests", i);
  for (unsigned i = 0; i < op->nbenches; i++)
    check_shape(lint, &op->benches[i], "benches", i);
}

bool
kiln_op_lint(const struct kiln_op *op, struct kiln_buf *out)
{
  struct lint lint = {.op = op, .out = out};
  const size_t begin = out->len;
  check_names(&lint);
  check_args(&lint);
  check_axes(&lint);
  if (out->len == begin)
    check_all_absent(&lint);
  if (out->len > begin)
    return false; /* what follows relies on it */
  for (const struct kiln_rule *rule = op->rules; rule && rule->kind; rule++)
    check_rule(&lint, rule, "the op");
  check_variants(&lint);
  if (out->len > begin)
    return false; /* shapes are tried against rules */
  check_functions(&lint);
  return out->len == begin;
}
