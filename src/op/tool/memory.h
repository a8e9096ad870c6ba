/*
 * Memory of tensors on the device of a trial, and a stream there. On the CPU the staging copy is the memory itself.
 *
 * A block is one or several pieces with nothing but room between them. Filling, copying and comparing touch the pieces
 * and the guards around each, never the room: where pieces lie gigabytes apart, staging is memory that the system gives
 * only where it is touched. On a GPU the room is taken; the device is asked before.
 */
#ifndef KILN_OP_TOOL_MEMORY_H
#define KILN_OP_TOOL_MEMORY_H

#include <stdbool.h>

#include "kiln/context.h"
#include "kiln/tensor.h"

/* `bytes` with `guard` bytes on both sides, of which `pieces` pieces are looked at, each with its guards. */
struct kiln_block {
  unsigned char *host; /* staging: the whole block with guards */
  uint64_t device;     /* CUDA: its address there; CPU: 0 */
  size_t bytes, guard;
  size_t pieces, piece, apart; /* bytes of a piece, and from the beginning of one to that of the next */
  void *mapped;                /* what holds host, when the system gives it where it is touched; else NULL */
  size_t mapped_bytes;
};

/* Make the device current in this thread and a stream on it. CPU: nothing, *stream is NULL. */
enum kiln_status kiln_block_begin(
    struct kiln *kiln, struct kiln_tensor_device device, void **stream, struct kiln_error *error);
void kiln_block_end(struct kiln *kiln, struct kiln_tensor_device device, void *stream);

/* KILN_ERROR_MEMORY when `bytes` more and some room for others are not free on the device; on the CPU nothing is
 * asked. The device is current. */
enum kiln_status kiln_block_ask(
    struct kiln *kiln, struct kiln_tensor_device device, uint64_t bytes, struct kiln_error *error);

/* One piece, aligned to 256 bytes; the content is not set. */
enum kiln_status kiln_block_new(struct kiln *kiln, struct kiln_tensor_device device, size_t bytes,
    struct kiln_block *block, struct kiln_error *error);
/* `pieces` pieces of `piece` bytes, `apart` bytes apart (at least a piece with its guards). Before the first one the
 * CPU has as much room again, so that an index of the wrong sign finds memory, and is told by its result. */
enum kiln_status kiln_block_new_far(struct kiln *kiln, struct kiln_tensor_device device, size_t piece, size_t pieces,
    size_t apart, struct kiln_block *block, struct kiln_error *error);
void kiln_block_free(struct kiln *kiln, struct kiln_block *block);

/* Every byte of the staging, guards included, becomes `value`. */
void kiln_block_fill(const struct kiln_block *block, unsigned char value);
/* Another block with the staging of this one as it is now; nothing on the device. Free it as any other. */
enum kiln_status kiln_block_remember(const struct kiln_block *block, struct kiln_block *copy, struct kiln_error *error);
/* The staging as it was then. */
void kiln_block_recall(const struct kiln_block *block, const struct kiln_block *copy);
/* Is there a byte that differs from the copy? *at: its place, counted from the first byte of the tensor. */
bool kiln_block_differs(const struct kiln_block *block, const struct kiln_block *copy, int64_t *at);

/* Staging to the device and back; nothing to do on the CPU. Back waits for the stream. */
enum kiln_status kiln_block_up(
    struct kiln *kiln, const struct kiln_block *block, void *stream, struct kiln_error *error);
enum kiln_status kiln_block_down(
    struct kiln *kiln, const struct kiln_block *block, void *stream, struct kiln_error *error);
/* Another block with the same content on the device. On CUDA it has no staging of its own. Several pieces are
 * refused: KILN_ERROR_ARGUMENT. */
enum kiln_status kiln_block_copy(struct kiln *kiln, struct kiln_tensor_device device, const struct kiln_block *from,
    void *stream, struct kiln_block *to, struct kiln_error *error);
/* Wait for the stream. */
enum kiln_status kiln_block_wait(
    struct kiln *kiln, struct kiln_tensor_device device, void *stream, struct kiln_error *error);
/* What a tensor's data is. */
void *kiln_block_data(const struct kiln_block *block);

#endif
