/* What the kernels of gated activations take, by value. Read by C and by CUDA C++: it includes nothing. */
#ifndef KILN_GATE_PARAMS_H
#define KILN_GATE_PARAMS_H

struct gate_params {
  void *out;
  const void *input;                  /* a row: `width` values to activate, then `width` factors */
  long long out_stride, input_stride; /* elements between rows */
  long long rows;
  int width;
  int each; /* vec: vectors a thread, at most GATE_EACH */
};

enum { GATE_THREADS = 256, GATE_EACH = 2 };
/* So few vectors are spread over more blocks: one a thread. */
#define GATE_FEW (132 * 1024)

#endif
