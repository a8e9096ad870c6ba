/*
 * What the bytes of a module are, as far as loading must know: kind, and the architecture of a cubin. Read without
 * trust; who needs every architecture and suffix inside a binary has jit/cubin.h.
 */
#ifndef KILN_DEVICE_CUDA_IMAGE_H
#define KILN_DEVICE_CUDA_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

enum kiln_image_kind { KILN_IMAGE_UNKNOWN, KILN_IMAGE_CUBIN, KILN_IMAGE_FATBIN, KILN_IMAGE_PTX };

struct kiln_image {
  enum kiln_image_kind kind;
  unsigned major, minor; /* of a cubin; 0.0: not known */
};

/* Never fails. */
void kiln_image_look(struct kiln_image *image, const void *data, size_t len);
/* May it run on this device? false only when it certainly may not: a cubin of another major version, or of a later
 * minor one. */
bool kiln_image_fits(const struct kiln_image *image, unsigned major, unsigned minor);

#endif
