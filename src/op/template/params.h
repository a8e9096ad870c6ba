/* What the kernels of new_op take, by value. Read by C and by CUDA C++: it includes nothing. */
#ifndef KILN_NEW_OP_PARAMS_H
#define KILN_NEW_OP_PARAMS_H

struct new_op_params {
  void *out;
  const void *input;
  long long out_stride, input_stride; /* elements between rows */
  long long rows;
  int columns;
  float factor;
};

#endif
