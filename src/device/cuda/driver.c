#include "device/cuda/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda/device.h"
#include "os/process.h"
#include "os/shared.h"

#define DEFAULT_LIBRARY "libcuda.so.1"
#define PAGE 4096

enum need { OPTIONAL, REQUIRED };

/* ---- life ---- */

enum kiln_status
kiln_cuda_new(const char *library, struct kiln_cuda **cuda, struct kiln_error *error)
{
  const char *wanted = library && *library ? library : DEFAULT_LIBRARY;
  const size_t size = strlen(wanted) + 1;
  *cuda = NULL;
  struct kiln_cuda *fresh = calloc(1, sizeof *fresh);
  char *copy = malloc(size);
  if (!fresh || !copy) {
    free(fresh);
    free(copy);
    return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for a device");
  }
  fresh->wanted = memcpy(copy, wanted, size);
  kiln_mutex_init(&fresh->mutex);
  *cuda = fresh;
  return KILN_OK;
}

void
kiln_cuda_free(struct kiln_cuda *cuda)
{
  if (!cuda)
    return;
  for (size_t i = 0; i < KILN_CUDA_MOST_DEVICES; i++)
    free(atomic_load(&cuda->devices[i]));
  if (cuda->alive)
    kiln_shared_close((void *)cuda->alive, PAGE);
  const int owner = atomic_load(&cuda->owner);
  if (owner == 0 || owner == kiln_process_id())
    kiln_mutex_release(&cuda->mutex);
  kiln_library_leave(cuda->library);
  free(cuda->wanted);
  free(cuda);
}

/* ---- opening ---- */

static enum kiln_status
open_library(struct kiln_cuda *cuda, struct kiln_error *error)
{
  struct kiln_error cause = {0};
  enum kiln_status status = kiln_library_open(cuda->wanted, &cuda->library, &cause);
  if (status == KILN_OK)
    return KILN_OK;
  kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "no CUDA driver: %s", cause.what);
  kiln_error_advise(error, "Install the NVIDIA driver, give the container access to it, or use the device 'cpu'.");
  return KILN_ERROR_ENVIRONMENT;
}

/* Every symbol of the list; *missing: a required one that is not there. */
static void
find_symbols(struct kiln_cuda *cuda, const char **missing)
{
  void *address;
  *missing = NULL;
#define KILN_DRIVER_FIND(need, member, symbol, arguments)                                                              \
  address = kiln_library_symbol(cuda->library, symbol);                                                                \
  memcpy(&cuda->call.member, &address, sizeof address);                                                                \
  if (!address && (need) == REQUIRED && !*missing)                                                                     \
    *missing = symbol;
  KILN_DRIVER_SYMBOLS(KILN_DRIVER_FIND)
#undef KILN_DRIVER_FIND
}

static enum kiln_status
too_old(const struct kiln_cuda *cuda, const char *missing, struct kiln_error *error)
{
  char lacks[120] = "";
  if (missing)
    snprintf(lacks, sizeof lacks, " and lacks %s", missing);
  if (cuda->version > 0)
    kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "the CUDA driver '%s' is version %d.%d%s", cuda->wanted,
        cuda->version / 1000, cuda->version % 1000 / 10, lacks);
  else
    kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "the CUDA driver '%s' lacks %s", cuda->wanted,
        missing ? missing : "its version");
  kiln_error_advise(error, "Install a driver for CUDA %d.%d or later.", KILN_CUDA_OLDEST_DRIVER / 1000,
      KILN_CUDA_OLDEST_DRIVER % 1000 / 10);
  return KILN_ERROR_ENVIRONMENT;
}

static enum kiln_status
no_device(struct kiln_error *error)
{
  const char *visible = kiln_environment_current("CUDA_VISIBLE_DEVICES");
  if (visible) {
    kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "no CUDA device is visible: CUDA_VISIBLE_DEVICES is '%s'", visible);
    kiln_error_advise(error, "Unset CUDA_VISIBLE_DEVICES, or name a device of this machine in it.");
  } else {
    kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "there is a CUDA driver, but no CUDA device");
    kiln_error_advise(error, "Check with nvidia-smi that the machine or container has a GPU, or use the device 'cpu'.");
  }
  return KILN_ERROR_ENVIRONMENT;
}

static enum kiln_status
start(struct kiln_cuda *cuda, struct kiln_error *error)
{
  const int result = cuda->call.init(0);
  if (result == KILN_CU_NO_DEVICE)
    return no_device(error);
  if (result == KILN_CU_STUB_LIBRARY) {
    kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "'%s' is a toolkit's stub, not the CUDA driver", cuda->wanted);
    kiln_error_advise(error, "Take the toolkit's folder 'stubs' out of LD_LIBRARY_PATH.");
    return KILN_ERROR_ENVIRONMENT;
  }
  if (result != KILN_CU_SUCCESS) {
    kiln_cuda_fail(cuda, result, "start", "the CUDA driver", error);
    if (error)
      error->status = KILN_ERROR_ENVIRONMENT;
    return KILN_ERROR_ENVIRONMENT;
  }
  if (cuda->call.device_count(&cuda->count) != KILN_CU_SUCCESS || cuda->count <= 0)
    return no_device(error);
  if (cuda->count > KILN_CUDA_MOST_DEVICES)
    cuda->count = KILN_CUDA_MOST_DEVICES;
  return KILN_OK;
}

