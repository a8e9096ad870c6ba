/*
 * Modules belong to a context; a process may have several. A loaded entry keeps its bytes and has one module for each
 * context that asked for a function: a short list that only grows, read without a lock.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda/context.h"
#include "device/cuda/image.h"
#include "device/cuda/stream.h"
#include "device/device_ops.h"

enum { MOST_FUNCTIONS = 4096 };

struct in_context {
  struct in_context *next;
  void *context, *module;
  unsigned long long id;
  void *functions[]; /* one for each entry point */
};

struct kiln_loaded {
  struct kiln_cuda *cuda;
  struct kiln_image kind;
  char *image;  /* payload and a NUL: PTX is text */
  char **names; /* entry points */
  size_t name_count;
  struct kiln_mutex mutex; /* of adding to the list */
  _Atomic(struct in_context *) contexts;
};

/* ---- one context ---- */

static enum kiln_status
refuse_architecture(const struct kiln_loaded *loaded, const struct kiln_cuda_device *device, struct kiln_error *error)
{
  if (kiln_image_fits(&loaded->kind, device->major, device->minor))
    return KILN_OK;
  kiln_error_set(error, KILN_ERROR_ARCHITECTURE, "code for sm_%u%u does not run on device %d, %s, which is sm_%u%u",
      loaded->kind.major, loaded->kind.minor, device->ordinal, device->name, device->major, device->minor);
  kiln_error_advise(error, "Build for sm_%u%u.", device->major, device->minor);
  return KILN_ERROR_ARCHITECTURE;
}

static enum kiln_status
find_functions(const struct kiln_loaded *loaded, struct in_context *in, struct kiln_error *error)
{
  struct kiln_cuda *cuda = loaded->cuda;
  for (size_t i = 0; i < loaded->name_count; i++) {
    int result = cuda->call.module_function(&in->functions[i], in->module, loaded->names[i]);
    if (result == KILN_CU_SUCCESS && cuda->call.function_load)
      result = cuda->call.function_load(in->functions[i]); /* a lazy driver would load it in its first launch */
    if (result == KILN_CU_NOT_FOUND)
      return kiln_error_set(
          error, KILN_ERROR_FORMAT, "the code does not define its entry point '%s'", loaded->names[i]);
    if (result != KILN_CU_SUCCESS)
      return kiln_cuda_fail(cuda, result, "find", loaded->names[i], error);
  }
  return KILN_OK;
}

/* Another thread may be capturing a stream: this one must not break that. */
static enum kiln_status
load_relaxed(const struct kiln_loaded *loaded, struct in_context *in, struct kiln_error *error)
{
  struct kiln_cuda *cuda = loaded->cuda;
  int before;
  kiln_cuda_capture_relax(cuda, &before);
  const int result = cuda->call.module_load_data(&in->module, loaded->image);
  enum kiln_status status = result == KILN_CU_SUCCESS ? find_functions(loaded, in, error)
                                                      : kiln_cuda_fail(cuda, result, "load", "a module", error);
  if (status != KILN_OK && result == KILN_CU_SUCCESS)
    (void)cuda->call.module_unload(in->module);
  kiln_cuda_capture_restore(cuda, before);
  return status;
}

static enum kiln_status
load_here(
    struct kiln_loaded *loaded, const struct kiln_cuda_place *place, struct in_context **in, struct kiln_error *error)
{
  enum kiln_status status = refuse_architecture(loaded, place->device, error);
  if (status != KILN_OK)
    return status;
  struct in_context *fresh = calloc(1, sizeof *fresh + loaded->name_count * sizeof fresh->functions[0]);
  if (!fresh)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for a module");
  fresh->context = place->context;
  fresh->id = place->id;
  status = load_relaxed(loaded, fresh, error);
  if (status != KILN_OK) {
    free(fresh);
    return status;
  }
  fresh->next = atomic_load(&loaded->contexts);
  atomic_store_explicit(&loaded->contexts, fresh, memory_order_release);
  *in = fresh;
  return KILN_OK;
}

static struct in_context *
find_here(struct kiln_loaded *loaded, const struct kiln_cuda_place *place)
{
  struct in_context *in = atomic_load_explicit(&loaded->contexts, memory_order_acquire);
  while (in && (in->context != place->context || in->id != place->id))
    in = in->next;
  return in;
}

