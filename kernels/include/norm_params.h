/* What the kernels of normalisations take, by value. Read by C and by CUDA C++: it includes nothing. */
#ifndef KILN_NORM_PARAMS_H
#define KILN_NORM_PARAMS_H

struct norm_params {
  void *out, *residual; /* residual: read and written */
  const void *input, *weight, *bias;
  const float *scale_at;                               /* where the scale is, or NULL: it is `scale` */
  long long out_stride, input_stride, residual_stride; /* elements between rows; where a row is a head, between heads */
  /* Heads of all tokens are rows in one order; behind those of each token lie so many elements more. The token of a row
   * is row / heads = (row * part >> 32) >> shift; part 0: nothing lies between tokens. At most 2^31 - 1 rows. */
  long long out_gap, input_gap;
  unsigned part, shift;
  long long rows;
  int width;
  float eps, scale;
};

/* Threads for a row of `vectors` 16-byte vectors: about `each` vectors a thread, whole warps, at most 1024. */
#define NORM_WARPS(vectors, each) (((vectors) + 32 * (each)-1) / (32 * (each)))
#define NORM_THREADS(vectors, each) (NORM_WARPS(vectors, each) > 32 ? 1024 : 32 * NORM_WARPS(vectors, each))
/* Rows of a block: four, where one warp is enough for a row. */
#define NORM_ROWS(vectors, each) (NORM_THREADS(vectors, each) == 32 ? 4 : 1)
/* Vectors a thread: two keep memory busy and compile fast. Where weights are wider than elements, their loads are what
 * takes time, and four of them in flight are faster. */
#define NORM_EACH 2
#define NORM_EACH_WIDE 4

#endif
