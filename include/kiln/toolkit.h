/*
 * kiln/toolkit.h: which CUDA toolkits are on this machine, and which one is used.
 *
 * Toolkits are found by what is in them and by version, never by where PATH happens to point first. In this order:
 *
 *   1. the option cuda (KILN_CUDA): this folder and no other; "none": no toolkit at all
 *   2. CUDA_HOME, CUDA_PATH, where the wanted part is in them
 *   3. the newest of: NVIDIA's wheels in Python environments (the active one, conda's, that of the interpreter that
 *      this process is, the user's, that of python3 in PATH), /usr/local/cuda*, /opt/cuda*, the toolkit around each
 *      nvcc in PATH; of equals the first. A build takes the newest that knows its architectures.
 */
#ifndef KILN_TOOLKIT_H
#define KILN_TOOLKIT_H

#include <stdbool.h>

#include "kiln/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A toolkit. Strings are valid during the visit. */
struct kiln_toolkit_info {
  const char *folder;                       /* without links */
  const char *source;                       /* "KILN_CUDA", "PATH", "/usr/local" */
  unsigned major, minor;                    /* version of its headers; 0.0: not known */
  const char *nvcc_problem, *nvrtc_problem; /* why that part cannot be used, "has no bin/nvcc"; NULL: it can */
  bool nvcc_used, nvrtc_used;               /* by builds that ask for no special architecture */
};

/* Call visit for each toolkit in the order of preference; it returns false to stop, which is no error. Starts nothing.
 * KILN_OK also when there is none; KILN_ERROR_MEMORY. */
KILN_API enum kiln_status kiln_toolkit_list(struct kiln *kiln,
    bool (*visit)(void *context, const struct kiln_toolkit_info *info), void *context, struct kiln_error *error);

#ifdef __cplusplus
}
#endif
#endif
