#include "base/json_write.h"
#include "op/text.h"
#include "op/tool/page.h"

/* ---- names ---- */

static const char *
input_name(const struct kiln_arg *arg)
{
  return arg->trace ? arg->trace : arg->name;
}

static const char *
output_name(const struct kiln_arg *arg)
{
  return arg->role == KILN_INOUT && arg->as ? arg->as : arg->name;
}

/* Which value goes into a definition: names of layouts do not. */
static bool
shown(const struct kiln_op *op, unsigned i)
{
  return !(op->layouts && op->layout_arg == i + 1) && op->args[i].kind != KILN_ARG_ENUM;
}

/* Shapes of a definition are fixed: it is the one without the dimension that may be absent, whose axis is 1. */
static bool
left_out(const struct kiln_op *op, unsigned axis)
{
  const struct kiln_axis *it = &op->axes[axis];
  if (!axis || it->kind != KILN_AXIS_DERIVED)
    return axis && axis == kiln_op_absent_axis(op);
  return left_out(op, it->a) || left_out(op, it->b);
}

/* An extent that is one axis bears its name; any other has an axis of its own. */
static bool
plain(const struct kiln_dim *dim)
{
  return dim->axis && dim->mul == 1 && dim->div <= 1 && !dim->add;
}

static void
extent_name(const struct kiln_op *op, const struct kiln_arg *arg, unsigned d, struct kiln_buf *out)
{
  kiln_buf_clear(out);
  if (plain(&arg->dim[d]) && op->axes[arg->dim[d].axis].kind != KILN_AXIS_DERIVED)
    kiln_buf_text_append(out, op->axes[arg->dim[d].axis].name);
  else
    kiln_buf_printf(out, "len_%s_%u", arg->name, d);
}

static bool
own_axis(const struct kiln_op *op, const struct kiln_arg *arg, unsigned d)
{
  return !plain(&arg->dim[d]) || op->axes[arg->dim[d].axis].kind == KILN_AXIS_DERIVED;
}

/* ---- axes ---- */

static bool
axis_is_used(const struct kiln_op *op, unsigned axis)
{
  for (unsigned i = 0; i < op->nargs && !left_out(op, axis); i++)
    for (unsigned d = 0; d < op->args[i].ndim && shown(op, i); d++)
      if (op->args[i].dim[d].axis == axis)
        return true;
  return false;
}

static void
axis(struct kiln_json *json, const char *name, bool constant, int64_t value, const char *doc)
{
  kiln_json_key(json, name);
  kiln_json_object(json);
  kiln_json_key(json, "type");
  kiln_json_string(json, constant ? "const" : "var");
  if (constant) {
    kiln_json_key(json, "value");
    kiln_json_int(json, value);
  }
  kiln_json_key(json, "description");
  kiln_json_string(json, doc && *doc ? doc : name);
  kiln_json_object_end(json);
}

static void
own_axes(struct kiln_json *json, const struct kiln_trial *trial, unsigned i)
{
  const struct kiln_op *op = trial->op;
  const struct kiln_arg *arg = &op->args[i];
  struct kiln_buf name, term;
  kiln_buf_init(&name);
  kiln_buf_init(&term);
  for (unsigned d = 0; d < arg->ndim; d++) {
    if (!own_axis(op, arg, d))
      continue;
    const struct kiln_dim *dim = &arg->dim[d];
    extent_name(op, arg, d, &name);
    kiln_buf_clear(&term);
    kiln_text_dim(&term, op, dim);
    axis(json, kiln_buf_text(&name), !dim->axis || op->axes[dim->axis].kind == KILN_AXIS_CONST,
        kiln_op_extent(dim, trial->axis), kiln_buf_text(&term));
  }
  kiln_buf_release(&name);
  kiln_buf_release(&term);
}

static void
axes(struct kiln_json *json, const struct kiln_trial *trial)
{
  const struct kiln_op *op = trial->op;
  kiln_json_key(json, "axes");
  kiln_json_object(json);
  for (unsigned i = 1; i < op->naxes; i++)
    if (op->axes[i].kind != KILN_AXIS_DERIVED && axis_is_used(op, i))
      axis(json, op->axes[i].name, op->axes[i].kind == KILN_AXIS_CONST, trial->axis[i], op->axes[i].doc);
  for (unsigned i = 0; i < op->nargs; i++)
    if (shown(op, i))
      own_axes(json, trial, i);
  kiln_json_object_end(json);
}

