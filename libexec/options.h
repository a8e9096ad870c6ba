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
  "[--preload LIBRARIES] [--until-output RE] [--tty] [--inherit] [--low-priority] -- COMMAND ARGUMENT…\n"            \
  "       kiln-spawn --owner FD --status FD --plain-output …\n"                                                      \
  "       kiln-spawn --guard FD\n"

struct kiln_supervisor_options {
  int owner, status;                     /* inherited descriptors */
  const char *stdout_path, *stderr_path; /* files to create; NULL with plain_output */
  uint64_t limit;                        /* bytes kept of each stream */
  const char *remove;                    /* absolute; removed when the owner dies; NULL: nothing */
  const char *preload;                   /* LD_PRELOAD of the command, not of the supervisor; NULL: as inherited */
  const char *until_output;              /* say "ready" at the first line that this expression matches; NULL: never */
  bool late_output;                      /* the files are made only when there is something to keep */
  bool plain_output;                     /* the command inherits stdout and stderr: nothing is kept, nothing watched */
  bool inherit;                          /* the command inherits what the supervisor inherited above stderr */
  bool low_priority;                     /* the command gets out of the way of everything else */
  bool terminal_input;                   /* the command inherits stdin; else it reads nothing */
  char *const *command;                  /* NULL-terminated, points into argv */
};

/* KILN_ERROR_ARGUMENT with the refused word; everything points into argv. */
enum kiln_status kiln_supervisor_options_parse(
    char *const *argv, struct kiln_supervisor_options *options, struct kiln_error *error);

#endif
