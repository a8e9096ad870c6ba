#include "op/check.h"

#include <string.h>

#include "base/buf.h"
#include "op/check_work.h"
#include "op/text.h"

/* ---- arithmetic of axes ---- */

static bool
apply(enum kiln_axis_fn fn, int64_t a, int64_t b, int64_t *result)
{
  switch (fn) {
  case KILN_FN_ADD:
    return !__builtin_add_overflow(a, b, result);
  case KILN_FN_SUB:
    return !__builtin_sub_overflow(a, b, result);
  case KILN_FN_MUL:
    return !__builtin_mul_overflow(a, b, result);
  case KILN_FN_DIV:
    *result = b > 0 ? a / b : 0;
    return b > 0;
  case KILN_FN_CEIL_DIV:
    *result = b > 0 ? a / b + (a % b > 0) : 0;
    return b > 0;
  case KILN_FN_MIN:
    *result = a < b ? a : b;
    return true;
  case KILN_FN_NONE:
    break;
  }
  return false;
}

bool
kiln_op_derive(const struct kiln_op *op, unsigned i, int64_t *axes)
{
  const struct kiln_axis *axis = &op->axes[i];
  return apply((enum kiln_axis_fn)axis->fn, axes[axis->a], axis->b ? axes[axis->b] : axis->k, &axes[i]);
}

int64_t
kiln_op_extent(const struct kiln_dim *dim, const int64_t *axes)
{
  if (!dim->axis)
    return dim->add;
  const int64_t value = axes[dim->axis] * dim->mul;
  return (dim->div > 1 ? (value + dim->div - 1) / dim->div : value) + dim->add;
}

unsigned
kiln_op_absent_axis(const struct kiln_op *op)
{
  for (unsigned i = 0; i < op->nargs; i++)
    if (op->args[i].absent)
      return op->args[i].dim[op->args[i].absent - 1].axis;
  return 0;
}

static bool
is_one_of(const int32_t *list, int64_t value)
{
  for (; *list >= 0; list++)
    if (*list == value)
      return true;
  return false;
}

bool
kiln_op_rule_holds(const struct kiln_rule *rule, const int64_t *axes, uint32_t given)
{
  const int64_t a = axes[rule->a], b = axes[rule->b];
  const uint32_t there = rule->args & given;
  if ((rule->if_given & ~given) || (rule->if_absent & given))
    return true;
  switch ((enum kiln_rule_kind)rule->kind) {
  case KILN_RULE_MULTIPLE:
    return a % rule->lo == 0;
  case KILN_RULE_MULTIPLE_OF:
    return b > 0 && a % b == 0;
  case KILN_RULE_IN:
    return is_one_of(rule->in, a);
  case KILN_RULE_RANGE:
    return a >= rule->lo && a <= rule->hi;
  case KILN_RULE_AT_MOST:
    return a <= b;
  case KILN_RULE_EQUAL:
    return a == b;
  case KILN_RULE_NEEDS:
    return a == 0 || b != 0;
  case KILN_RULE_ONE_OF:
    return there && !(there & (there - 1));
  case KILN_RULE_TOGETHER:
    return there == 0 || there == rule->args;
  case KILN_RULE_DATA:
  case KILN_RULE_END:
    break;
  }
  return true;
}

bool
kiln_op_combination(const struct kiln_op *op, const uint8_t *type)
{
  for (unsigned row = 0; row < op->ncombos; row++) {
    bool same = true;
    for (unsigned i = 0; i < op->ntypes; i++)
      same = same && (!type[i] || !op->combos[row][i] || op->combos[row][i] == type[i]);
    if (same)
      return true;
  }
  return !op->combos;
}

/* ---- axes ---- */

