/*
 * The same op by somebody else, for `kiln op bench --vs`: PyTorch today, in a Python of its own.
 */
#ifndef KILN_CLI_OP_OTHER_H
#define KILN_CLI_OP_OTHER_H

#include "op/tool/bench.h"

struct kiln_other {
  struct kiln_series series; /* sorted; empty when it could not be run */
  char version[64];
};

/* Run torch.py of the op's folder (reference.py where there is none) on tensors of the same sizes. Needs a source tree,
 * and a Python with torch: KILN_BENCH_PYTHON, else python3. KILN_ERROR_COMMAND: it failed, with its last line. */
enum kiln_status kiln_other_torch(
    const struct kiln_trial *trial, unsigned rounds, struct kiln_other *other, struct kiln_error *error);

#endif
