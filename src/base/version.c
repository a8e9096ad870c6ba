#include "kiln/version.h"

#include "kiln_build.h"

const char *
kiln_version(void)
{
  return KILN_BUILD_VERSION;
}
