#include "op/variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "op/check.h"

const char *
kiln_target_name(const struct kiln_target *target, char *name)
{
  if (target->backend == KILN_BACKEND_CPU)
    snprintf(name, 12, "cpu");
  else
    snprintf(name, 12, "sm%u%s", target->cc, target->cc >= 90 ? "a" : "");
  return name;
}

bool
kiln_target_parse(const char *text, struct kiln_target *target)
{
  char *end;
  if (strcmp(text, "cpu") == 0) {
    *target = (struct kiln_target){KILN_BACKEND_CPU, 0};
    return true;
  }
  text += strncmp(text, "sm", 2) == 0 ? 2 : 0;
  text += *text == '_';
  if (*text < '1' || *text > '9')
    return false;
  const long cc = strtol(text, &end, 10);
  *target = (struct kiln_target){KILN_BACKEND_CUDA, (uint16_t)cc};
  return cc >= 50 && cc < 1000 && (*end == '\0' || strcmp(end, "a") == 0);
}

/* One word of a list of architectures. */
static bool
word_allows(const char *word, size_t len, unsigned cc)
{
  char *end;
  if (len < 4 || strncmp(word, "sm", 2) != 0)
    return false;
  const unsigned long listed = strtoul(word + 2, &end, 10);
  return end == word + len - 1 && *end == '+' ? cc >= listed : cc == listed;
}

bool
kiln_variant_runs_on(const struct kiln_variant *variant, const struct kiln_target *target)
{
  if (variant->backend != target->backend)
    return false;
  if (variant->backend == KILN_BACKEND_CPU)
    return true;
  for (const char *word = variant->archs; word && *word;) {
    const size_t len = strcspn(word, " ");
    if (word_allows(word, len, target->cc))
      return true;
    word += len + strspn(word + len, " ");
  }
  return false;
}

/* Data, and every stride but the unit one, whatever the layout. */
static bool
aligned(const struct kiln_checked *checked, uint32_t typed, const uintptr_t *address, unsigned bytes)
{
  for (uint32_t left = typed & checked->tensors; left; left &= left - 1) {
    const unsigned i = (unsigned)__builtin_ctz(left);
    const unsigned size = kiln_dtype_bits((enum kiln_dtype)checked->dtype[i]) / 8;
    if (address[i] % bytes)
      return false;
    for (unsigned d = 0; d < checked->op->args[i].ndim; d++)
      if (checked->stride[i][d] != 1 && (uint64_t)checked->stride[i][d] * size % bytes)
        return false;
  }
  return true;
}

static bool
fits(const struct kiln_variant *variant, const struct kiln_checked *checked)
{
  for (const struct kiln_rule *rule = variant->needs; rule && rule->kind; rule++)
    if (!kiln_op_rule_holds(rule, checked->axis, checked->given))
      return false;
  return true;
}

const struct kiln_variant *
kiln_variant_pick(const struct kiln_checked *checked, const struct kiln_target *target, uint32_t typed,
    const uintptr_t *address, bool *any_arch)
{
  *any_arch = false;
  for (unsigned i = 0; i < checked->op->nvariants; i++) {
    const struct kiln_variant *variant = &checked->op->variants[i];
    if (!kiln_variant_runs_on(variant, target))
      continue;
    *any_arch = true;
    if (fits(variant, checked) && (!variant->align || aligned(checked, typed, address, variant->align)))
      return variant;
  }
  return NULL;
}

void
kiln_variant_uri(const struct kiln_checked *checked, const struct kiln_target *target, const struct kiln_value *values,
    struct kiln_buf *out)
{
  const struct kiln_op *op = checked->op;
  char name[12];
  kiln_buf_printf(out, "%s.%s@%s", op->name, checked->variant->name, kiln_target_name(target, name));
  for (unsigned i = 0; i < op->ntypes; i++)
    if (checked->type[i])
      kiln_buf_printf(out, "_%s.%s", op->types[i].name, kiln_dtype_name((enum kiln_dtype)checked->type[i]));
  for (unsigned i = 1; i < op->naxes; i++)
    if (checked->variant->key_axes & KILN_BIT(i))
      kiln_buf_printf(
          out, "_%s%lld", op->axes[i].abbrev ? op->axes[i].abbrev : op->axes[i].name, (long long)checked->axis[i]);
  for (unsigned i = 0; i < op->nargs; i++)
    if (op->args[i].flags & KILN_KEYED)
      kiln_buf_printf(out, "_%s%lld", op->args[i].name, (long long)kiln_op_integer(op, values, i));
}
