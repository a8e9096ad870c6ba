/*
 * The CUDA driver: found, opened and started when it is first needed. Making a struct kiln_cuda touches nothing.
 *
 * Order: kiln_cuda_new, kiln_cuda_ready before any use of `call`, kiln_cuda_free. Every function of this folder that
 * takes a struct kiln_cuda asks for readiness itself. Any number of threads.
 *
 * Fork: the driver does not survive one. In a child of a process that used it every function answers
 * KILN_ERROR_FORKED, without touching the driver; a child whose parent never used it may use it itself.
 */
#ifndef KILN_DEVICE_CUDA_DRIVER_H
#define KILN_DEVICE_CUDA_DRIVER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "device/cuda/symbols.h"
#include "kiln/error.h"
#include "os/library.h"
#include "os/thread.h"

enum { KILN_CUDA_MOST_DEVICES = 64, KILN_CUDA_OLDEST_DRIVER = 11080 };

/* The driver's functions, by their short names; each returns a result, 0 for success. */
struct kiln_driver_calls {
#define KILN_DRIVER_MEMBER(need, member, symbol, arguments) int(*member) arguments;
  KILN_DRIVER_SYMBOLS(KILN_DRIVER_MEMBER)
#undef KILN_DRIVER_MEMBER
};

struct kiln_cuda_device; /* device/cuda/device.h */

struct kiln_cuda {
  struct kiln_driver_calls call; /* filled once ready */
  _Atomic(unsigned char) *alive; /* 1: ready, in this process (a forked child reads 0); NULL: the system cannot tell */
  atomic_int owner;              /* process that began to open the driver; 0: none */
  atomic_bool opened;            /* ready, in the process `owner` */
  struct kiln_mutex mutex;       /* of what follows; taken only in that process */
  struct kiln_error failure;     /* of opening; remembered */
  struct kiln_library *library;
  char *wanted;                                                       /* name or path of the library */
  int version;                                                        /* of the driver, 12080 for 12.8 */
  int count;                                                          /* of devices */
  _Atomic(struct kiln_cuda_device *) devices[KILN_CUDA_MOST_DEVICES]; /* asked once */
  _Atomic(void *) primaries[KILN_CUDA_MOST_DEVICES];                  /* retained primary contexts */
};

/* library: name or path of the driver's library; NULL: "libcuda.so.1". KILN_ERROR_MEMORY only. */
enum kiln_status kiln_cuda_new(const char *library, struct kiln_cuda **cuda, struct kiln_error *error);
/* NULL is allowed. Primary contexts that were retained stay (modules may be in use), and the library stays mapped. */
void kiln_cuda_free(struct kiln_cuda *cuda);

/* Open and start the driver unless that is done; a few nanoseconds when it is. The first time costs what cuInit costs
 * (about 0.1 s). KILN_ERROR_ENVIRONMENT: no driver, one that is too old or only a toolkit's stub, no device or no
 * visible one. KILN_ERROR_FORKED. A failure is remembered for the life of this object. */
enum kiln_status kiln_cuda_ready(struct kiln_cuda *cuda, struct kiln_error *error);

/* A result of the driver that is no success, as status and sentence: "cannot <verb> <what>: <name> (<number>)", with an
 * advice where one is known. Returns the status: KILN_ERROR_CAPTURE for results about captures, KILN_ERROR_MEMORY,
 * KILN_ERROR_ARCHITECTURE, KILN_ERROR_NOT_FOUND, KILN_ERROR_ARGUMENT, else
 * KILN_ERROR_DEVICE; never KILN_ERROR_FORMAT: bytes that were checked are not damaged because a driver does not take
 * them.
 */
enum kiln_status kiln_cuda_fail(
    const struct kiln_cuda *cuda, int result, const char *verb, const char *what, struct kiln_error *error);

#endif
