/* nvcc drives programs of three makers, and each says in its own way what is wrong. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "jit/toolchain/hostcc/hostcc.h"
#include "jit/toolchain/nvcc/nvcc.h"

#define LONGEST_LINE 500

/* Beginnings of a line that is an error though it has no "error: " in it; the first that is in the log wins, wherever
 * it is: programs behind nvcc say more than nvcc about them. */
static const char *const marks[] = {"ptxas error   :", "ptxas fatal   :", "nvlink error   :", "nvlink fatal   :",
    "fatbinary fatal   :", "cicc fatal   :", "nvcc error   :", "nvcc fatal   :", ": catastrophic error: "};

/* The line that holds this place. */
static void
take_line(const char *log, const char *at, struct kiln_buf *line)
{
  while (at > log && at[-1] != '\n')
    at--;
  const size_t len = strcspn(at, "\n");
  kiln_buf_append(line, at, len < LONGEST_LINE ? len : LONGEST_LINE);
}

/* "'cicc' died due to signal 9 (Kill signal)": the signal; 0: nothing died. */
static int
child_signal(const char *log)
{
  static const char words[] = "' died due to signal ";
  const char *at = strstr(log, words);
  int signal = 0;
  for (at = at ? at + sizeof words - 1 : ""; *at >= '0' && *at <= '9' && signal < 100; at++)
    signal = signal * 10 + (*at - '0');
  return signal;
}

static const char *
hint_of(const char *log)
{
  static const struct {
    const char *words, *hint;
  } known[] = {
      {"unsupported GNU version", "This toolkit takes older host compilers only: name one by KILN_CC."},
      {"unsupported clang version", "This toolkit takes older host compilers only: name one by KILN_CC."},
      {"cannot execute 'cc1plus'", "nvcc preprocesses with the host's C++ compiler: install it (g++)."},
      {"Unsupported gpu architecture", "Choose another architecture, or another toolkit by KILN_CUDA."},
      {"uses too much shared data", "Use less shared memory, or take it at launch (extern __shared__)."},
      {"nvcc fatal   : Cannot find compiler", "Name a host compiler by KILN_CC."},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strstr(log, known[i].words))
      return known[i].hint;
  return "";
}

void
kiln_nvcc_diagnose(const char *log, int exit_code, int signal, struct kiln_buf *first_error, const char **hint)
{
  const int died = child_signal(log);
  kiln_hostcc_diagnose(log, exit_code, signal ? signal : died, first_error, hint);
  if (!strstr(log, "error: ") && !strstr(log, "error #"))
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
      if (strstr(log, marks[i])) {
        kiln_buf_clear(first_error);
        take_line(log, strstr(log, marks[i]), first_error);
        break;
      }
  if (**hint == '\0')
    *hint = hint_of(log);
}

bool
kiln_nvcc_is_passing(const char *log, int exit_code, int signal)
{
  return child_signal(log) != 0 || kiln_hostcc_is_passing(log, exit_code, signal);
}
