/* Cubins, fatbins and PTX come from compilers, packs and stores: reading one must never read outside of it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "jit/cubin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool holds)
{
  if (!holds)
    abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct kiln_gpu_binary binary;
  char text[KILN_ARCH_TEXT];
  uint8_t *exact = malloc(size > 0 ? size : 1); /* so that a byte too far is seen */
  if (!exact)
    return 0;
  memcpy(exact, data, size);
  const bool good = kiln_gpu_read(exact, size, &binary), defines = kiln_gpu_defines(exact, size, "scale");
  must(good == (binary.kind != KILN_GPU_OTHER));
  must(good || !defines);
  must(!good || (binary.archs.count > 0 && binary.images >= binary.compressed));
  for (size_t i = 0; good && i < binary.archs.count; i++)
    must(strlen(kiln_arch_name(binary.archs.items[i], text)) >= 5);
  free(exact);
  return 0;
}
