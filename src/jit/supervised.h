/*
 * Running a program of a toolchain: argv arrays, no shell, the environment that the caller gives and nothing else.
 */
#ifndef KILN_JIT_SUPERVISED_H
#define KILN_JIT_SUPERVISED_H

#include "jit/context.h"
#include "os/process.h"

struct kiln_command {
  char *const *argv; /* argv[0] is an absolute path */
  char *const *environment;
  const char *folder;          /* private: takes the output files; removed when this process dies (with a supervisor) */
  double timeout_s;            /* 0: none */
  bool low_priority;           /* a compiler: gets out of the way of everything else (with a supervisor) */
  void (*tick)(void *context); /* about ten times a second; may be NULL */
  void *context;
};

struct kiln_command_result {
  struct kiln_buf output; /* stdout, then stderr; cut at 256 KiB */
  int exit_code, signal;
  uint64_t peak_bytes; /* largest resident set of one process of it; 0: not known */
};
void kiln_command_result_init(struct kiln_command_result *result);
void kiln_command_result_release(struct kiln_command_result *result);

/* Run to the end under kiln-spawn, or directly where there is none. KILN_OK also for a program that failed.
 * KILN_ERROR_COMMAND: it could not be started, or ran into the time limit. KILN_ERROR_INTERRUPTED: the user asked to
 * stop. */
enum kiln_status kiln_command_run(struct kiln *kiln, const struct kiln_command *command,
    struct kiln_command_result *result, struct kiln_error *error);
/* The same directly: for short questions to a compiler that leave nothing behind. */
enum kiln_status kiln_command_ask(
    const struct kiln_command *command, struct kiln_command_result *result, struct kiln_error *error);

#endif
