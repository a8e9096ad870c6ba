/*
 * Device memory for tests, benchmarks and replays; programs bring their own. Addresses are numbers of the device.
 */
#ifndef KILN_DEVICE_CUDA_MEMORY_H
#define KILN_DEVICE_CUDA_MEMORY_H

#include "device/cuda/context.h"

/* In the current context. 0 bytes give address 0. KILN_ERROR_MEMORY says how much was free. */
enum kiln_status kiln_cuda_memory_new(
    struct kiln_cuda *cuda, size_t bytes, uint64_t *address, struct kiln_error *error);
/* 0 is allowed. Waits for work that may use it. */
void kiln_cuda_memory_free(struct kiln_cuda *cuda, uint64_t address);
/* Copies in the order of the stream; memory of the host must stay until they are done. */
enum kiln_status kiln_cuda_memory_write(
    struct kiln_cuda *cuda, uint64_t to, const void *from, size_t bytes, void *stream, struct kiln_error *error);
enum kiln_status kiln_cuda_memory_read(
    struct kiln_cuda *cuda, void *to, uint64_t from, size_t bytes, void *stream, struct kiln_error *error);
enum kiln_status kiln_cuda_memory_copy(
    struct kiln_cuda *cuda, uint64_t to, uint64_t from, size_t bytes, void *stream, struct kiln_error *error);
/* Every byte becomes `value`. */
enum kiln_status kiln_cuda_memory_fill(
    struct kiln_cuda *cuda, uint64_t to, unsigned char value, size_t bytes, void *stream, struct kiln_error *error);
/* Bytes that are free and that there are, in the current context's device. */
enum kiln_status kiln_cuda_memory_room(
    struct kiln_cuda *cuda, uint64_t *free_bytes, uint64_t *bytes, struct kiln_error *error);

#endif
