/* From hundreds of lines to the one that says what is wrong. */
#include <string.h>

#include "base/text.h"
#include "jit/toolchain/hostcc/hostcc.h"

#define LONGEST_LINE 500
#define NO_MEMORY                                                                                                      \
  "It may have run out of memory: free some, or let fewer compilers run at once (KILN_JOBS, KILN_JOB_MEMORY)."
#define CRASHED "This is a fault of the compiler: try again, with other flags, or with another one (KILN_CC)."
#define SILENT "KILN_KEEP=1 keeps everything the build made; kiln doctor shows which compiler runs."

struct line {
  const char *text;
  size_t len;
};

static bool
has(const struct line *line, const char *needle)
{
  const size_t len = strlen(needle);
  for (size_t i = 0; i + len <= line->len; i++)
    if (memcmp(line->text + i, needle, len) == 0)
      return true;
  return false;
}

static bool
has_any(const struct line *line, const char *const *needles)
{
  for (; *needles; needles++)
    if (has(line, *needles))
      return true;
  return false;
}

/* Not what went wrong but that something did. */
static bool
is_summary(const struct line *line)
{
  static const char *const summaries[] = {"collect2: error: ld returned", "linker command failed with exit code",
      "compilation terminated", "errors generated", "error generated", "ld returned 1 exit status", NULL};
  return has_any(line, summaries);
}

static bool
is_error(const struct line *line)
{
  static const char *const errors[] = {"error: ", "fatal error: ", "Error: ", "undefined reference to ",
      "multiple definition of ", "cannot find ", "undefined symbol: ", "No space left on device",
      "unable to execute command", "Killed", "internal compiler error", "cannot open ", NULL};
  return has_any(line, errors) && !is_summary(line);
}

/* The next line of *at; false at the end. */
static bool
next_line(const char **at, struct line *line)
{
  if (**at == '\0')
    return false;
  line->text = *at;
  line->len = strcspn(*at, "\n");
  *at += line->len + (line->text[line->len] == '\n');
  return true;
}

static bool
first_error_of(const char *log, struct line *found)
{
  struct line line, summary = {NULL, 0};
  while (next_line(&log, &line)) {
    if (is_error(&line)) {
      *found = line;
      return true;
    }
    if (!summary.text && is_summary(&line))
      summary = line;
  }
  *found = summary;
  return summary.text != NULL;
}

static bool
is_killed(const char *log, int exit_code, int signal)
{
  return signal == 9 || exit_code == 137 || strstr(log, "Killed signal terminated program") ||
         strstr(log, "Killed\n") || strstr(log, "virtual memory exhausted") || strstr(log, "out of memory");
}

static bool
is_full(const char *log)
{
  return strstr(log, "No space left on device") || strstr(log, "Disk quota exceeded");
}

static void
say_end(const char *log, int exit_code, int signal, struct kiln_buf *text)
{
  const char *silent = *log ? "" : " and printed nothing";
  if (signal == 9 || exit_code == 137)
    kiln_buf_printf(text, "the compiler was killed (signal 9)%s", silent);
  else if (signal == 11 || exit_code == 139)
    kiln_buf_printf(text, "the compiler crashed (signal 11)%s", silent);
  else if (signal != 0)
    kiln_buf_printf(text, "the compiler was ended by signal %d%s", signal, silent);
  else
    kiln_buf_printf(text, "the compiler ended with status %d%s", exit_code, silent);
}

void
kiln_hostcc_diagnose(const char *log, int exit_code, int signal, struct kiln_buf *first_error, const char **hint)
{
  struct line line;
  kiln_buf_clear(first_error);
  if (first_error_of(log, &line))
    kiln_buf_append(first_error, line.text, line.len < LONGEST_LINE ? line.len : LONGEST_LINE);
  else
    say_end(log, exit_code, signal, first_error);
  *hint = *log ? "" : SILENT;
  if (signal == 11 || exit_code == 139)
    *hint = CRASHED;
  else if (is_killed(log, exit_code, signal))
    *hint = NO_MEMORY;
  else if (is_full(log))
    *hint = "Free some space, or choose another folder for the cache (KILN_CACHE_DIR).";
  else if (strstr(log, "undefined reference to ") || strstr(log, "undefined symbol: "))
    *hint = "Add the library that defines it as a link flag of the spec, such as -lm.";
}

bool
kiln_hostcc_is_passing(const char *log, int exit_code, int signal)
{
  return signal != 0 || exit_code == 137 || exit_code == 139 || is_killed(log, exit_code, signal) || is_full(log);
}
