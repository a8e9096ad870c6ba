/*
 * What kiln uses of the CUDA driver's binary interface, declared from its published documentation: no header of a
 * toolkit is needed to build. Numbers never change between drivers; structs only grow behind what is declared here.
 */
#ifndef KILN_DEVICE_CUDA_ABI_H
#define KILN_DEVICE_CUDA_ABI_H

#include <stddef.h>
#include <stdint.h>

/* Results. */
enum {
  KILN_CU_SUCCESS = 0,
  KILN_CU_INVALID_VALUE = 1,
  KILN_CU_OUT_OF_MEMORY = 2,
  KILN_CU_NOT_INITIALIZED = 3,
  KILN_CU_DEINITIALIZED = 4,
  KILN_CU_STUB_LIBRARY = 34,
  KILN_CU_DEVICE_UNAVAILABLE = 46,
  KILN_CU_NO_DEVICE = 100,
  KILN_CU_INVALID_DEVICE = 101,
  KILN_CU_INVALID_IMAGE = 200,
  KILN_CU_INVALID_CONTEXT = 201,
  KILN_CU_NO_BINARY_FOR_GPU = 209,
  KILN_CU_INVALID_PTX = 218,
  KILN_CU_UNSUPPORTED_PTX_VERSION = 222,
  KILN_CU_FILE_NOT_FOUND = 301,
  KILN_CU_INVALID_HANDLE = 400,
  KILN_CU_NOT_FOUND = 500,
  KILN_CU_NOT_READY = 600,
  KILN_CU_ILLEGAL_ADDRESS = 700,
  KILN_CU_LAUNCH_OUT_OF_RESOURCES = 701,
  KILN_CU_LAUNCH_FAILED = 719,
  KILN_CU_NOT_SUPPORTED = 801,
  KILN_CU_SYSTEM_DRIVER_MISMATCH = 803,
  KILN_CU_CAPTURE_UNSUPPORTED = 900, /* 900 … 908 are about captures */
  KILN_CU_CAPTURE_INVALIDATED = 901,
  KILN_CU_CAPTURE_IMPLICIT = 906,
  KILN_CU_CAPTURE_WRONG_THREAD = 908,
  KILN_CU_UNKNOWN = 999
};

/* Attributes of a device. */
enum {
  KILN_CU_MAX_THREADS_PER_BLOCK = 1,
  KILN_CU_MAX_SHARED_PER_BLOCK = 8,
  KILN_CU_WARP_SIZE = 10,
  KILN_CU_MULTIPROCESSOR_COUNT = 16,
  KILN_CU_L2_CACHE_SIZE = 38,
  KILN_CU_MAX_THREADS_PER_MULTIPROCESSOR = 39,
  KILN_CU_CAPABILITY_MAJOR = 75,
  KILN_CU_CAPABILITY_MINOR = 76,
  KILN_CU_MAX_SHARED_PER_MULTIPROCESSOR = 81,
  KILN_CU_MAX_SHARED_PER_BLOCK_OPTIN = 97,
  KILN_CU_CLUSTER_LAUNCH = 120
};

/* Attributes of a function. */
enum {
  KILN_CU_FUNCTION_SHARED_BYTES = 1,
  KILN_CU_FUNCTION_REGISTERS = 4,
  KILN_CU_FUNCTION_MAX_DYNAMIC_SHARED = 8,
  KILN_CU_FUNCTION_LARGE_CLUSTERS = 14
};

/* Flags and modes. */
enum { KILN_CU_STREAM_NON_BLOCKING = 1, KILN_CU_EVENT_DISABLE_TIMING = 2 };
enum { KILN_CU_CAPTURE_GLOBAL = 0, KILN_CU_CAPTURE_THREAD_LOCAL = 1, KILN_CU_CAPTURE_RELAXED = 2 };
enum { KILN_CU_NOT_CAPTURING = 0, KILN_CU_CAPTURING = 1, KILN_CU_CAPTURE_BROKEN = 2 };

/* Attributes of a launch. */
enum { KILN_CU_LAUNCH_COOPERATIVE = 2, KILN_CU_LAUNCH_CLUSTER = 4, KILN_CU_LAUNCH_PROGRAMMATIC = 6 };

union kiln_cu_launch_value {
  char size[64];
  int flag;
  struct {
    unsigned x, y, z;
  } cluster;
};
struct kiln_cu_launch_attribute {
  int id;
  char unused[4];
  union kiln_cu_launch_value value;
};
struct kiln_cu_launch_config {
  unsigned grid[3], block[3], shared_bytes;
  void *stream;
  struct kiln_cu_launch_attribute *attributes;
  unsigned attribute_count;
};

_Static_assert(sizeof(void *) == 8, "the driver's interface is declared for 64-bit systems");
_Static_assert(sizeof(union kiln_cu_launch_value) == 64, "a launch attribute's value has 64 bytes");
_Static_assert(sizeof(struct kiln_cu_launch_attribute) == 72, "a launch attribute has 72 bytes");
_Static_assert(offsetof(struct kiln_cu_launch_attribute, value) == 8, "its value lies at 8");
_Static_assert(sizeof(struct kiln_cu_launch_config) == 56, "a launch has 56 bytes");
_Static_assert(offsetof(struct kiln_cu_launch_config, stream) == 32, "its stream lies at 32");
_Static_assert(offsetof(struct kiln_cu_launch_config, attributes) == 40, "its attributes lie at 40");
_Static_assert(offsetof(struct kiln_cu_launch_config, attribute_count) == 48, "their number lies at 48");

#endif