const char *
kiln_check_place(const struct kiln_op *op, int arg, int dim, char *text)
{
  struct kiln_buf buf;
  kiln_buf_init(&buf);
  kiln_buf_text_append(&buf, arg < 0 ? "the call" : op->args[arg].name);
  if (dim >= 0)
    kiln_buf_printf(&buf, ".shape[%d]", dim);
  const size_t len = buf.len < 79 ? buf.len : 79;
  memcpy(text, kiln_buf_text(&buf), len);
  text[len] = '\0';
  kiln_buf_release(&buf);
  return text;
}

enum kiln_status
kiln_check_bind(struct kiln_check_work *work, unsigned axis, int64_t value, unsigned arg, int dim)
{
  struct kiln_checked *checked = &work->signature->checked;
  char here[80], there[80];
  if (!(work->bound & KILN_BIT(axis))) {
    work->bound |= KILN_BIT(axis);
    checked->axis[axis] = value;
    work->by[axis] = (int8_t)arg;
    work->by_dim[axis] = (int8_t)dim;
    return KILN_OK;
  }
  if (checked->axis[axis] == value)
    return KILN_OK;
  return KILN_REFUSE(KILN_REFUSED_EXTENT, "Make the two equal.", "%s is %lld, but %s made %s %lld",
      kiln_check_place(work->op, (int)arg, dim, here), (long long)value,
      kiln_check_place(work->op, work->by[axis], work->by_dim[axis], there), work->op->axes[axis].name,
      (long long)checked->axis[axis]);
}

/* Derived axes in order; a number that was left out takes the extent it stands for. */
static enum kiln_status
derive_axes(struct kiln_check_work *work)
{
  struct kiln_checked *checked = &work->signature->checked;
  for (unsigned i = 0; i < work->op->nargs; i++) {
    const struct kiln_arg *arg = &work->op->args[i];
    if (arg->flags & KILN_BINDS && !(work->bound & KILN_BIT(arg->axis)) && arg->dim[0].axis)
      checked->axis[arg->axis] = kiln_op_extent(&arg->dim[0], checked->axis);
  }
  for (unsigned i = 1; i < work->op->naxes; i++) {
    const struct kiln_axis *axis = &work->op->axes[i];
    if (axis->kind == KILN_AXIS_DERIVED && !kiln_op_derive(work->op, i, checked->axis))
      return KILN_REFUSE(KILN_REFUSED_SIZE, "Make the tensors smaller.",
          "%s cannot be computed from %s = %lld and %lld", axis->name, work->op->axes[axis->a].name,
          (long long)checked->axis[axis->a], (long long)(axis->b ? checked->axis[axis->b] : axis->k));
  }
  return KILN_OK;
}

/* ---- values ---- */

static bool
takes(const struct kiln_arg *arg, uint32_t tag)
{
  switch ((enum kiln_arg_kind)arg->kind) {
  case KILN_ARG_TENSOR:
    return tag == KILN_VALUE_TENSOR;
  case KILN_ARG_INT:
    return tag == KILN_VALUE_INT;
  case KILN_ARG_REAL:
    return tag == KILN_VALUE_REAL || tag == KILN_VALUE_INT;
  case KILN_ARG_BOOL:
    return tag == KILN_VALUE_BOOL || tag == KILN_VALUE_INT;
  case KILN_ARG_ENUM:
    return tag == KILN_VALUE_INT || tag == KILN_VALUE_TEXT;
  case KILN_ARG_TENSOR_OR_INT:
    return tag == KILN_VALUE_TENSOR || tag == KILN_VALUE_INT;
  case KILN_ARG_TENSOR_OR_REAL:
    return tag == KILN_VALUE_TENSOR || tag == KILN_VALUE_REAL || tag == KILN_VALUE_INT;
  }
  return false;
}

static const char *
tag_name(uint32_t tag)
{
  static const char *const names[] = {"nothing", "a tensor", "an int", "a float", "a bool", "a text"};
  return tag < sizeof names / sizeof *names ? names[tag] : "something else";
}

