/*
 * What `kiln op bench` tells of each case: for people, and as JSON.
 */
#ifndef KILN_CLI_OP_BENCH_RESULT_H
#define KILN_CLI_OP_BENCH_RESULT_H

#include "op_other.h"

struct kiln_bench_row {
  const struct kiln_op *op;
  char device[16];      /* "cpu", "cuda:0" */
  struct kiln_buf what; /* the case, as kiln_matrix_describe says it; released by the caller */
  struct kiln_bench bench;
  bool compared;           /* by somebody else: other is what came of it */
  struct kiln_other other; /* no times and nothing said: it could not be asked */
};

/* Lines of one case, appended. */
void kiln_bench_row_text(const struct kiln_bench_row *row, struct kiln_buf *out);
/* One object; torch_version NULL: there was no comparison. */
void kiln_bench_row_json(const struct kiln_bench_row *row, const char *torch_version, struct kiln_json *json);

#endif
