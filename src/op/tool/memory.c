#include "op/tool/memory.h"

#include <stdlib.h>
#include <string.h>

#include "device/cuda/memory.h"
#include "device/cuda/stream.h"
#include "jit/context.h"
#include "kiln/device.h"
#include "os/shared.h"

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
kiln_block_ask(struct kiln *kiln, struct kiln_tensor_device device, uint64_t bytes, struct kiln_error *error)
{
  uint64_t left, all;
  if (device.type == KILN_DEVICE_CPU)
    return KILN_OK;
  const enum kiln_status status = kiln_cuda_memory_room(kiln->cuda, &left, &all, error);
  if (status != KILN_OK || bytes <= left - left / 8)
    return status;
  kiln_error_set(error, KILN_ERROR_MEMORY, "the tensors reach over %llu MiB, and %llu MiB of the device are free",
      (unsigned long long)(bytes >> 20), (unsigned long long)(left >> 20));
  kiln_error_advise(error, "Use a device with more memory, or wait until others have left this one.");
  return KILN_ERROR_MEMORY;
}

/* ---- staging ---- */

/* Room for a block with the geometry that it has; `lead`: bytes of room before it. */
static enum kiln_status
stage(struct kiln_block *block, size_t lead, struct kiln_error *error)
{
  const size_t whole = (block->bytes + 2 * block->guard + 255) / 256 * 256;
  if (block->pieces > 1) {
    block->mapped_bytes = lead + whole;
    block->mapped = kiln_shared_sparse(block->mapped_bytes);
    block->host = block->mapped ? (unsigned char *)block->mapped + lead : NULL;
  } else {
    block->host = aligned_alloc(256, whole);
    if (block->host)
      memset(block->host, 0, whole);
  }
  if (block->host)
    return KILN_OK;
  kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for a tensor of %zu bytes", block->bytes);
  return KILN_ERROR_MEMORY;
}

/* One piece with its guards: where it begins in host, and how long it is. */
struct window {
  size_t at, len;
};

static struct window
window_of(const struct kiln_block *block, size_t k)
{
  return (struct window){k * block->apart, block->piece + 2 * block->guard};
}

static enum kiln_status
make(struct kiln *kiln, struct kiln_tensor_device device, struct kiln_block *block, struct kiln_error *error)
{
  const size_t lead = device.type == KILN_DEVICE_CPU ? (block->bytes + 4095) / 4096 * 4096 : 0;
  const enum kiln_status status = stage(block, lead, error);
  if (status != KILN_OK || device.type == KILN_DEVICE_CPU)
    return status;
  return kiln_cuda_memory_new(kiln->cuda, block->bytes + 2 * block->guard, &block->device, error);
}

enum kiln_status
kiln_block_new(struct kiln *kiln, struct kiln_tensor_device device, size_t bytes, struct kiln_block *block,
    struct kiln_error *error)
{
  *block = (struct kiln_block){.bytes = bytes, .guard = GUARD, .pieces = 1, .piece = bytes};
  return make(kiln, device, block, error);
}

enum kiln_status
kiln_block_new_far(struct kiln *kiln, struct kiln_tensor_device device, size_t piece, size_t pieces, size_t apart,
    struct kiln_block *block, struct kiln_error *error)
{
  *block = (struct kiln_block){
      .bytes = (pieces - 1) * apart + piece, .guard = GUARD, .pieces = pieces, .piece = piece, .apart = apart};
  return make(kiln, device, block, error);
}

void
kiln_block_free(struct kiln *kiln, struct kiln_block *block)
{
  if (block->mapped)
    kiln_shared_close(block->mapped, block->mapped_bytes);
  else
    free(block->host);
  if (block->device)
    kiln_cuda_memory_free(kiln->cuda, block->device);
  *block = (struct kiln_block){0};
}

void
kiln_block_fill(const struct kiln_block *block, unsigned char value)
{
  for (size_t k = 0; k < block->pieces; k++) {
    const struct window window = window_of(block, k);
    memset(block->host + window.at, value, window.len);
  }
}

enum kiln_status
kiln_block_remember(const struct kiln_block *block, struct kiln_block *copy, struct kiln_error *error)
{
  *copy = (struct kiln_block){.bytes = block->bytes,
      .guard = block->guard,
      .pieces = block->pieces,
      .piece = block->piece,
      .apart = block->apart};
  const enum kiln_status status = stage(copy, 0, error);
  if (status == KILN_OK)
    kiln_block_recall(copy, block);
  return status;
}

void
kiln_block_recall(const struct kiln_block *block, const struct kiln_block *copy)
{
  for (size_t k = 0; k < block->pieces; k++) {
    const struct window window = window_of(block, k);
    memcpy(block->host + window.at, copy->host + window.at, window.len);
  }
}

bool
kiln_block_differs(const struct kiln_block *block, const struct kiln_block *copy, int64_t *at)
{
  for (size_t k = 0; k < block->pieces; k++) {
    const struct window window = window_of(block, k);
    const unsigned char *one = block->host + window.at, *other = copy->host + window.at;
    if (memcmp(one, other, window.len) == 0)
      continue;
    size_t i = 0;
    while (one[i] == other[i])
      i++;
    *at = (int64_t)(window.at + i) - (int64_t)block->guard;
    return true;
  }
  return false;
}

/* ---- staging and device ---- */

enum kiln_status
kiln_block_up(struct kiln *kiln, const struct kiln_block *block, void *stream, struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  for (size_t k = 0; k < block->pieces && block->device && status == KILN_OK; k++) {
    const struct window window = window_of(block, k);
    status = kiln_cuda_memory_write(
        kiln->cuda, block->device + window.at, block->host + window.at, window.len, stream, error);
  }
  return status;
}

enum kiln_status
kiln_block_down(struct kiln *kiln, const struct kiln_block *block, void *stream, struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  for (size_t k = 0; k < block->pieces && block->device && status == KILN_OK; k++) {
    const struct window window = window_of(block, k);
    status = kiln_cuda_memory_read(
        kiln->cuda, block->host + window.at, block->device + window.at, window.len, stream, error);
  }
  return status == KILN_OK && block->device ? kiln_cuda_stream_wait(kiln->cuda, stream, error) : status;
}

enum kiln_status
kiln_block_copy(struct kiln *kiln, struct kiln_tensor_device device, const struct kiln_block *from, void *stream,
    struct kiln_block *to, struct kiln_error *error)
{
  const size_t whole = from->bytes + 2 * from->guard;
  enum kiln_status status = KILN_OK;
  if (from->pieces > 1) {
    kiln_error_set(error, KILN_ERROR_ARGUMENT,
        "tensors of %zu MiB, of which little is used, are not copied: sets of them would fill any memory",
        from->bytes >> 20);
    kiln_error_advise(error, "Use another form; 'kiln op run' takes this one.");
    return KILN_ERROR_ARGUMENT;
  }
  if (device.type == KILN_DEVICE_CPU) {
    status = kiln_block_new(kiln, device, from->bytes, to, error);
    if (status == KILN_OK)
      memcpy(to->host, from->host, whole);
    return status;
  }
  *to = (struct kiln_block){.bytes = from->bytes, .guard = from->guard, .pieces = 1, .piece = from->bytes};
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
