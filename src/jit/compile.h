/*
 * Running the commands of a compiler that is a program: what toolchains of that kind have in common.
 */
#ifndef KILN_JIT_COMPILE_H
#define KILN_JIT_COMPILE_H

#include "jit/supervised.h"
#include "jit/toolchain_ops.h"

/* An argument list under construction; owns its words. Start with {0}. */
struct kiln_words {
  char **items; /* NULL-terminated once complete */
  size_t count, capacity;
  bool failed;
};
void kiln_words_release(struct kiln_words *words);
void kiln_words_add(struct kiln_words *words, const char *format, ...) KILN_PRINTF(2, 3);
/* Each part of a text between spaces. */
void kiln_words_split(struct kiln_words *words, const char *text);

/* One build by one compiler. */
struct kiln_compile {
  struct kiln *kiln;
  const struct kiln_build_input *input;
  struct kiln_build_output *output;
  struct kiln_environment environment; /* of every command; owned */
  void (*tick)(void *context);
  void *context;
  /* The first real error in what was printed, and what to do about it ("": nothing known). */
  void (*diagnose)(const char *log, int exit_code, int signal, struct kiln_buf *first_error, const char **hint);
  /* Does a failure say more about the machine at this moment than about the source? */
  bool (*is_passing)(const char *log, int exit_code, int signal);
};

/* Run one command to its end and take what it printed into the output's log, with sources as the user knows them.
 * KILN_ERROR_COMMAND: the compiler refused, output->first_error says why; KILN_ERROR_MEMORY when words or environment
 * are incomplete; else as kiln_command_run. */
enum kiln_status kiln_compile_run(
    struct kiln_compile *compile, const struct kiln_words *words, struct kiln_error *error);
/* Add a command to output->command, as it is typed in a folder that has src/ in it. Words that begin with `left_out`
 * (NULL: none) are not shown, `instead` is put behind the others. */
void kiln_compile_show(
    struct kiln_compile *compile, const struct kiln_words *words, const char *left_out, const char *instead);

#endif
