#include "registry/jit.h"

#include <string.h>

static const struct kiln_toolchain_ops *const toolchains[] = {
    &kiln_toolchain_hostcc,
    &kiln_toolchain_nvcc,
    &kiln_toolchain_nvrtc,
};

const struct kiln_toolchain_ops *
kiln_toolchain_at(size_t index)
{
  return index < sizeof toolchains / sizeof *toolchains ? toolchains[index] : NULL;
}

const struct kiln_toolchain_ops *
kiln_toolchain_find(const char *name)
{
  for (size_t i = 0; kiln_toolchain_at(i); i++)
    if (strcmp(kiln_toolchain_at(i)->name, name) == 0)
      return kiln_toolchain_at(i);
  return NULL;
}
