/* What the kernels of rotary embeddings take, by value. Read by C and by CUDA C++: it includes nothing. */
#ifndef KILN_ROPE_PARAMS_H
#define KILN_ROPE_PARAMS_H

/* Queries or keys: [tokens, heads, head_dim]. */
struct rope_tensor {
  void *to;
  const void *from;
  long long to_token, to_head, from_token, from_head; /* elements between tokens, between heads */
  int heads;
};

struct rope_params {
  struct rope_tensor q, k;
  const void *positions;        /* of each token; or */
  const void *indptr, *offsets; /* tokens of each sequence, and the position of its first */
  const float *cache;           /* cosines, then sines, of each position */
  long long cache_stride, tokens;
  int sequences, head_dim, rotary_dim;
  /* Pair i turns by position * f: f = 2^(i * step) = ratio^i; s = f * smooth + offset, held between 0 and 1;
   * then f * (s + (1 - s) * shrink). */
  double step, ratio, shrink, smooth, offset;
};

/* ROPE_EACH: heads of which a thread loads its vectors before it waits for any. With 1 there are twice the threads of
 * 2, each with fewer registers, and less to compile. */
enum { ROPE_MOST_THREADS = 512, ROPE_ANY_THREADS = 128, ROPE_EACH = 1 };

#endif