static enum kiln_status
check_kind(struct kiln_check_work *work, unsigned i)
{
  const struct kiln_arg *arg = &work->op->args[i];
  const uint32_t tag = work->values[i].tag;
  if (tag == KILN_VALUE_NONE) {
    if (arg->flags & KILN_OPTIONAL)
      return KILN_OK;
    return KILN_REFUSE(KILN_REFUSED_MISSING, "Pass it.", "%s (argument %u) is missing; a %s is required", arg->name, i,
        kiln_text_kind(arg));
  }
  if (!takes(arg, tag) || (tag == KILN_VALUE_TENSOR && !work->values[i].as.tensor))
    return KILN_REFUSE(KILN_REFUSED_KIND, "Pass the kind of value that the op declares.",
        "%s (argument %u) is %s; expected a %s", arg->name, i,
        tag == KILN_VALUE_TENSOR ? (takes(arg, tag) ? "a NULL tensor" : "a tensor") : tag_name(tag),
        kiln_text_kind(arg));
  work->signature->checked.given |= KILN_BIT(i);
  if (tag == KILN_VALUE_TENSOR)
    work->signature->checked.tensors |= KILN_BIT(i);
  return KILN_OK;
}

void
kiln_op_name_to_number(const struct kiln_arg *arg, struct kiln_value *value)
{
  if (arg->kind != KILN_ARG_ENUM || value->tag != KILN_VALUE_TEXT || !value->as.text)
    return;
  for (int64_t k = 0; arg->names[k]; k++)
    if (strcmp(arg->names[k], value->as.text) == 0) {
      value->tag = KILN_VALUE_INT;
      value->as.integer = k;
      return;
    }
}

static enum kiln_status
check_enum(struct kiln_check_work *work, unsigned i)
{
  const struct kiln_arg *arg = &work->op->args[i];
  const struct kiln_value *value = &work->values[i];
  struct kiln_buf names;
  int64_t count = 0;
  kiln_buf_init(&names);
  for (; arg->names[count]; count++)
    kiln_buf_printf(&names, "%s\"%s\"", count ? ", " : "", arg->names[count]);
  enum kiln_status status = KILN_OK;
  if (value->tag == KILN_VALUE_TEXT)
    status = KILN_REFUSE(KILN_REFUSED_NAME, "Use one of these names.", "%s is \"%.60s\"; expected one of %s", arg->name,
        value->as.text ? value->as.text : "", kiln_buf_text(&names));
  else if (value->as.integer < 0 || value->as.integer >= count)
    status = KILN_REFUSE(KILN_REFUSED_NAME, "Use one of these names, or its place in the list from 0.",
        "%s is %lld; expected one of %s", arg->name, (long long)value->as.integer, kiln_buf_text(&names));
  kiln_buf_release(&names);
  return status;
}

static enum kiln_status
check_number(struct kiln_check_work *work, unsigned i)
{
  const struct kiln_arg *arg = &work->op->args[i];
  if (arg->kind == KILN_ARG_ENUM)
    return check_enum(work, i);
  const enum kiln_status status = kiln_op_check_range(work->op, i, &work->values[i], work->refusal, work->error);
  if (status != KILN_OK || !(arg->flags & KILN_BINDS))
    return status;
  return kiln_check_bind(work, arg->axis, work->values[i].as.integer, i, -1);
}

static enum kiln_status
check_values(struct kiln_check_work *work)
{
  const struct kiln_op *op = work->op;
  enum kiln_status status = KILN_OK;
  for (unsigned i = 0; i < op->nargs && status == KILN_OK; i++)
    status = check_kind(work, i);
  if (status == KILN_OK && op->layouts) {
    const unsigned arg = op->layout_arg - 1u;
    if (work->signature->checked.given & KILN_BIT(arg))
      status = check_enum(work, arg);
    if (status == KILN_OK)
      work->perm = op->layouts[kiln_op_integer(op, work->values, arg)].perm;
  }
  for (unsigned i = 0; i < op->nargs && status == KILN_OK; i++)
    if (work->values[i].tag == KILN_VALUE_TENSOR)
      status = kiln_check_tensor(work, i);
    else if (work->values[i].tag != KILN_VALUE_NONE)
      status = check_number(work, i);
  return status;
}

