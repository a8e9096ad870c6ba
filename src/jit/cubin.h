/*
 * What a GPU payload says about itself: its kind and the architectures inside. Read without trust: every length is
 * checked before it is followed, nothing is allocated, damage means "other". Bytes behind the payload (the trailer of
 * an entry) do not matter.
 */
#ifndef KILN_JIT_CUBIN_H
#define KILN_JIT_CUBIN_H

#include "jit/arch.h"

enum kiln_gpu_kind {
  KILN_GPU_OTHER = 0, /* none of these, or damaged */
  KILN_GPU_CUBIN,     /* ELF with machine code for one architecture */
  KILN_GPU_FATBIN,    /* several images: machine code and PTX */
  KILN_GPU_PTX        /* text */
};

struct kiln_gpu_binary {
  enum kiln_gpu_kind kind;
  struct kiln_arch_list archs; /* of a cubin and of PTX one */
  size_t images;               /* in a fatbin; else 1 */
  size_t compressed;           /* of these, images whose inside is not read */
};

/* true for a well-formed payload; its architectures are then in *binary. The suffix of a cubin comes from the note that
 * the assembler leaves, with older formats from a flag: both say "sm_90a" or "sm_90". */
bool kiln_gpu_read(const void *data, size_t len, struct kiln_gpu_binary *binary);
/* Is `symbol` a kernel in every image that can be read? Compressed images are passed over. */
bool kiln_gpu_defines(const void *data, size_t len, const char *symbol);
/* "cubin", "fatbin", "PTX", "something else". */
const char *kiln_gpu_kind_name(enum kiln_gpu_kind kind);

#endif
