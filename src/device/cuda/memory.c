#include "device/cuda/memory.h"

#include <stdio.h>

static enum kiln_status
refused(struct kiln_cuda *cuda, int result, size_t bytes, struct kiln_error *error)
{
  char what[80];
  uint64_t left = 0, all = 0;
  if (result == KILN_CU_OUT_OF_MEMORY && kiln_cuda_memory_room(cuda, &left, &all, NULL) == KILN_OK)
    snprintf(what, sizeof what, "%zu bytes of %llu that are free", bytes, (unsigned long long)left);
  else
    snprintf(what, sizeof what, "%zu bytes", bytes);
  return kiln_cuda_fail(cuda, result, "take", what, error);
}

enum kiln_status
kiln_cuda_memory_new(struct kiln_cuda *cuda, size_t bytes, uint64_t *address, struct kiln_error *error)
{
  struct kiln_cuda_place place;
  *address = 0;
  enum kiln_status status = kiln_cuda_here(cuda, &place, error);
  if (status != KILN_OK || bytes == 0)
    return status;
  const int result = cuda->call.memory_alloc(address, bytes);
  return result == KILN_CU_SUCCESS ? KILN_OK : refused(cuda, result, bytes, error);
}

void
kiln_cuda_memory_free(struct kiln_cuda *cuda, uint64_t address)
{
  if (address && kiln_cuda_ready(cuda, NULL) == KILN_OK)
    (void)cuda->call.memory_free(address);
}

/* What a copy of no bytes needs: nothing. */
static enum kiln_status
prepare(struct kiln_cuda *cuda, struct kiln_error *error)
{
  struct kiln_cuda_place place;
  return kiln_cuda_here(cuda, &place, error);
}

static enum kiln_status
outcome(struct kiln_cuda *cuda, int result, const char *verb, size_t bytes, struct kiln_error *error)
{
  char what[40];
  if (result == KILN_CU_SUCCESS)
    return KILN_OK;
  snprintf(what, sizeof what, "%zu bytes", bytes);
  return kiln_cuda_fail(cuda, result, verb, what, error);
}

enum kiln_status
kiln_cuda_memory_write(
    struct kiln_cuda *cuda, uint64_t to, const void *from, size_t bytes, void *stream, struct kiln_error *error)
{
  enum kiln_status status = prepare(cuda, error);
  if (status != KILN_OK || bytes == 0)
    return status;
  return outcome(cuda, cuda->call.memory_to_device(to, from, bytes, stream), "copy to the device", bytes, error);
}

enum kiln_status
kiln_cuda_memory_read(
    struct kiln_cuda *cuda, void *to, uint64_t from, size_t bytes, void *stream, struct kiln_error *error)
{
  enum kiln_status status = prepare(cuda, error);
  if (status != KILN_OK || bytes == 0)
    return status;
  return outcome(cuda, cuda->call.memory_to_host(to, from, bytes, stream), "copy from the device", bytes, error);
}

enum kiln_status
kiln_cuda_memory_copy(
    struct kiln_cuda *cuda, uint64_t to, uint64_t from, size_t bytes, void *stream, struct kiln_error *error)
{
  enum kiln_status status = prepare(cuda, error);
  if (status != KILN_OK || bytes == 0)
    return status;
  return outcome(cuda, cuda->call.memory_copy(to, from, bytes, stream), "copy on the device", bytes, error);
}

enum kiln_status
kiln_cuda_memory_fill(
    struct kiln_cuda *cuda, uint64_t to, unsigned char value, size_t bytes, void *stream, struct kiln_error *error)
{
  enum kiln_status status = prepare(cuda, error);
  if (status != KILN_OK || bytes == 0)
    return status;
  return outcome(cuda, cuda->call.memory_set(to, value, bytes, stream), "fill", bytes, error);
}

enum kiln_status
kiln_cuda_memory_room(struct kiln_cuda *cuda, uint64_t *free_bytes, uint64_t *bytes, struct kiln_error *error)
{
  size_t left = 0, all = 0;
  enum kiln_status status = prepare(cuda, error);
  if (status == KILN_OK)
    status = outcome(cuda, cuda->call.memory_info(&left, &all), "ask about", 0, error);
  *free_bytes = left;
  *bytes = all;
  return status;
}