static enum kiln_status
open_driver(struct kiln_cuda *cuda, struct kiln_error *error)
{
  const char *missing;
  enum kiln_status status = open_library(cuda, error);
  if (status != KILN_OK)
    return status;
  find_symbols(cuda, &missing);
  if (cuda->call.driver_version && cuda->call.driver_version(&cuda->version) != KILN_CU_SUCCESS)
    cuda->version = 0;
  if (missing || cuda->version < KILN_CUDA_OLDEST_DRIVER)
    return too_old(cuda, missing, error);
  status = start(cuda, error);
  if (status != KILN_OK)
    return status;
  unsigned char *page = kiln_shared_wiped_on_fork();
  cuda->alive = (_Atomic(unsigned char) *)page;
  atomic_store(&cuda->opened, true);
  if (cuda->alive)
    atomic_store_explicit(cuda->alive, 1, memory_order_release);
  return KILN_OK;
}

static enum kiln_status
open_once(struct kiln_cuda *cuda, struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  kiln_mutex_lock(&cuda->mutex);
  if (!atomic_load(&cuda->opened)) {
    if (cuda->failure.status == KILN_OK)
      (void)open_driver(cuda, &cuda->failure);
    status = cuda->failure.status;
    if (status != KILN_OK && error)
      *error = cuda->failure;
  }
  kiln_mutex_unlock(&cuda->mutex);
  return status;
}

static enum kiln_status
forked(int owner, struct kiln_error *error)
{
  kiln_error_set(
      error, KILN_ERROR_FORKED, "the CUDA driver was started by process %d, from which this one was forked", owner);
  kiln_error_advise(error, "Start the device only in the child, or start children with spawn instead of fork.");
  return KILN_ERROR_FORKED;
}

/* A child that was forked while the driver was being opened counts as one that was forked afterwards: what its parent's
 * thread did is half done in it. */
static enum kiln_status
ready_slowly(struct kiln_cuda *cuda, struct kiln_error *error)
{
  const int self = kiln_process_id();
  int owner = 0;
  if (!atomic_compare_exchange_strong(&cuda->owner, &owner, self) && owner != self)
    return forked(owner, error);
  if (atomic_load_explicit(&cuda->opened, memory_order_acquire))
    return KILN_OK;
  return open_once(cuda, error);
}

enum kiln_status
kiln_cuda_ready(struct kiln_cuda *cuda, struct kiln_error *error)
{
  /* `opened` first: once it is set, `alive` does not change. */
  if (atomic_load_explicit(&cuda->opened, memory_order_acquire) && cuda->alive &&
      atomic_load_explicit(cuda->alive, memory_order_acquire) == 1)
    return KILN_OK;
  return ready_slowly(cuda, error);
}

/* ---- results ---- */

static enum kiln_status
status_of(int result)
{
  switch (result) {
  case KILN_CU_OUT_OF_MEMORY:
    return KILN_ERROR_MEMORY;
  case KILN_CU_NO_BINARY_FOR_GPU:
    return KILN_ERROR_ARCHITECTURE;
  case KILN_CU_UNSUPPORTED_PTX_VERSION:
    return KILN_ERROR_ENVIRONMENT;
  case KILN_CU_NOT_FOUND:
  case KILN_CU_FILE_NOT_FOUND:
    return KILN_ERROR_NOT_FOUND;
  case KILN_CU_INVALID_VALUE:
  case KILN_CU_INVALID_HANDLE:
  case KILN_CU_INVALID_DEVICE:
  case KILN_CU_LAUNCH_OUT_OF_RESOURCES:
    return KILN_ERROR_ARGUMENT;
  default:
    return result >= KILN_CU_CAPTURE_UNSUPPORTED && result <= KILN_CU_CAPTURE_WRONG_THREAD ? KILN_ERROR_CAPTURE
                                                                                           : KILN_ERROR_DEVICE;
  }
}

static const char *
advice_of(int result)
{
  switch (result) {
  case KILN_CU_OUT_OF_MEMORY:
    return "Free memory of the device, or use smaller sizes.";
  case KILN_CU_NO_BINARY_FOR_GPU:
    return "Build for the architecture of this device.";
  case KILN_CU_UNSUPPORTED_PTX_VERSION:
    return "Build machine code (sm_…) instead of PTX, or install a newer driver.";
  case KILN_CU_INVALID_IMAGE:
  case KILN_CU_INVALID_PTX:
    return "The driver may be older than the toolkit that made it: install a newer driver, or build with an older "
           "toolkit (KILN_CUDA).";
  case KILN_CU_LAUNCH_OUT_OF_RESOURCES:
    return "Use smaller blocks or less shared memory.";
  case KILN_CU_ILLEGAL_ADDRESS:
  case KILN_CU_LAUNCH_FAILED:
    return "A kernel that ran earlier went wrong; find it with compute-sanitizer. The context cannot be used any more.";
  case KILN_CU_SYSTEM_DRIVER_MISMATCH:
    return "The driver's library and its kernel module differ in version: restart the machine or reload the module.";
  case KILN_CU_UNKNOWN:
    return "Look at the system's log (dmesg) for messages of the driver.";
  default:
    return "";
  }
}

enum kiln_status
kiln_cuda_fail(const struct kiln_cuda *cuda, int result, const char *verb, const char *what, struct kiln_error *error)
{
  const char *name = NULL, *text = NULL;
  if (cuda->call.error_name && cuda->call.error_name(result, &name) != KILN_CU_SUCCESS)
    name = NULL;
  if (cuda->call.error_text && cuda->call.error_text(result, &text) != KILN_CU_SUCCESS)
    text = NULL;
  const enum kiln_status status = status_of(result);
  kiln_error_set(error, status, "cannot %s %s: %s%s%s (%d)", verb, what, text ? text : "the CUDA driver refuses",
      name ? ", " : "", name ? name : "", result);
  if (*advice_of(result))
    kiln_error_advise(error, "%s", advice_of(result));
  return status;
}
