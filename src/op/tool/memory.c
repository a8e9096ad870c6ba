#include "op/tool/memory.h"

#include <stdlib.h>
#include <string.h>

#include "device/cuda/memory.h"
#include "device/cuda/stream.h"
#include "jit/context.h"
#include "kiln/device.h"

#define GUARD ((size_t)256)

enum kiln_status
kiln_block_begin(struct kiln *kiln, struct kiln_tensor_device device, void **stream, struct kiln_error *error)
{
  *stream = NULL;
  if (device.type == KILN_DEVICE_CPU)
    return KILN_OK;
  const enum kiln_status status = kiln_device_use(kiln, device.id, error);
  return status == KILN_OK ? kiln_cuda_stream_new(kiln->cuda, stream, error) : status;
}

void
kiln_block_end(struct kiln *kiln, struct kiln_tensor_device device, void *stream)
{
  if (device.type == KILN_DEVICE_CUDA && stream)
    kiln_cuda_stream_free(kiln->cuda, stream);
}

enum kiln_status
kiln_block_new(struct kiln *kiln, struct kiln_tensor_device device, size_t bytes, struct kiln_block *block,
    struct kiln_error *error)
{
  const size_t whole = (bytes + 2 * GUARD + 255) / 256 * 256;
  *block = (struct kiln_block){.bytes = bytes, .guard = GUARD};
  block->host = aligned_alloc(256, whole);
  if (!block->host)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for a tensor of %zu bytes", bytes);
  memset(block->host, 0, whole);
  if (device.type == KILN_DEVICE_CPU)
    return KILN_OK;
  return kiln_cuda_memory_new(kiln->cuda, bytes + 2 * GUARD, &block->device, error);
}

void
kiln_block_free(struct kiln *kiln, struct kiln_block *block)
{
  free(block->host);
  if (block->device)
    kiln_cuda_memory_free(kiln->cuda, block->device);
  *block = (struct kiln_block){0};
}

enum kiln_status
kiln_block_up(struct kiln *kiln, const struct kiln_block *block, void *stream, struct kiln_error *error)
{
  if (!block->device)
    return KILN_OK;
  return kiln_cuda_memory_write(kiln->cuda, block->device, block->host, block->bytes + 2 * block->guard, stream, error);
}

enum kiln_status
kiln_block_down(struct kiln *kiln, const struct kiln_block *block, void *stream, struct kiln_error *error)
{
  if (!block->device)
    return KILN_OK;
  const enum kiln_status status =
      kiln_cuda_memory_read(kiln->cuda, block->host, block->device, block->bytes + 2 * block->guard, stream, error);
  return status == KILN_OK ? kiln_cuda_stream_wait(kiln->cuda, stream, error) : status;
}

enum kiln_status
kiln_block_copy(struct kiln *kiln, struct kiln_tensor_device device, const struct kiln_block *from, void *stream,
    struct kiln_block *to, struct kiln_error *error)
{
  const size_t whole = from->bytes + 2 * from->guard;
  enum kiln_status status = KILN_OK;
  if (device.type == KILN_DEVICE_CPU) {
    status = kiln_block_new(kiln, device, from->bytes, to, error);
    if (status == KILN_OK)
      memcpy(to->host, from->host, whole);
    return status;
  }
  *to = (struct kiln_block){.bytes = from->bytes, .guard = from->guard};
  status = kiln_cuda_memory_new(kiln->cuda, whole, &to->device, error);
  return status == KILN_OK ? kiln_cuda_memory_copy(kiln->cuda, to->device, from->device, whole, stream, error) : status;
}

enum kiln_status
kiln_block_wait(struct kiln *kiln, struct kiln_tensor_device device, void *stream, struct kiln_error *error)
{
  return device.type == KILN_DEVICE_CPU ? KILN_OK : kiln_cuda_stream_wait(kiln->cuda, stream, error);
}

void *
kiln_block_data(const struct kiln_block *block)
{
  if (block->device)
    return (void *)(uintptr_t)(block->device + block->guard);
  return block->host + block->guard;
}
