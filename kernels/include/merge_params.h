/* What the kernels that merge attention states take, by value. Read by C and by CUDA C++: it includes nothing.
 *
 * A state is the attention output of one set of keys and the base-2 logarithm of the sum of its exponentials. A row is
 * one head of one token. */
#ifndef KILN_MERGE_PARAMS_H
#define KILN_MERGE_PARAMS_H

/* Strides in elements. merge_state has its two states in two of these, merge_states all of them in the first, a step
 * apart. */
struct merge_input {
  const void *v;
  const float *s;
  long long v_token, v_head, v_step;
  long long s_token, s_step; /* heads of s lie side by side */
};

struct merge_params {
  struct merge_input input[2];
  void *v;
  float *s;
  long long v_token, v_head, s_token;
  int rows, heads, width; /* rows: tokens * heads; width: elements of a head */
  int states;
};

/* MERGE_AHEAD: states that a thread of merge_states loads before it uses the first. More of them need registers, so
 * that fewer threads run at once, and take longer to compile. */
enum { MERGE_THREADS = 256, MERGE_AHEAD = 2 };

/* Threads of a row of `vectors` 16-byte vectors, all in one warp: s may be written over s. */
#define MERGE_LANES(vectors)                                                                                           \
  ((vectors) > 16 ? 32 : (vectors) > 8 ? 16 : (vectors) > 4 ? 8 : (vectors) > 2 ? 4 : (vectors) > 1 ? 2 : 1)

#endif
