#include "probe/trial_check.h"

#include <string.h>

#include "base/text.h"
#include "os/file.h"
#include "os/process.h"
#include "os/runner.h"

#define LIMIT_S 600
#define OUTPUT_MOST (1u << 20)
#define SHOWN 200

/* The last line that has something in it. */
static void
append_last_line(struct kiln_buf *sentence, const char *path)
{
  struct kiln_buf text;
  const char *line;
  size_t len;
  kiln_buf_init(&text);
  if (kiln_file_read(path, OUTPUT_MOST, &text, NULL) == KILN_OK) {
    len = text.len;
    while (len > 0 && strchr("\r\n \t", text.data[len - 1])) {
      len--;
    }
    line = text.data + len;
    while (line > text.data && line[-1] != '\n') {
      line--;
    }
    len = len - (size_t)(line - (text.data ? text.data : line));
    if (len > 0) {
      kiln_buf_text_append(sentence, ": ");
      kiln_buf_append(sentence, line, len < SHOWN ? len : SHOWN);
    }
  }
  kiln_buf_release(&text);
}

static void
say_end(const char *check, const struct kiln_run_result *result, struct kiln_buf *sentence)
{
  kiln_buf_printf(sentence, "The check '%s' ", check);
  if (result->end == KILN_RUN_TIMEOUT) {
    kiln_buf_printf(sentence, "did not end within %d s", LIMIT_S);
  } else if (result->end != KILN_RUN_ENDED) {
    kiln_buf_text_append(sentence, "could not be run to its end");
  } else if (result->signal) {
    kiln_buf_printf(sentence, "was ended by signal %d", result->signal);
  } else {
    kiln_buf_printf(sentence, "says no (exit code %d)", result->exit_code);
  }
}

static void
fill_environment(struct kiln_environment *environment, const struct kiln_measure_seen *seen)
{
  kiln_environment_copy_current(environment);
  kiln_environment_set(environment, "KILN_CHECK_STDOUT", seen->stdout_path);
  kiln_environment_set(environment, "KILN_CHECK_STDERR", seen->stderr_path);
  kiln_environment_set(environment, "KILN_CHECK_ARM", seen->arm);
}

bool
kiln_check_run(
    const char *check, const char *supervisor, const struct kiln_measure_seen *seen, struct kiln_buf *sentence)
{
  char shell[] = "/bin/sh", option[] = "-c";
  char *command[] = {shell, option, NULL, NULL};
  struct kiln_environment environment;
  struct kiln_run_options options = {.supervisor = supervisor, .command = command, .timeout_s = LIMIT_S};
  struct kiln_run_result result = {0};
  struct kiln_buf output, errors, line;
  struct kiln_error error = {0};
  bool right = false;
  kiln_buf_init(&output);
  kiln_buf_init(&errors);
  kiln_buf_init(&line);
  kiln_environment_init(&environment);
  fill_environment(&environment, seen);
  kiln_buf_printf(&output, "%scheck.stdout", seen->place);
  kiln_buf_printf(&errors, "%scheck.stderr", seen->place);
  kiln_buf_text_append(&line, check);
  command[2] = line.data;
  options.environment = environment.entries;
  options.stdout_path = kiln_buf_text(&output);
  options.stderr_path = kiln_buf_text(&errors);
  if (line.failed || kiln_run(&options, &result, &error) != KILN_OK) {
    kiln_buf_printf(sentence, "The check '%s' could not be started: %s", check, error.what);
  } else if (result.end == KILN_RUN_ENDED && result.signal == 0 && result.exit_code == 0) {
    right = true;
  } else {
    say_end(check, &result, sentence);
    append_last_line(sentence, result.stderr_bytes > 0 ? kiln_buf_text(&errors) : kiln_buf_text(&output));
    kiln_buf_text_append(sentence, ".");
  }
  kiln_environment_release(&environment);
  kiln_buf_release(&output);
  kiln_buf_release(&errors);
  kiln_buf_release(&line);
  return right;
}
