/*
 * Small shared objects, made with the host compiler while a test runs.
 */
#ifndef KILN_TEST_OS_NATIVE_H
#define KILN_TEST_OS_NATIVE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compile C text into the shared object `path`; false when the compiler refuses. */
static inline bool
native_compile(const char *path, const char *text, const char *flags)
{
  char command[2200];
  snprintf(command, sizeof command, "cc -shared -fPIC -O1 -x c -o '%s' - %s", path, flags);
  FILE *compiler = popen(command, "w");
  if (!compiler)
    return false;
  fputs(text, compiler);
  return pclose(compiler) == 0;
}

/* A shared object whose answer() gives `answer`. */
static inline bool
native_make(const char *path, int answer)
{
  char text[200];
  snprintf(text, sizeof text, "int counter;\nint answer(void) { counter++; return %d; }\n", answer);
  return native_compile(path, text, "");
}

/* ISO C has no conversion from object to function pointer. */
static inline int
native_call(void *address)
{
  int (*function)(void);
  memcpy(&function, &address, sizeof function);
  return function();
}

#endif
