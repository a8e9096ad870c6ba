#include "op/tool/page.h"

#include "base/text.h"
#include "op/check.h"
#include "op/text.h"

static void
add_arguments(const struct kiln_op *op, struct kiln_buf *out)
{
  static const char *const roles[] = {[KILN_IN] = "read", [KILN_OUT] = "written", [KILN_INOUT] = "read and written"};
  kiln_buf_text_append(out, "\n## Arguments\n\nIn this order, from every language; results are arguments too.\n\n"
                            "| argument | what | shape or range | |\n| --- | --- | --- | --- |\n");
  for (unsigned i = 0; i < op->nargs; i++) {
    const struct kiln_arg *arg = &op->args[i];
    kiln_buf_printf(
        out, "| `%s`%s | %s | ", arg->name, arg->flags & KILN_OPTIONAL ? " (optional)" : "", kiln_text_kind(arg));
    if (arg->ndim) {
      kiln_buf_text_append(out, "`");
      kiln_text_shape(out, op, arg);
      kiln_buf_printf(
          out, "` %s", arg->type ? op->types[arg->type - 1].name : kiln_dtype_name((enum kiln_dtype)arg->fixed));
    }
    if (arg->kind == KILN_ARG_REAL || arg->kind == KILN_ARG_TENSOR_OR_REAL) {
      kiln_buf_text_append(out, arg->ndim ? ", or " : "");
      kiln_text_number(out, arg->real.lo);
      kiln_buf_text_append(out, " … ");
      kiln_text_number(out, arg->real.hi);
    } else if (arg->kind == KILN_ARG_INT || arg->kind == KILN_ARG_TENSOR_OR_INT)
      kiln_buf_printf(out, "%s%lld … %lld", arg->ndim && arg->kind != KILN_ARG_INT ? ", or " : "",
          (long long)arg->integer.lo, (long long)arg->integer.hi);
    for (unsigned k = 0; arg->kind == KILN_ARG_ENUM && arg->names[k]; k++)
      kiln_buf_printf(out, "%s`%s`", k ? ", " : "", arg->names[k]);
    if (arg->kind == KILN_ARG_TENSOR)
      kiln_buf_printf(out, " | %s: ", roles[arg->role]);
    else if (arg->flags & KILN_OPTIONAL && arg->flags & KILN_BINDS)
      kiln_buf_text_append(out, " | default: as the tensors say; ");
    else if (arg->flags & KILN_OPTIONAL) {
      kiln_buf_text_append(out, " | default ");
      kiln_text_number(out, arg->real.def != 0 ? arg->real.def : (double)arg->integer.def);
      kiln_buf_text_append(out, "; ");
    } else
      kiln_buf_text_append(out, " | ");
    kiln_buf_printf(out, "%s |\n", arg->doc);
  }
  const unsigned absent = kiln_op_absent_axis(op);
  if (absent)
    kiln_buf_printf(out,
        "\nAll tensors that may have `%s` have it, or none has: then it is 1. The trace definition is of tensors "
        "without "
        "it. `--shape` takes sizes with it and without, in the order of the axes.\n",
        op->axes[absent].name);
}

static void
add_axes(const struct kiln_op *op, struct kiln_buf *out)
{
  static const char *const kinds[] = {
      [KILN_AXIS_VAR] = "any call", [KILN_AXIS_CONST] = "of a model", [KILN_AXIS_DERIVED] = "computed"};
  kiln_buf_text_append(out, "\n## Axes\n\n| axis | set by | |\n| --- | --- | --- |\n");
  for (unsigned i = 1; i < op->naxes; i++) {
    kiln_buf_printf(out, "| `%s` | %s | %s", op->axes[i].name, kinds[op->axes[i].kind], op->axes[i].doc);
    if (op->axes[i].kind == KILN_AXIS_DERIVED) {
      kiln_buf_text_append(out, ": `");
      kiln_text_axis(out, op, i);
      kiln_buf_text_append(out, "`");
    }
    kiln_buf_text_append(out, " |\n");
  }
}

static void
add_types(const struct kiln_op *op, struct kiln_buf *out)
{
  kiln_buf_text_append(out, "\n## Element types\n\n");
  for (unsigned i = 0; i < op->ntypes; i++) {
    kiln_buf_printf(out, "- `%s`: ", op->types[i].name);
    kiln_text_dtypes(out, op->types[i].set);
    kiln_buf_text_append(out, "\n");
  }
  for (unsigned row = 0; row < op->ncombos; row++) {
    kiln_buf_text_append(out, row ? "; " : "\nIn these combinations: ");
    for (unsigned i = 0; i < op->ntypes; i++)
      kiln_buf_printf(
          out, "%s%s %s", i ? ", " : "", op->types[i].name, kiln_dtype_name((enum kiln_dtype)op->combos[row][i]));
  }
  kiln_buf_text_append(out, op->ncombos ? ".\n" : "");
}

static void
add_rules(const struct kiln_op *op, struct kiln_buf *out)
{
  if (!op->rules || !op->rules->kind)
    return;
  kiln_buf_text_append(out, "\n## Rules\n\n");
  for (const struct kiln_rule *rule = op->rules; rule->kind; rule++) {
    kiln_buf_text_append(out, "- `");
    kiln_text_rule(out, op, rule);
    kiln_buf_printf(out, "`%s\n", rule->kind == KILN_RULE_DATA ? " (values on the device: not checked)" : "");
  }
}

static void
add_variants(const struct kiln_op *op, struct kiln_buf *out)
{
  kiln_buf_text_append(out, "\n## Kernels\n\nThe first that fits is taken.\n\n"
                            "| kernel | runs on | needs | compiled for each |\n| --- | --- | --- | --- |\n");
  for (unsigned i = 0; i < op->nvariants; i++) {
    const struct kiln_variant *variant = &op->variants[i];
    kiln_buf_printf(out, "| `%s` | %s%s | ", variant->name, variant->backend == KILN_BACKEND_CPU ? "cpu" : "cuda ",
        variant->archs ? variant->archs : "");
    for (const struct kiln_rule *rule = variant->needs; rule && rule->kind; rule++) {
      kiln_buf_text_append(out, rule == variant->needs ? "`" : ", `");
      kiln_text_rule(out, op, rule);
      kiln_buf_text_append(out, "`");
    }
    if (variant->align)
      kiln_buf_printf(out, "%s%u-byte aligned data and strides", variant->needs ? ", " : "", variant->align);
    kiln_buf_text_append(out, " | dtype");
    for (unsigned k = 1; k < op->naxes; k++)
      if (variant->key_axes & KILN_BIT(k))
        kiln_buf_printf(out, ", `%s`", op->axes[k].name);
    kiln_buf_text_append(out, " |\n");
  }
}

void
kiln_page_write(const struct kiln_op *op, struct kiln_buf *out)
{
  kiln_buf_printf(out,
      "<!-- Made from kernels/%s/%s/op.c by `kiln op check --update`; do not edit. -->\n# %s\n\n%s\n\n"
      "C: [`kiln/ops/%s.h`](../../include/kiln/ops/%s.h). tvm-ffi: `load_module(\"libkiln_ops.so\").%s`. "
      "Shell: `kiln op run %s`. Method and numerics: [kernels/%s/%s](../../kernels/%s/%s/README.md).\n",
      op->family, op->name, op->name, op->doc, op->name, op->name, op->name, op->name, op->family, op->name, op->family,
      op->name);
  add_arguments(op, out);
  add_axes(op, out);
  add_types(op, out);
  add_rules(op, out);
  add_variants(op, out);
}
