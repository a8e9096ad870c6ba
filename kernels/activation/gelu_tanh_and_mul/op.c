#include "gate_op.h"
#include "params.h"

static const struct kiln_variant variants[] = {GATE_VARIANTS("gelu_tanh_and_mul")};

void kiln_reference_gelu_tanh_and_mul(const struct kiln_reference *data);

const struct kiln_op kiln_op_gelu_tanh_and_mul = {
    "gelu_tanh_and_mul",
    "activation",
    "out = gelu(first half) * second half, gelu(x) = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))), row by "
    "row.",
    KILN_OP_TABLES,
    .rules = rules,
    .pack = pack,
    .reference = kiln_reference_gelu_tanh_and_mul,
};
