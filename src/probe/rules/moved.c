#include "probe/rules/moved.h"

#include <string.h>

#include "base/text.h"
#include "probe/report/work.h"

bool
kiln_moved_same_slot(const struct kiln_model_build *a, const struct kiln_model_build *b)
{
  return kiln_text_equal(a->module, b->module) && kiln_text_equal(a->framework, b->framework) &&
         a->block_dim == b->block_dim && kiln_order_device_kind(a->device, b->device) == 0;
}

const struct kiln_model_build *
kiln_moved_from(const struct kiln_model *cold, const struct kiln_model_build *build)
{
  const struct kiln_model_build *before = NULL;
  if (build->result != KILN_BUILD_COMPILED || !build->identity)
    return NULL;
  for (size_t i = 0; i < cold->build_count; i++) {
    const struct kiln_model_build *other = &cold->builds[i];
    if (!other->identity || !kiln_moved_same_slot(other, build))
      continue;
    if (kiln_text_equal(other->identity, build->identity))
      return NULL;
    before = before ? before : other;
  }
  return before;
}

bool
kiln_moved_same_kernels(
    const struct kiln_model *model, const struct kiln_model_build *a, const struct kiln_model_build *b)
{
  const struct kiln_model_hash *left = kiln_model_find_hash(model, a->framework, a->module, a->identity);
  const struct kiln_model_hash *right = kiln_model_find_hash(model, b->framework, b->module, b->identity);
  if (!left || !right || left->kernel_count != right->kernel_count)
    return false;
  for (size_t i = 0; i < left->kernel_count; i++)
    if (!kiln_text_equal(left->kernels[i].name, right->kernels[i].name))
      return false;
  return true;
}

bool
kiln_moved_used(const struct kiln_model *model, int pid, const char *identity)
{
  for (size_t i = 0; i < model->load_count; i++)
    if (model->loads[i].pid == pid && kiln_text_equal(model->loads[i].identity, identity))
      return true;
  for (size_t i = 0; i < model->build_count; i++)
    if (model->builds[i].pid == pid && kiln_text_equal(model->builds[i].identity, identity))
      return true;
  return false;
}

struct kiln_where
kiln_moved_declared(const struct kiln_model *model, const struct kiln_model_build *build)
{
  for (size_t i = 0; i < model->declaration_count; i++)
    if (kiln_text_equal(model->declarations[i].module, build->module))
      return model->declarations[i].where;
  return (struct kiln_where){NULL, 0};
}
