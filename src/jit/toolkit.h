/*
 * CUDA toolkits: where they may be, what is in them, and which one is used. Chosen by content and version, never by
 * where PATH happens to point first:
 *
 *   1. the option `cuda` (KILN_CUDA): this folder or none; "none": no toolkit at all
 *   2. CUDA_HOME, CUDA_PATH: taken when the wanted part is in it
 *   3. of all others the newest that knows the wanted architectures, else the newest: NVIDIA's wheels in Python
 *      environments (the active one, conda's, the interpreter's that this process is, the user's, python3's of PATH),
 *      /usr/local/cuda*, /opt/cuda*, and the toolkits of every nvcc in PATH; of equals the first
 *
 * Nothing is started: versions are read from the toolkit's files. Calling order: init, find or examine, release.
 */
#ifndef KILN_JIT_TOOLKIT_H
#define KILN_JIT_TOOLKIT_H

#include "base/buf.h"
#include "jit/arch.h"

/* Seen from outside: options and environment, for tests in one place. */
struct kiln_toolkit_search {
  const char *cuda; /* option; NULL: not given */
  const char *cuda_home, *cuda_path, *path, *home, *virtual_env, *conda_prefix;
  const char *self; /* first word of this process's command line; NULL: not known */
  const char *root; /* put in front of /usr and /opt, for tests; "" */
};
/* As this process and its environment are; `self` is written into buf, which the caller releases. */
void kiln_toolkit_search_init(struct kiln_toolkit_search *search, const char *cuda, struct kiln_buf *buf);
/* Everything the answer depends on, but the files: while this text is the same, the question is. */
void kiln_toolkit_search_text(const struct kiln_toolkit_search *search, struct kiln_buf *text);

enum kiln_toolkit_part { KILN_TOOLKIT_NVCC, KILN_TOOLKIT_NVRTC };

/* A toolkit on disk. Paths are absolute and without links. */
struct kiln_toolkit {
  struct kiln_buf folder;           /* "/usr/local/cuda-13.0", ".../site-packages/nvidia/cu13" */
  struct kiln_buf source;           /* how it was found: "KILN_CUDA", "PATH", "/usr/local", "Python environment …" */
  struct kiln_buf nvcc, cicc;       /* programs; "" when not there */
  struct kiln_buf nvrtc;            /* the library; "" when not there */
  struct kiln_buf include, cccl;    /* folders of headers; cccl: "" when it has none of its own */
  struct kiln_cuda_version version; /* of its headers; 0.0: not known */
  struct kiln_cuda_version nvrtc_version; /* of the library */
  struct kiln_buf problem[2];             /* by part: why that part cannot be used, "has no bin/nvcc"; "": it can */
};
void kiln_toolkit_init(struct kiln_toolkit *toolkit);
void kiln_toolkit_release(struct kiln_toolkit *toolkit);
/* Version of a part. */
struct kiln_cuda_version kiln_toolkit_version(const struct kiln_toolkit *toolkit, enum kiln_toolkit_part part);

/* What is in this folder? false: it does not exist. `source` is copied. */
bool kiln_toolkit_examine(const char *folder, const char *source, struct kiln_toolkit *toolkit);

/* The toolkit to use for a part, for code for `wanted` (may be NULL). KILN_ERROR_NOT_FOUND: there is none, and the
 * sentence names every place; or it is too old (or too new) for an architecture, and the sentence names toolkit,
 * version, architecture and the version needed. KILN_ERROR_ARGUMENT: the option is neither an absolute path nor
 * "none". */
enum kiln_status kiln_toolkit_find(const struct kiln_toolkit_search *search, enum kiln_toolkit_part part,
    const struct kiln_arch_list *wanted, struct kiln_toolkit *toolkit, struct kiln_error *error);
/* Every toolkit there is, in the order of preference, each folder once; for people. Stops when visit returns false. */
typedef bool kiln_toolkit_visit(void *context, const struct kiln_toolkit *toolkit);
void kiln_toolkit_each(const struct kiln_toolkit_search *search, kiln_toolkit_visit *visit, void *context);

/* ---- toolkit_places.c ---- */

/* A place where a toolkit may be; it need not exist. Stops when it returns false. */
typedef bool kiln_toolkit_place(void *context, const char *folder, const char *source);
/* All places of step 3, in order. Returns false when stopped. */
bool kiln_toolkit_places(const struct kiln_toolkit_search *search, kiln_toolkit_place *place, void *context);

#endif