/* ---- rules, combination, variant ---- */

static void
say_axis(struct kiln_check_work *work, unsigned axis, struct kiln_buf *out)
{
  const struct kiln_op *op = work->op;
  char place[80];
  kiln_buf_printf(out, "%s is %lld", op->axes[axis].name, (long long)work->signature->checked.axis[axis]);
  if (op->axes[axis].kind == KILN_AXIS_DERIVED) {
    kiln_buf_text_append(out, " (");
    kiln_text_axis(out, op, axis);
    kiln_buf_text_append(out, ")");
  } else if (work->bound & KILN_BIT(axis))
    kiln_buf_printf(out, " (from %s)", kiln_check_place(op, work->by[axis], work->by_dim[axis], place));
}

static enum kiln_status
refuse_rule(struct kiln_check_work *work, const struct kiln_rule *rule)
{
  struct kiln_buf text, axes;
  enum kiln_status status;
  kiln_buf_init(&text);
  kiln_buf_init(&axes);
  kiln_text_rule(&text, work->op, rule);
  if (rule->kind == KILN_RULE_ONE_OF || rule->kind == KILN_RULE_TOGETHER) {
    kiln_text_args(&axes, work->op, rule->args & work->signature->checked.given);
    status = KILN_REFUSE(KILN_REFUSED_PRESENCE, "Pass the arguments as the rule says.", "needs %s; given: %s",
        kiln_buf_text(&text), axes.len ? axes.data : "none");
  } else {
    say_axis(work, rule->a, &axes);
    if (rule->b) {
      kiln_buf_text_append(&axes, " and ");
      say_axis(work, rule->b, &axes);
    }
    status = KILN_REFUSE(KILN_REFUSED_RULE, "The op's reference page lists the sizes that it supports.",
        "%s; the op requires %s", kiln_buf_text(&axes), kiln_buf_text(&text));
  }
  kiln_buf_release(&text);
  kiln_buf_release(&axes);
  return status;
}

static enum kiln_status
check_rules(struct kiln_check_work *work)
{
  const struct kiln_checked *checked = &work->signature->checked;
  for (const struct kiln_rule *rule = work->op->rules; rule && rule->kind; rule++)
    if (!kiln_op_rule_holds(rule, checked->axis, checked->given))
      return refuse_rule(work, rule);
  return KILN_OK;
}

static enum kiln_status
check_combination(struct kiln_check_work *work)
{
  const struct kiln_op *op = work->op;
  struct kiln_buf row;
  if (kiln_op_combination(op, work->signature->checked.type))
    return KILN_OK;
  kiln_buf_init(&row);
  for (unsigned i = 0; i < op->ntypes; i++)
    if (work->signature->checked.type[i])
      kiln_buf_printf(&row, "%s%s=%s", row.len ? ", " : "", op->types[i].name,
          kiln_dtype_name((enum kiln_dtype)work->signature->checked.type[i]));
  const enum kiln_status status =
      KILN_REFUSE(KILN_REFUSED_COMBINATION, "The op's reference page lists the combinations.",
          "the dtype combination %s is not supported", kiln_buf_text(&row));
  kiln_buf_release(&row);
  return status;
}

static enum kiln_status
refuse_variant(struct kiln_check_work *work, bool any_arch)
{
  struct kiln_buf variants;
  char name[12];
  kiln_buf_init(&variants);
  kiln_text_variants(&variants, work->op);
  kiln_target_name(&work->target, name);
  const enum kiln_status status = any_arch
                                      ? KILN_REFUSE(KILN_REFUSED_ALIGNMENT, "Align data and strides to 16 bytes.",
                                            "no variant fits these extents, strides and alignment on %s; variants: %s",
                                            name, kiln_buf_text(&variants))
                                      : KILN_REFUSE(KILN_REFUSED_ARCH, "Run it on one of these.",
                                            "no variant for %s; variants: %s", name, kiln_buf_text(&variants));
  kiln_buf_release(&variants);
  return status;
}

