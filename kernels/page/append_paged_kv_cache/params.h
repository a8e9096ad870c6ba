/* What the kernels take, by value. Read by C and by CUDA C++: it includes nothing. Strides in elements. */
#ifndef KILN_APPEND_PARAMS_H
#define KILN_APPEND_PARAMS_H

struct append_side {
  const void *from; /* [tokens, heads, width] */
  void *cache;      /* [pages, slots of a page, heads, width] */
  long long token, head, page, slot, cache_head;
};

struct append_params {
  struct append_side key, value;
  const int *batch, *position; /* of each token; a negative batch: the token is left out */
  const int *indices, *indptr; /* pages of all requests, and where those of each begin */
  int tokens, heads, width;
  int page_size, requests, pages_used; /* pages_used: length of indices */
  int each;                            /* vec: vectors a thread, at most APPEND_EACH */
};

enum { APPEND_THREADS = 256, APPEND_EACH = 2 };
/* So few vectors of keys are spread over more blocks: one a thread. */
#define APPEND_FEW (132 * 1024)

#endif
