#include "op/op.h"
#include "params.h"

/* Axes are numbered from 1, arguments from 0. */
enum { ROWS = 1, COLUMNS, AXES };
enum { OUT, INPUT, FACTOR, ARGS };

static const struct kiln_axis axes[AXES] = {
    [ROWS] = KILN_VAR("rows", "rows; differs from call to call"),
    [COLUMNS] = KILN_CONST("columns", "c", "elements of a row"),
};

static const struct kiln_type types[] = {{"T", KILN_SET_FLOAT}};

/* Results first. The order is that of every caller, in every language. */
static const struct kiln_arg args[ARGS] = {
    [OUT] = {"out", "result; may be input itself", .kind = KILN_ARG_TENSOR, .role = KILN_OUT, .type = 1, .ndim = 2,
        .dim = {KILN_DIM(ROWS), KILN_DIM(COLUMNS)}, .flags = KILN_SAME_AS_OK, .alias = 1 + INPUT},
    [INPUT] = {"input", "rows; the row stride is free", .kind = KILN_ARG_TENSOR, .type = 1, .ndim = 2,
        .dim = {KILN_DIM(ROWS), KILN_DIM(COLUMNS)}},
    [FACTOR] = {"factor", "what each element is multiplied with", .kind = KILN_ARG_REAL, .flags = KILN_OPTIONAL,
        .real = {.lo = -1e6, .hi = 1e6, .def = 1}},
};

static const struct kiln_rule rules[] = {
    {.kind = KILN_RULE_RANGE, .a = ROWS, .lo = 0, .hi = INT32_MAX},
    {.kind = KILN_RULE_RANGE, .a = COLUMNS, .lo = 1, .hi = INT32_MAX},
    KILN_RULES_END,
};

/* The first that fits is taken: put faster ones with more needs in front. */
static const struct kiln_variant variants[] = {
    {"plain", KILN_BACKEND_CUDA, "sm80+", "new_op", .needs = NULL},
    {"plain", KILN_BACKEND_CPU, NULL, "new_op", .needs = NULL},
};

/* Odd sizes, one element, nothing at all; each is run with every dtype. */
static const struct kiln_case tests[] = {
    {.axis = {[ROWS] = 3, [COLUMNS] = 64}, .set = {{1 + FACTOR, 2.5}}},
    {.axis = {[ROWS] = 7, [COLUMNS] = 111}},
    {.axis = {[ROWS] = 1, [COLUMNS] = 1}, .set = {{1 + FACTOR, -1}}},
    {.axis = {[ROWS] = 0, [COLUMNS] = 8}},
};

static const struct kiln_case benches[] = {
    {.axis = {[ROWS] = 1, [COLUMNS] = 4096}},
    {.axis = {[ROWS] = 4096, [COLUMNS] = 4096}},
};

static void
pack(const struct kiln_checked *checked, const struct kiln_value *values, struct kiln_op_launch *launch)
{
  struct new_op_params *params = kiln_op_params(launch, sizeof *params);
  params->out = kiln_op_data(values, OUT);
  params->input = kiln_op_data(values, INPUT);
  params->out_stride = checked->stride[OUT][0];
  params->input_stride = checked->stride[INPUT][0];
  params->rows = checked->axis[ROWS];
  params->columns = (int)checked->axis[COLUMNS];
  params->factor = (float)kiln_op_real(checked->op, values, FACTOR);
  kiln_op_grid(launch, checked->axis[ROWS], 1, 1, 256);
}

void kiln_reference_new_op(const struct kiln_reference *data);

const struct kiln_op kiln_op_new_op = {
    "new_op",
    "new_family",
    "out = input * factor, element by element.",
    KILN_OP_TABLES,
    .rules = rules,
    .pack = pack,
    .reference = kiln_reference_new_op,
};