static enum kiln_status
check_variant(struct kiln_check_work *work, const uintptr_t *address)
{
  bool any_arch;
  struct kiln_checked *checked = &work->signature->checked;
  checked->variant = kiln_variant_pick(checked, &work->target, work->checker->prepared->typed, address, &any_arch);
  return checked->variant ? KILN_OK : refuse_variant(work, any_arch);
}

/* ---- what the next call is compared with ---- */

static bool
same_form(const struct kiln_signature *signature, const struct kiln_op_pair *pair)
{
  const struct kiln_checked *checked = &signature->checked;
  const unsigned ndim = checked->op->args[pair->written].ndim;
  return signature->span[pair->written] == signature->span[pair->other] &&
         checked->dtype[pair->written] == checked->dtype[pair->other] &&
         memcmp(checked->stride[pair->written], checked->stride[pair->other], ndim * sizeof(int64_t)) == 0;
}

static void
keep_pairs(struct kiln_check_work *work)
{
  const struct kiln_prepared *prepared = work->checker->prepared;
  struct kiln_signature *signature = work->signature;
  for (unsigned k = 0; k < prepared->npairs; k++) {
    struct kiln_op_pair pair = prepared->pairs[k];
    if (!(signature->checked.tensors & KILN_BIT(pair.written)) || !(signature->checked.tensors & KILN_BIT(pair.other)))
      continue;
    pair.same_ok = pair.same_ok && same_form(signature, &pair);
    signature->pairs[signature->npairs++] = pair;
  }
}

static enum kiln_status
check_all(struct kiln_check_work *work)
{
  uintptr_t address[KILN_OP_ARGS] = {0};
  enum kiln_status status = check_values(work);
  if (status == KILN_OK)
    status = derive_axes(work);
  if (status == KILN_OK)
    status = kiln_check_deferred(work);
  for (unsigned i = 0; i < work->op->nargs && status == KILN_OK; i++)
    if (work->values[i].tag == KILN_VALUE_TENSOR) {
      address[i] = kiln_tensor_address(work->values[i].as.tensor);
      status = kiln_check_memory(work, i);
    }
  if (status == KILN_OK)
    status = check_rules(work);
  if (status == KILN_OK)
    status = check_combination(work);
  if (status == KILN_OK)
    status = check_variant(work, address);
  if (status == KILN_OK && work->op->check) {
    status = work->op->check(&work->signature->checked, work->values, work->error);
    if (status != KILN_OK && work->refusal)
      *work->refusal = KILN_REFUSED_OP;
  }
  if (status != KILN_OK)
    return status;
  keep_pairs(work);
  kiln_signature_key(work->signature, work->values);
  return kiln_signature_check_call(work->signature, work->values, address, work->refusal, work->error);
}

enum kiln_status
kiln_op_check(const struct kiln_checker *checker, const struct kiln_value *values, unsigned count,
    struct kiln_signature *signature, enum kiln_refusal *refusal, struct kiln_error *error)
{
  struct kiln_check_work check = {.op = checker->prepared->op,
      .checker = checker,
      .values = values,
      .signature = signature,
      .refusal = refusal,
      .error = error,
      .first = -1,
      .like = -1};
  const struct kiln_check_work *work = &check;
  if (refusal)
    *refusal = KILN_REFUSED_NOT;
  memset(&signature->checked, 0, sizeof signature->checked);
  memset(signature->span, 0, sizeof signature->span);
  signature->checked.op = check.op;
  signature->npairs = 0;
  signature->kernel = NULL;
  signature->device = (struct kiln_tensor_device){KILN_DEVICE_CPU, 0};
  if (count != check.op->nargs)
    return KILN_REFUSE(KILN_REFUSED_COUNT, "The op's reference page lists the arguments.",
        "got %u arguments; expected %u", count, check.op->nargs);
  return check_all(&check);
}
