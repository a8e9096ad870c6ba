/*
 * Calls for other programs to make: what `kiln op run --save` writes, and what PyTorch gets beside `kiln op bench`.
 *
 * calls.json is an array, one object a call: "op", "family", "case", "sets" (of buffers, when it was timed), and
 * "arguments" in the order in which the op is called. Each has "name"; "param", the parameter of the call, two
 * arguments with one are a tuple there; "input", its name in the trace definition, null when it is none there;
 * "output", likewise; and either "value" or "tensor".
 *
 * "value" is a number, a bool or a name's number; null: the argument is absent. "tensor" has "dtype", and "shape" and
 * "strides" (elements) in canonical order; "order", where the extents lie in the call, [0, 2, 1, 3], when that differs;
 * "same_as", the argument whose memory it is; "at", where its elements begin in calls.bin, dense, in canonical order
 * and in the bytes of this machine; null: any reals around 0 will do, or it is a result.
 *
 * Order: init, add as often as wanted, write, release.
 */
#ifndef KILN_OP_TOOL_CALLS_H
#define KILN_OP_TOOL_CALLS_H

#include "base/json_write.h"
#include "op/tool/trial.h"

struct kiln_calls {
  struct kiln_buf text, data;
  struct kiln_json json;
  unsigned count;
};
void kiln_calls_init(struct kiln_calls *calls);
void kiln_calls_release(struct kiln_calls *calls);
/* A made trial, with what its staging holds now: what was put into it, where the op does not write it. sets: 0 when it
 * was not timed. */
void kiln_calls_add(struct kiln_calls *calls, const struct kiln_trial *trial, unsigned sets);
/* calls.json and calls.bin of a folder. KILN_ERROR_MEMORY also for what add could not hold. Once. */
enum kiln_status kiln_calls_write(struct kiln_calls *calls, const char *folder, struct kiln_error *error);

#endif
