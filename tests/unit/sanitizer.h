/* Is this test built with a sanitizer that brings an allocator of its own? */
#ifndef KILN_TESTS_SANITIZER_H
#define KILN_TESTS_SANITIZER_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

static inline bool
is_sanitized(void)
{
  void *program = dlopen(NULL, RTLD_NOW);
  const bool found = program && (dlsym(program, "__asan_init") || dlsym(program, "__tsan_init"));
  if (program)
    dlclose(program);
  return found;
}

#endif
