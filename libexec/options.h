/*
 * The command line of kiln-spawn.
 */
#ifndef KILN_LIBEXEC_OPTIONS_H
#define KILN_LIBEXEC_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "kiln/error.h"

#define KILN_SPAWN_USAGE                                                                                               \
  "usage: kiln-spawn --owner FD --status FD --stdout FILE --stderr FILE [--limit BYTES] [--remove DIR] "               \
  "[--preload LIBRARIES] [--tty] -- COMMAND ARGUMENT…\n"

struct kiln_supervisor_options {
  int owner, status;                     /* inherited descriptors */
  const char *stdout_path, *stderr_path; /* files to create */
  uint64_t limit;                        /* bytes kept of each stream */
  const char *remove;                    /* absolute; removed when the owner dies; NULL: nothing */
  const char *preload;                   /* LD_PRELOAD of the command, not of the supervisor; NULL: as inherited */
  bool terminal_input;                   /* the command inherits stdin; else it reads nothing */
  char *const *command;                  /* NULL-terminated, points into argv */
};

/* KILN_ERROR_ARGUMENT with the refused word; everything points into argv. */
enum kiln_status kiln_supervisor_options_parse(
    char *const *argv, struct kiln_supervisor_options *options, struct kiln_error *error);

#endif
