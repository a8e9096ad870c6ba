#include "os/dl.h"

#include <dlfcn.h>
#include <string.h>

typedef void *dlsym_function(void *handle, const char *name);

/* The agent interposes dlsym, so the name would lead back to it. The versioned name does not: it is only defined by the
 * C library (2.34 and later everywhere; before that 2.2.5 on x86-64 and 2.17 on aarch64). */
static dlsym_function *
real_dlsym(void)
{
  static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
  dlsym_function *function = NULL;
  for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
    void *address = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    if (!address)
      continue;
    memcpy(&function, &address, sizeof function); /* ISO C has no conversion from object to function pointer */
    break;
  }
  return function;
}

void *
kiln_dl_symbol_in(void *handle, const char *name)
{
  dlsym_function *lookup = real_dlsym();
  return lookup ? lookup(handle, name) : NULL;
}

void *
kiln_dl_symbol(const char *name)
{
  return kiln_dl_symbol_in(RTLD_DEFAULT, name);
}

void *
kiln_dl_next(const char *name)
{
  return kiln_dl_symbol_in(RTLD_NEXT, name);
}

int
kiln_dl_handle_is_special(void *handle)
{
  return handle == RTLD_DEFAULT || handle == RTLD_NEXT;
}
