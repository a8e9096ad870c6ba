/*
 * Memory of tensors on the device of a trial, and a stream there. On the CPU the staging copy is the memory itself.
 */
#ifndef KILN_OP_TOOL_MEMORY_H
#define KILN_OP_TOOL_MEMORY_H

#include "kiln/context.h"
#include "kiln/tensor.h"

/* A block of `bytes` with `guard` bytes on both sides. */
struct kiln_block {
  unsigned char *host; /* staging: the whole block with guards */
  uint64_t device;     /* CUDA: its address there; CPU: 0 */
  size_t bytes, guard;
};

/* Make the device current in this thread and a stream on it. CPU: nothing, *stream is NULL. */
enum kiln_status kiln_block_begin(
    struct kiln *kiln, struct kiln_tensor_device device, void **stream, struct kiln_error *error);
void kiln_block_end(struct kiln *kiln, struct kiln_tensor_device device, void *stream);

/* Aligned to 256 bytes; the content is not set. */
enum kiln_status kiln_block_new(struct kiln *kiln, struct kiln_tensor_device device, size_t bytes,
    struct kiln_block *block, struct kiln_error *error);
void kiln_block_free(struct kiln *kiln, struct kiln_block *block);
/* Staging to the device and back; nothing to do on the CPU. Back waits for the stream. */
enum kiln_status kiln_block_up(
    struct kiln *kiln, const struct kiln_block *block, void *stream, struct kiln_error *error);
enum kiln_status kiln_block_down(
    struct kiln *kiln, const struct kiln_block *block, void *stream, struct kiln_error *error);
/* Another block with the same content on the device. On CUDA it has no staging of its own. */
enum kiln_status kiln_block_copy(struct kiln *kiln, struct kiln_tensor_device device, const struct kiln_block *from,
    void *stream, struct kiln_block *to, struct kiln_error *error);
/* Wait for the stream. */
enum kiln_status kiln_block_wait(
    struct kiln *kiln, struct kiln_tensor_device device, void *stream, struct kiln_error *error);
/* What a tensor's data is. */
void *kiln_block_data(const struct kiln_block *block);

#endif
