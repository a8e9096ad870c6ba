/*
 * The same calls by somebody else, for `kiln op bench --vs`: PyTorch today, all of them in one Python of its own.
 */
#ifndef KILN_CLI_OP_OTHER_H
#define KILN_CLI_OP_OTHER_H

#include "op/tool/bench.h"
#include "op/tool/calls.h"

/* What came of one call. */
struct kiln_other {
  struct kiln_series series; /* sorted; empty when it was not timed */
  char says[256];            /* why not: "differs: …", "failed: …" */
};

/* Is there all that a comparison needs beside kiln itself? KILN_ERROR_ENVIRONMENT: no source tree. */
enum kiln_status kiln_other_ready(struct kiln *kiln, struct kiln_error *error);

/* Run each call (calls->count, in their order) by torch.py of the op's folder, or by reference.py where there is none,
 * checked against reference.py. Where: "cpu", "cuda:0". version: of PyTorch. Needs a Python with torch:
 * KILN_BENCH_PYTHON, else python3. KILN_ERROR_COMMAND: it ended before its time, with its last line; what it said
 * until then is there. */
enum kiln_status kiln_other_torch(struct kiln *kiln, struct kiln_calls *calls, const char *where, unsigned rounds,
    struct kiln_other *others, char version[64], struct kiln_error *error);

#endif
