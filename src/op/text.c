#include "op/text.h"

#include <ctype.h>

void
kiln_text_dtypes(struct kiln_buf *out, uint32_t set)
{
  const char *between = "";
  for (unsigned i = 1; i < KILN_DTYPE_COUNT; i++)
    if (set & KILN_BIT(i)) {
      kiln_buf_printf(out, "%s%s", between, kiln_dtype_name((enum kiln_dtype)i));
      between = ", ";
    }
}

void
kiln_text_dim(struct kiln_buf *out, const struct kiln_op *op, const struct kiln_dim *dim)
{
  if (!dim->axis) {
    kiln_buf_printf(out, "%d", dim->add);
    return;
  }
  kiln_buf_text_append(out, dim->div > 1 ? "ceil(" : "");
  if (dim->mul > 1)
    kiln_buf_printf(out, "%u * ", dim->mul);
  kiln_buf_text_append(out, op->axes[dim->axis].name);
  if (dim->div > 1)
    kiln_buf_printf(out, " / %u)", dim->div);
  if (dim->add)
    kiln_buf_printf(out, " %c %d", dim->add > 0 ? '+' : '-', dim->add > 0 ? dim->add : -dim->add);
}

/* without: 1 + a dimension that is left out; 0: none. */
static void
shape_without(struct kiln_buf *out, const struct kiln_op *op, const struct kiln_arg *arg, unsigned without)
{
  kiln_buf_text_append(out, "[");
  for (unsigned i = 0; i < arg->ndim; i++) {
    if (i + 1 == without)
      continue;
    kiln_buf_text_append(out, i ? ", " : "");
    kiln_text_dim(out, op, &arg->dim[i]);
  }
  kiln_buf_text_append(out, "]");
}

void
kiln_text_shape(struct kiln_buf *out, const struct kiln_op *op, const struct kiln_arg *arg)
{
  if (arg->absent) {
    shape_without(out, op, arg, arg->absent);
    kiln_buf_text_append(out, " or ");
  }
  shape_without(out, op, arg, 0);
}

static void
operand(struct kiln_buf *out, const struct kiln_op *op, unsigned axis)
{
  const bool derived = op->axes[axis].kind == KILN_AXIS_DERIVED && op->axes[axis].fn != KILN_FN_MIN;
  kiln_buf_text_append(out, derived ? "(" : "");
  kiln_text_axis(out, op, axis);
  kiln_buf_text_append(out, derived ? ")" : "");
}

/* The second operand: an axis or a number. */
static void
second(struct kiln_buf *out, const struct kiln_op *op, const struct kiln_axis *axis)
{
  if (axis->b)
    operand(out, op, axis->b);
  else
    kiln_buf_printf(out, "%d", axis->k);
}

void
kiln_text_axis(struct kiln_buf *out, const struct kiln_op *op, unsigned axis)
{
  static const char *const signs[] = {
      [KILN_FN_ADD] = " + ", [KILN_FN_SUB] = " - ", [KILN_FN_MUL] = " * ", [KILN_FN_DIV] = " // "};
  const struct kiln_axis *it = &op->axes[axis];
  if (it->kind != KILN_AXIS_DERIVED) {
    kiln_buf_text_append(out, it->name);
  } else if (it->fn == KILN_FN_MIN) {
    kiln_buf_text_append(out, "min(");
    kiln_text_axis(out, op, it->a);
    kiln_buf_text_append(out, ", ");
    second(out, op, it);
    kiln_buf_text_append(out, ")");
  } else if (it->fn == KILN_FN_CEIL_DIV) {
    kiln_buf_text_append(out, "-(-");
    operand(out, op, it->a);
    kiln_buf_text_append(out, " // ");
    second(out, op, it);
    kiln_buf_text_append(out, ")");
  } else {
    operand(out, op, it->a);
    kiln_buf_text_append(out, it->fn <= KILN_FN_DIV && it->fn ? signs[it->fn] : " ? ");
    second(out, op, it);
  }
}

void
kiln_text_args(struct kiln_buf *out, const struct kiln_op *op, uint32_t args)
{
  const char *between = "";
  for (unsigned i = 0; i < op->nargs; i++)
    if (args & KILN_BIT(i)) {
      kiln_buf_printf(out, "%s%s", between, op->args[i].name);
      between = ", ";
    }
}