/* ---- constraints ---- */

static bool
as_python(const struct kiln_op *op, const struct kiln_rule *rule)
{
  return rule->kind != KILN_RULE_ONE_OF && rule->kind != KILN_RULE_TOGETHER && !rule->if_given && !rule->if_absent &&
         !left_out(op, rule->a) && !left_out(op, rule->b);
}

/* Readers know declared axes only, so a derived one is written out. */
static void
constraint(struct kiln_json *json, const struct kiln_op *op, const struct kiln_rule *rule)
{
  struct kiln_buf text, a, b;
  kiln_buf_init(&text);
  kiln_buf_init(&a);
  kiln_buf_init(&b);
  if (rule->a)
    kiln_text_axis(&a, op, rule->a);
  if (rule->b)
    kiln_text_axis(&b, op, rule->b);
  if (rule->a && op->axes[rule->a].kind == KILN_AXIS_DERIVED && rule->kind == KILN_RULE_IN) {
    kiln_buf_printf(&text, "(%s) in (", kiln_buf_text(&a));
    for (const int32_t *value = rule->in; *value >= 0; value++)
      kiln_buf_printf(&text, "%d, ", *value);
    kiln_buf_text_append(&text, ")");
  } else if (rule->kind == KILN_RULE_AT_MOST || rule->kind == KILN_RULE_EQUAL)
    kiln_buf_printf(
        &text, "(%s) %s (%s)", kiln_buf_text(&a), rule->kind == KILN_RULE_EQUAL ? "==" : "<=", kiln_buf_text(&b));
  else
    kiln_text_rule(&text, op, rule);
  kiln_json_string(json, kiln_buf_text(&text));
  kiln_buf_release(&text);
  kiln_buf_release(&a);
  kiln_buf_release(&b);
}

static void
extents(struct kiln_json *json, const struct kiln_op *op, const struct kiln_arg *arg)
{
  struct kiln_buf name;
  kiln_buf_init(&name);
  for (unsigned d = 0; d < arg->ndim; d++) {
    const struct kiln_dim *dim = &arg->dim[d];
    if (!own_axis(op, arg, d) || !dim->axis || dim->div > 1)
      continue;
    extent_name(op, arg, d, &name);
    kiln_buf_text_append(&name, " == ");
    if (op->axes[dim->axis].kind == KILN_AXIS_DERIVED)
      kiln_text_axis(&name, op, dim->axis);
    else
      kiln_text_dim(&name, op, dim);
    kiln_json_string(json, kiln_buf_text(&name));
  }
  kiln_buf_release(&name);
}

static void
constraints(struct kiln_json *json, const struct kiln_op *op)
{
  kiln_json_key(json, "constraints");
  kiln_json_array(json);
  for (unsigned i = 0; i < op->nargs; i++)
    if (shown(op, i))
      extents(json, op, &op->args[i]);
  for (const struct kiln_rule *rule = op->rules; rule && rule->kind; rule++)
    if (as_python(op, rule))
      constraint(json, op, rule);
  kiln_json_array_end(json);
}

/* ---- inputs and outputs ---- */

/* The readers' list has no unsigned type. */
static const char *
dtype_name(enum kiln_dtype dtype)
{
  return dtype == KILN_DTYPE_U8 ? "int8" : kiln_dtype_name(dtype);
}

static enum kiln_dtype
dtype_of(const struct kiln_trial *trial, const struct kiln_arg *arg)
{
  if (arg->ndim)
    return arg->type ? (enum kiln_dtype)trial->type[arg->type - 1] : (enum kiln_dtype)arg->fixed;
  if (arg->kind == KILN_ARG_BOOL)
    return KILN_DTYPE_BOOL;
  return arg->kind == KILN_ARG_INT ? KILN_DTYPE_I64 : KILN_DTYPE_F32;
}

