/*
 * The one list of what kiln takes from the CUDA driver. X(need, member, symbol, arguments): REQUIRED ones are in every
 * driver that kiln works with (11.8 and later), OPTIONAL ones are NULL where the driver has them not.
 */
#ifndef KILN_DEVICE_CUDA_SYMBOLS_H
#define KILN_DEVICE_CUDA_SYMBOLS_H

#include "device/cuda/abi.h"

#define KILN_DRIVER_SYMBOLS(X)                                                                                         \
  X(REQUIRED, init, "cuInit", (unsigned flags))                                                                        \
  X(REQUIRED, driver_version, "cuDriverGetVersion", (int *version))                                                    \
  X(REQUIRED, device_count, "cuDeviceGetCount", (int *count))                                                          \
  X(REQUIRED, device_get, "cuDeviceGet", (int *device, int ordinal))                                                   \
  X(REQUIRED, device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, int device))                       \
  X(REQUIRED, device_name, "cuDeviceGetName", (char *name, int len, int device))                                       \
  X(REQUIRED, device_memory, "cuDeviceTotalMem_v2", (size_t * bytes, int device))                                      \
  X(REQUIRED, primary_retain, "cuDevicePrimaryCtxRetain", (void **context, int device))                                \
  X(REQUIRED, primary_release, "cuDevicePrimaryCtxRelease_v2", (int device))                                           \
  X(REQUIRED, context_current, "cuCtxGetCurrent", (void **context))                                                    \
  X(REQUIRED, context_set, "cuCtxSetCurrent", (void *context))                                                         \
  X(REQUIRED, context_device, "cuCtxGetDevice", (int *device))                                                         \
  X(REQUIRED, context_synchronize, "cuCtxSynchronize", (void))                                                         \
  X(REQUIRED, module_load, "cuModuleLoad", (void **module, const char *path))                                          \
  X(REQUIRED, module_load_data, "cuModuleLoadData", (void **module, const void *image))                                \
  X(REQUIRED, module_unload, "cuModuleUnload", (void *module))                                                         \
  X(REQUIRED, module_function, "cuModuleGetFunction", (void **function, void *module, const char *name))               \
  X(REQUIRED, function_attribute, "cuFuncGetAttribute", (int *value, int attribute, void *function))                   \
  X(REQUIRED, function_set_attribute, "cuFuncSetAttribute", (void *function, int attribute, int value))                \
  X(REQUIRED, occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                                                \
      (int *blocks, void *function, int block_size, size_t shared_bytes))                                              \
  X(REQUIRED, launch, "cuLaunchKernel",                                                                                \
      (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,          \
          unsigned block_z, unsigned shared_bytes, void *stream, void **parameters, void **extra))                     \
  X(REQUIRED, launch_ex, "cuLaunchKernelEx",                                                                           \
      (const struct kiln_cu_launch_config *config, void *function, void **parameters, void **extra))                   \
  X(REQUIRED, memory_alloc, "cuMemAlloc_v2", (uint64_t * address, size_t bytes))                                       \
  X(REQUIRED, memory_free, "cuMemFree_v2", (uint64_t address))                                                         \
  X(REQUIRED, memory_to_device, "cuMemcpyHtoDAsync_v2", (uint64_t to, const void *from, size_t bytes, void *stream))   \
  X(REQUIRED, memory_to_host, "cuMemcpyDtoHAsync_v2", (void *to, uint64_t from, size_t bytes, void *stream))           \
  X(REQUIRED, memory_copy, "cuMemcpyDtoDAsync_v2", (uint64_t to, uint64_t from, size_t bytes, void *stream))           \
  X(REQUIRED, memory_set, "cuMemsetD8Async", (uint64_t to, unsigned char value, size_t bytes, void *stream))           \
  X(REQUIRED, memory_info, "cuMemGetInfo_v2", (size_t * free, size_t * total))                                         \
  X(REQUIRED, stream_create, "cuStreamCreate", (void **stream, unsigned flags))                                        \
  X(REQUIRED, stream_destroy, "cuStreamDestroy_v2", (void *stream))                                                    \
  X(REQUIRED, stream_synchronize, "cuStreamSynchronize", (void *stream))                                               \
  X(REQUIRED, stream_wait, "cuStreamWaitEvent", (void *stream, void *event, unsigned flags))                           \
  X(REQUIRED, stream_capturing, "cuStreamIsCapturing", (void *stream, int *status))                                    \
  X(REQUIRED, capture_begin, "cuStreamBeginCapture_v2", (void *stream, int mode))                                      \
  X(REQUIRED, capture_end, "cuStreamEndCapture", (void *stream, void **graph))                                         \
  X(REQUIRED, capture_mode, "cuThreadExchangeStreamCaptureMode", (int *mode))                                          \
  X(REQUIRED, event_create, "cuEventCreate", (void **event, unsigned flags))                                           \
  X(REQUIRED, event_destroy, "cuEventDestroy_v2", (void *event))                                                       \
  X(REQUIRED, event_record, "cuEventRecord", (void *event, void *stream))                                              \
  X(REQUIRED, event_synchronize, "cuEventSynchronize", (void *event))                                                  \
  X(REQUIRED, event_elapsed, "cuEventElapsedTime", (float *milliseconds, void *from, void *to))                        \
  X(REQUIRED, graph_instantiate, "cuGraphInstantiateWithFlags", (void **runnable, void *graph, uint64_t flags))        \
  X(REQUIRED, graph_launch, "cuGraphLaunch", (void *runnable, void *stream))                                           \
  X(REQUIRED, graph_runnable_destroy, "cuGraphExecDestroy", (void *runnable))                                          \
  X(REQUIRED, graph_destroy, "cuGraphDestroy", (void *graph))                                                          \
  X(OPTIONAL, error_name, "cuGetErrorName", (int result, const char **name))                                           \
  X(OPTIONAL, error_text, "cuGetErrorString", (int result, const char **text))                                         \
  X(OPTIONAL, context_id, "cuCtxGetId", (void *context, unsigned long long *id))                                       \
  X(OPTIONAL, function_load, "cuFuncLoad", (void *function))

#endif