/* The module in the current context, loaded there if it is new. */
static enum kiln_status
in_current(struct kiln_loaded *loaded, struct in_context **in, struct kiln_error *error)
{
  struct kiln_cuda_place place;
  enum kiln_status status = kiln_cuda_here(loaded->cuda, &place, error);
  if (status != KILN_OK)
    return status;
  *in = find_here(loaded, &place);
  if (*in)
    return KILN_OK;
  kiln_mutex_lock(&loaded->mutex);
  *in = find_here(loaded, &place);
  if (!*in)
    status = load_here(loaded, &place, in, error);
  kiln_mutex_unlock(&loaded->mutex);
  return status;
}

/* ---- the table ---- */

static char *
copy_bytes(const char *bytes, size_t len)
{
  char *copy = malloc(len + 1);
  if (copy) {
    memcpy(copy, bytes, len);
    copy[len] = '\0';
  }
  return copy;
}

static void
free_memory(struct kiln_loaded *loaded)
{
  for (size_t i = 0; i < loaded->name_count; i++)
    free(loaded->names[i]);
  free(loaded->names);
  free(loaded->image);
  kiln_mutex_release(&loaded->mutex);
  free(loaded);
}

static bool
copy_names(const struct kiln_load *load, struct kiln_loaded *loaded)
{
  loaded->names = calloc(load->entry_point_count + 1, sizeof *loaded->names);
  for (size_t i = 0; loaded->names && i < load->entry_point_count; i++) {
    loaded->names[i] = copy_bytes(load->entry_points[i], strlen(load->entry_points[i]));
    if (!loaded->names[i])
      return false;
    loaded->name_count++;
  }
  return loaded->names != NULL;
}

static struct kiln_loaded *
loaded_new(const struct kiln_load *load)
{
  struct kiln_loaded *fresh = calloc(1, sizeof *fresh);
  if (!fresh)
    return NULL;
  kiln_mutex_init(&fresh->mutex);
  fresh->cuda = load->cuda;
  fresh->image = copy_bytes(load->found->entry.data.data, load->found->entry.payload_len);
  if (copy_names(load, fresh) && fresh->image)
    return fresh;
  free_memory(fresh);
  return NULL;
}

/* Modules of contexts that are not current are found by their handle; those of a context that is gone went with it. */
static void
unload(struct kiln_loaded *loaded)
{
  if (!loaded)
    return;
  struct in_context *in = atomic_load(&loaded->contexts);
  const bool usable = in && kiln_cuda_ready(loaded->cuda, NULL) == KILN_OK;
  while (in) {
    struct in_context *next = in->next;
    if (usable)
      (void)loaded->cuda->call.module_unload(in->module);
    free(in);
    in = next;
  }
  free_memory(loaded);
}

static enum kiln_status
load(const struct kiln_load *load, struct kiln_loaded **loaded, struct kiln_error *error)
{
  struct in_context *in = NULL;
  *loaded = NULL;
  struct kiln_loaded *fresh = load->entry_point_count <= MOST_FUNCTIONS ? loaded_new(load) : NULL;
  if (!fresh)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for a module");
  kiln_image_look(&fresh->kind, fresh->image, load->found->entry.payload_len);
  enum kiln_status status = fresh->kind.kind == KILN_IMAGE_UNKNOWN
                                ? kiln_error_set(error, KILN_ERROR_FORMAT,
                                      "%zu bytes are no cubin, no fatbin and no PTX", load->found->entry.payload_len)
                                : in_current(fresh, &in, error);
  if (status == KILN_OK)
    *loaded = fresh;
  else
    unload(fresh);
  return status;
}

static void *
function(struct kiln_loaded *loaded, const char *symbol, struct kiln_error *error)
{
  struct in_context *in = NULL;
  void *found = NULL;
  if (in_current(loaded, &in, error) != KILN_OK)
    return NULL;
  for (size_t i = 0; i < loaded->name_count; i++)
    if (strcmp(loaded->names[i], symbol) == 0)
      return in->functions[i];
  const int result = loaded->cuda->call.module_function(&found, in->module, symbol);
  if (result == KILN_CU_SUCCESS)
    return found;
  if (result == KILN_CU_NOT_FOUND)
    kiln_error_set(error, KILN_ERROR_NOT_FOUND, "the module does not define '%s'", symbol);
  else
    kiln_cuda_fail(loaded->cuda, result, "find", symbol, error);
  return NULL;
}

static bool
is_here(struct kiln_loaded *loaded)
{
  struct kiln_cuda_place place;
  return kiln_cuda_here(loaded->cuda, &place, NULL) == KILN_OK && find_here(loaded, &place) != NULL;
}

const struct kiln_device_ops kiln_device_cuda = {
    .name = "cuda",
    .load = load,
    .function = function,
    .is_here = is_here,
    .unload = unload,
};
