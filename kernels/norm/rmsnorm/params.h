/* What the kernels of rmsnorm take, by value. Read by C and by CUDA C++: it includes nothing. */
#ifndef KILN_RMSNORM_PARAMS_H
#define KILN_RMSNORM_PARAMS_H

struct rmsnorm_params {
  void *out;
  const void *input, *weight;
  long long out_stride, input_stride; /* elements between rows */
  long long batch_size;
  int hidden_size;
  float eps;
};

/* Threads of a block for a row of `vectors` 16-byte vectors: four vectors a thread, whole warps. */
#define RMSNORM_VEC_THREADS(vectors) ((vectors) > 4096 ? 1024 : (vectors) <= 128 ? 32 : ((vectors) + 127) / 128 * 32)

#endif
