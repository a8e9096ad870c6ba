#include "registry/op.h"

#include <string.h>

/* One line an op: its table is kiln_op_<name> in kernels/<family>/<name>/op.c. */
/* clang-format off */
#define KILN_REGISTERED_OPS(OP) \
  OP(rmsnorm) \
  OP(gemma_rmsnorm) \
  OP(fused_add_rmsnorm) \
  OP(gemma_fused_add_rmsnorm) \
  OP(rmsnorm_quant) \
  OP(fused_add_rmsnorm_quant) \
  OP(layernorm) \
  OP(layernorm_quant) \
  OP(silu_and_mul) \
  OP(gelu_and_mul) \
  OP(gelu_tanh_and_mul) \
  OP(apply_rope) \
  OP(apply_rope_pos_ids) \
  OP(apply_llama31_rope) \
  OP(apply_llama31_rope_pos_ids) \
  OP(apply_rope_with_cos_sin_cache) \
  OP(append_paged_kv_cache) \
  OP(merge_state) \
  OP(merge_states) \
  /* the last */
/* clang-format on */

#define DECLARE(name) extern const struct kiln_op kiln_op_##name;
#define LIST(name) &kiln_op_##name,
KILN_REGISTERED_OPS(DECLARE)

static const struct kiln_op *const ops[] = {KILN_REGISTERED_OPS(LIST)};

const struct kiln_op *
kiln_op_at(size_t index)
{
  return index < sizeof ops / sizeof *ops ? ops[index] : NULL;
}

const struct kiln_op *
kiln_op_find(const char *name)
{
  for (size_t i = 0; kiln_op_at(i); i++)
    if (strcmp(kiln_op_at(i)->name, name) == 0)
      return kiln_op_at(i);
  return NULL;
}
