#include "probe/frameworks.h"

#include <string.h>

/* clang-format off: one line a framework */
const struct kiln_framework kiln_frameworks[] = {
    {"warp", "WARP_CACHE_PATH", ".cache/warp", ".o .cubin .ptx"},
    {"triton", "TRITON_CACHE_DIR", ".triton/cache", ".cubin .hsaco .so"},
    {"inductor", "TORCHINDUCTOR_CACHE_DIR", NULL, ".so .cubin"},
    {"torch-extensions", "TORCH_EXTENSIONS_DIR", ".cache/torch_extensions", ".so"},
    {"flashinfer", "FLASHINFER_WORKSPACE_BASE", ".cache/flashinfer", ".so .cubin"},
    {"tvm-ffi", "TVM_FFI_CACHE_DIR", ".cache/tvm-ffi", ".so"},
    {"deep-gemm", "DG_JIT_CACHE_DIR", ".deep_gemm", ".cubin .so"},
    {"tilelang", "TILELANG_CACHE_DIR", ".tilelang/cache", ".so .cubin"},
    {"numba", "NUMBA_CACHE_DIR", ".cache/numba", ".nbc"},
    {"jax", "JAX_COMPILATION_CACHE_DIR", NULL, "-cache"},
    {"cupy", "CUPY_CACHE_DIR", ".cupy/kernel_cache", ".cubin .hsaco"},
    {"taichi", "TI_OFFLINE_CACHE_FILE_PATH", ".cache/taichi/ticache", ".tic"},
    {"quadrants", "QD_OFFLINE_CACHE_FILE_PATH", ".cache/quadrants/qdcache", ".qdc"},
    {"drjit", NULL, ".drjit", ".bin"},
    {"pocl", "POCL_CACHE_DIR", ".cache/pocl/kcache", ".bc .so"},
    {"cuda", "CUDA_CACHE_PATH", ".nv/ComputeCache", "*"},
    {"kiln", "KILN_CACHE_DIR", ".cache/kiln", "*"},
};
/* clang-format on */
const size_t kiln_framework_count = sizeof kiln_frameworks / sizeof kiln_frameworks[0];

bool
kiln_framework_is_artefact(const struct kiln_framework *framework, const char *name)
{
  size_t name_len = strlen(name);
  const char *at = framework->artefact;
  if (strcmp(at, "*") == 0)
    return name_len > 0;
  while (*at) {
    size_t len = strcspn(at, " ");
    if (len > 0 && name_len > len && memcmp(name + name_len - len, at, len) == 0)
      return true;
    at += len;
    at += strspn(at, " ");
  }
  return false;
}