static void
value(struct kiln_json *json, const struct kiln_trial *trial, const struct kiln_arg *arg, const char *name, bool param)
{
  struct kiln_buf extent;
  kiln_buf_init(&extent);
  kiln_json_key(json, name);
  kiln_json_object(json);
  kiln_json_key(json, "shape");
  if (!arg->ndim)
    kiln_json_null(json);
  else {
    kiln_json_array(json);
    for (unsigned d = 0; d < arg->ndim; d++) {
      if (arg->absent == d + 1)
        continue;
      extent_name(trial->op, arg, d, &extent);
      kiln_json_string(json, kiln_buf_text(&extent));
    }
    kiln_json_array_end(json);
  }
  kiln_json_key(json, "dtype");
  kiln_json_string(json, dtype_name(dtype_of(trial, arg)));
  if (arg->flags & KILN_OPTIONAL) {
    kiln_json_key(json, "optional");
    kiln_json_bool(json, true);
  }
  if (param) {
    kiln_json_key(json, "param");
    kiln_json_string(json, arg->param ? arg->param : arg->name);
  }
  kiln_json_key(json, "description");
  kiln_json_string(json, arg->doc && *arg->doc ? arg->doc : arg->name);
  kiln_json_object_end(json);
  kiln_buf_release(&extent);
}

static void
values(struct kiln_json *json, const struct kiln_trial *trial, bool outputs)
{
  const struct kiln_op *op = trial->op;
  kiln_json_key(json, outputs ? "outputs" : "inputs");
  kiln_json_object(json);
  for (unsigned i = 0; i < op->nargs; i++) {
    const struct kiln_arg *arg = &op->args[i];
    if (!shown(op, i) || arg->role == (outputs ? KILN_IN : KILN_OUT))
      continue;
    value(json, trial, arg, outputs ? output_name(arg) : input_name(arg), outputs || arg->trace || arg->param);
  }
  kiln_json_object_end(json);
}

/* ---- the whole ---- */

void
kiln_definition_trial(const struct kiln_op *op, struct kiln_trial *trial)
{
  uint8_t type[KILN_OP_TYPES];
  kiln_trial_init(trial, NULL, op, op->nbenches ? &op->benches[0] : &op->tests[0]);
  for (unsigned row = 0; kiln_trial_types(op, row, type); row++)
    if (op->ntypes && type[0] == KILN_DTYPE_BF16) {
      for (unsigned i = 0; i < KILN_OP_TYPES; i++)
        trial->type[i] = type[i];
      break;
    }
  for (unsigned i = 1; i < op->naxes; i++)
    if (op->axes[i].kind == KILN_AXIS_DERIVED)
      kiln_op_derive(op, i, trial->axis);
}

static void
name_and_tags(struct kiln_json *json, const struct kiln_trial *trial)
{
  const struct kiln_op *op = trial->op;
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_buf_text_append(&text, op->trace_name ? op->trace_name : op->name);
  for (unsigned i = 1; i < op->naxes; i++)
    if (op->axes[i].kind == KILN_AXIS_CONST)
      kiln_buf_printf(
          &text, "_%s%lld", op->axes[i].abbrev ? op->axes[i].abbrev : op->axes[i].name, (long long)trial->axis[i]);
  kiln_json_key(json, "name");
  kiln_json_string(json, kiln_buf_text(&text));
  kiln_json_key(json, "description");
  kiln_json_string(json, op->doc);
  kiln_json_key(json, "op_type");
  kiln_json_string(json, op->op_type ? op->op_type : op->family);
  kiln_json_key(json, "tags");
  kiln_json_array(json);
  kiln_buf_clear(&text);
  kiln_buf_printf(&text, "fi_api:kiln.%s", op->name);
  kiln_json_string(json, kiln_buf_text(&text));
  kiln_json_string(json, "backend:kiln");
  if (op->layouts) {
    kiln_buf_clear(&text);
    kiln_buf_printf(&text, "layout:%s", op->layouts[trial->layout].name);
    kiln_json_string(json, kiln_buf_text(&text));
  }
  kiln_json_array_end(json);
  kiln_buf_release(&text);
}

void
kiln_definition_write(const struct kiln_trial *trial, const char *reference, struct kiln_buf *out)
{
  struct kiln_json json;
  kiln_json_init(&json, out, true);
  kiln_json_object(&json);
  name_and_tags(&json, trial);
  axes(&json, trial);
  constraints(&json, trial->op);
  values(&json, trial, false);
  values(&json, trial, true);
  kiln_json_key(&json, "reference");
  kiln_json_string(&json, reference);
  kiln_json_object_end(&json);
  kiln_buf_text_append(out, "\n");
}
