#include "gate_op.h"
#include "params.h"

static const struct kiln_variant variants[] = {GATE_VARIANTS("silu_and_mul")};

void kiln_reference_silu_and_mul(const struct kiln_reference *data);

const struct kiln_op kiln_op_silu_and_mul = {
    "silu_and_mul",
    "activation",
    "out = silu(first half) * second half, silu(x) = x / (1 + e^-x), row by row.",
    KILN_OP_TABLES,
    .rules = rules,
    .pack = pack,
    .reference = kiln_reference_silu_and_mul,
};
