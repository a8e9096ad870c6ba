#include "probe/record.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "event/event.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/path.h"
#include "os/process.h"
#include "probe/preload.h"
#include "probe/record_file.h"

#define DEFAULT_TRIES 100

static bool
find_record(void *context, const char *path, const struct kiln_file_info *info)
{
  bool *found = context;
  const char *name = kiln_text_base_name(path);
  if (info->kind == KILN_FILE_REGULAR &&
      (kiln_text_ends(name, ".jsonl") || kiln_text_ends(name, ".count") || kiln_text_equal(name, KILN_RECORD_FILE)))
    *found = true;
  return true;
}

static bool
holds_record(const char *folder)
{
  bool found = false;
  kiln_folder_walk(folder, 1, find_record, &found, NULL);
  return found;
}

/* "kiln-record-20261130T081502Z", and with a number behind when several begin in one second. */
static void
default_name(struct kiln_buf *name, int attempt)
{
  char date[21];
  kiln_clock_format(kiln_clock_real(), date);
  kiln_buf_clear(name);
  kiln_buf_text_append(name, "kiln-record-");
  for (const char *at = date; *at; at++)
    if (*at != '-' && *at != ':')
      kiln_buf_append(name, at, 1);
  if (attempt > 0)
    kiln_buf_printf(name, "-%d", attempt + 1);
}

static enum kiln_status
make_folder(const char *folder, bool fresh, struct kiln_buf *path, struct kiln_error *error)
{
  if (fresh && holds_record(folder)) {
    kiln_error_set(error, KILN_ERROR_ARGUMENT, "The folder '%s' holds a record already.", folder);
    kiln_error_advise(error, "Name another folder with -o, or remove that one.");
    return KILN_ERROR_ARGUMENT;
  }
  enum kiln_status status = kiln_folder_make(folder, error);
  if (status == KILN_OK && (!kiln_path_resolve(folder, path) || !kiln_folder_writable(folder))) {
    kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "The folder '%s' cannot be written.", folder);
    kiln_error_advise(error, "Name another folder with -o.");
    status = KILN_ERROR_ENVIRONMENT;
  }
  if (status != KILN_OK && status != KILN_ERROR_MEMORY)
    status = KILN_ERROR_ENVIRONMENT;
  if (error && status != KILN_OK)
    error->status = status;
  return status;
}

enum kiln_status
kiln_record_folder(const char *wanted, bool fresh, struct kiln_buf *path, struct kiln_error *error)
{
  struct kiln_buf name;
  int attempt = 0;
  if (wanted)
    return make_folder(wanted, fresh, path, error);
  kiln_buf_init(&name);
  do
    default_name(&name, attempt++);
  while (attempt < DEFAULT_TRIES && kiln_file_exists(kiln_buf_text(&name)));
  const enum kiln_status status = make_folder(kiln_buf_text(&name), true, path, error);
  kiln_buf_release(&name);
  return status;
}

static enum kiln_status
make_environment(const struct kiln_record_options *options, struct kiln_environment *env, struct kiln_error *error)
{
  kiln_environment_copy_current(env);
  kiln_environment_set(env, KILN_EVENT_VARIABLE, options->folder);
  return kiln_preload_put(env, options->preload, error);
}

enum kiln_status
kiln_record_run(const struct kiln_record_options *options, struct kiln_run_result *result, struct kiln_error *error)
{
  struct kiln_environment env;
  memset(result, 0, sizeof *result);
  kiln_environment_init(&env);
  enum kiln_status status = make_environment(options, &env, error);
  /* Before the run too: if kiln dies in it, the command is known. */
  if (status == KILN_OK)
    status = kiln_record_file_write(options, NULL, error);
  if (status == KILN_OK) {
    const struct kiln_run_options run = {.supervisor = options->supervisor,
        .command = options->command,
        .environment = env.entries,
        .plain_output = true,
        .inherit = true,
        .terminal_input = true,
        .timeout_s = options->timeout_s};
    status = kiln_run(&run, result, error);
  }
  if (status == KILN_OK)
    status = kiln_record_file_write(options, result, error);
  kiln_environment_release(&env);
  return status;
}

static enum kiln_report_state
complain_exit(const char *command, const struct kiln_run_result *result, struct kiln_buf *text)
{
  if (result->signal != 0) {
    kiln_buf_printf(text, "The command '%s' was ended by signal %d.", command, result->signal);
    return KILN_REPORT_FAILED;
  }
  if (result->exit_code != 0) {
    kiln_buf_printf(text, "The command '%s' exited with code %d.", command, result->exit_code);
    return KILN_REPORT_FAILED;
  }
  return KILN_REPORT_COMPLETE;
}

bool
kiln_record_complaint(const char *command, double timeout_s, const struct kiln_run_result *result,
    enum kiln_report_state *state, struct kiln_buf *text)
{
  *state = KILN_REPORT_COMPLETE;
  switch (result->end) {
  case KILN_RUN_NOT_STARTED:
    *state = KILN_REPORT_FAILED;
    kiln_buf_printf(text, "The command '%s' could not be started: %s.", command,
        result->start_errno == ENOENT ? "it was not found" : strerror(result->start_errno));
    break;
  case KILN_RUN_TIMEOUT:
    *state = KILN_REPORT_INVALID;
    kiln_buf_printf(text, "The time limit of %g s ended the command '%s'.", timeout_s, command);
    break;
  case KILN_RUN_INTERRUPTED:
    *state = KILN_REPORT_INTERRUPTED;
    kiln_buf_printf(text, "The command '%s' was interrupted.", command);
    break;
  case KILN_RUN_READY:
  case KILN_RUN_ENDED:
    *state = complain_exit(command, result, text);
  }
  return *state != KILN_REPORT_COMPLETE;
}

/* A shell that was told already is not told twice. */
enum kiln_status
kiln_record_shell(const char *folder, const char *preload, struct kiln_buf *lines, struct kiln_error *error)
{
  const enum kiln_status status = kiln_preload_check(preload, error);
  if (status != KILN_OK)
    return status;
  kiln_buf_text_append(lines, "export " KILN_EVENT_VARIABLE "=");
  kiln_text_shell_word(lines, folder);
  kiln_buf_text_append(lines, "\ncase \":${LD_PRELOAD:-}:\" in *:");
  kiln_text_shell_word(lines, preload);
  kiln_buf_text_append(lines, ":*) ;; *) export LD_PRELOAD=");
  kiln_text_shell_word(lines, preload);
  kiln_buf_text_append(lines, "\"${LD_PRELOAD:+:$LD_PRELOAD}\" ;; esac\n");
  return lines->failed ? kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.") : KILN_OK;
}
