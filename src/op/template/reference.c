#include "op/op.h"

enum { ROWS = 1, COLUMNS };
enum { OUT, INPUT, FACTOR };

void kiln_reference_new_op(const struct kiln_reference *data);

/* Double precision, dense, plain: what every check compares with. */
void
kiln_reference_new_op(const struct kiln_reference *data)
{
  for (int64_t i = 0; i < data->axis[ROWS] * data->axis[COLUMNS]; i++)
    data->real[OUT][i] = data->real[INPUT][i] * kiln_op_real(data->op, data->numbers, FACTOR);
}