static void
rule_in(struct kiln_buf *out, const struct kiln_op *op, const struct kiln_rule *rule)
{
  kiln_buf_printf(out, "%s in (", op->axes[rule->a].name);
  for (const int32_t *value = rule->in; *value >= 0; value++)
    kiln_buf_printf(out, "%s%d", value == rule->in ? "" : ", ", *value);
  kiln_buf_text_append(out, rule->in[1] < 0 ? ",)" : ")");
}

static void
rule_itself(struct kiln_buf *out, const struct kiln_op *op, const struct kiln_rule *rule)
{
  const char *a = op->axes[rule->a].name, *b = op->axes[rule->b].name;
  switch ((enum kiln_rule_kind)rule->kind) {
  case KILN_RULE_MULTIPLE:
    kiln_buf_printf(out, "%s %% %d == 0", a, rule->lo);
    break;
  case KILN_RULE_MULTIPLE_OF:
    kiln_buf_printf(out, "%s %% %s == 0", a, b);
    break;
  case KILN_RULE_IN:
    rule_in(out, op, rule);
    break;
  case KILN_RULE_RANGE:
    kiln_buf_printf(out, "%d <= %s <= %d", rule->lo, a, rule->hi);
    break;
  case KILN_RULE_AT_MOST:
    kiln_buf_printf(out, "%s <= %s", a, b);
    break;
  case KILN_RULE_EQUAL:
    kiln_buf_printf(out, "%s == %s", a, b);
    break;
  case KILN_RULE_NEEDS:
    kiln_buf_printf(out, "%s == 0 or %s > 0", a, b);
    break;
  case KILN_RULE_ONE_OF:
  case KILN_RULE_TOGETHER:
    kiln_buf_text_append(out, rule->kind == KILN_RULE_ONE_OF ? "exactly one of " : "all or none of ");
    kiln_text_args(out, op, rule->args);
    break;
  case KILN_RULE_DATA:
    kiln_buf_text_append(out, rule->text);
    break;
  case KILN_RULE_END:
    break;
  }
}

void
kiln_text_rule(struct kiln_buf *out, const struct kiln_op *op, const struct kiln_rule *rule)
{
  rule_itself(out, op, rule);
  if (rule->if_given) {
    kiln_buf_text_append(out, " when given: ");
    kiln_text_args(out, op, rule->if_given);
  }
  if (rule->if_absent) {
    kiln_buf_text_append(out, " when absent: ");
    kiln_text_args(out, op, rule->if_absent);
  }
}

void
kiln_text_variants(struct kiln_buf *out, const struct kiln_op *op)
{
  for (unsigned i = 0; i < op->nvariants; i++) {
    const struct kiln_variant *variant = &op->variants[i];
    kiln_buf_printf(out, "%s%s [%s%s]", i ? ", " : "", variant->name,
        variant->backend == KILN_BACKEND_CPU ? "cpu" : "cuda ", variant->archs ? variant->archs : "");
  }
}

const char *
kiln_text_kind(const struct kiln_arg *arg)
{
  switch ((enum kiln_arg_kind)arg->kind) {
  case KILN_ARG_TENSOR:
    return "tensor";
  case KILN_ARG_INT:
    return "int";
  case KILN_ARG_REAL:
    return "float";
  case KILN_ARG_BOOL:
    return "bool";
  case KILN_ARG_ENUM:
    return "name";
  case KILN_ARG_TENSOR_OR_INT:
    return "tensor or int";
  case KILN_ARG_TENSOR_OR_REAL:
    return "tensor or float";
  }
  return "value";
}

void
kiln_text_number(struct kiln_buf *out, double value)
{
  if (value == (double)(int64_t)value && value < 1e15 && value > -1e15)
    kiln_buf_printf(out, "%lld", (long long)value);
  else
    kiln_buf_printf(out, "%.9g", value);
}

void
kiln_text_upper(struct kiln_buf *out, const char *text)
{
  for (; *text; text++) {
    const char c = (char)toupper((unsigned char)*text);
    kiln_buf_append(out, &c, 1);
  }
}
