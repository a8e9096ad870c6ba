/*
 * What kind of program a file is, as far as a preloaded library is concerned.
 */
#ifndef KILN_OS_PROGRAM_H
#define KILN_OS_PROGRAM_H

#include <stdbool.h>

#include "kiln/error.h"

struct kiln_program {
  bool elf;              /* a program of this machine's kind; false: a script, or of another machine */
  bool dynamic;          /* has a dynamic linker; without one nothing can be preloaded */
  bool musl;             /* that linker is musl's, which cannot load a library made for the GNU C library */
  bool elevated;         /* set-user-id, set-group-id or file capabilities: the system ignores LD_PRELOAD for it */
  bool shared_python;    /* needs libpython as a library; an interpreter without it contains its own */
  char interpreter[128]; /* the dynamic linker; "" without one */
};

/* Read the file at path (links are followed). Bytes are not trusted. KILN_ERROR_NOT_FOUND, KILN_ERROR_ENVIRONMENT or
 * KILN_ERROR_IO when it cannot be read. */
enum kiln_status kiln_program_read(const char *path, struct kiln_program *program, struct kiln_error *error);

#endif
