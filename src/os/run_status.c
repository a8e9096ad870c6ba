#include "os/run_status.h"

#include <limits.h>
#include <string.h>

#include "base/json_read.h"
#include "base/text.h"

void
kiln_run_status_init(struct kiln_run_status *status)
{
  memset(status, 0, sizeof *status);
}

static enum kiln_status
broken(struct kiln_error *error, const char *what)
{
  kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "the supervisor kiln-spawn broke its protocol: %s", what);
  kiln_error_advise(error, "Check that kiln and kiln-spawn come from the same installation.");
  return KILN_ERROR_ENVIRONMENT;
}

/* An integer between low and INT_MAX. */
static bool
take_int(const struct cJSON *line, const char *key, int low, int *value)
{
  const int64_t number = kiln_json_get_int(line, key, INT64_MIN);
  if (number < low || number > INT_MAX)
    return false;
  *value = (int)number;
  return true;
}

static bool
take_uint(const struct cJSON *line, const char *key, uint64_t *value)
{
  const int64_t number = kiln_json_get_int(line, key, -1);
  if (number < 0)
    return false;
  *value = (uint64_t)number;
  return true;
}

/* Times are strings, since a double cannot hold them on a machine that runs for long. */
static bool
take_time(const struct cJSON *line, uint64_t *value)
{
  return kiln_text_parse_uint(kiln_json_get_string(line, "t", ""), value);
}

static bool
take_started(struct kiln_run_status *status, const struct cJSON *line, struct kiln_run_result *result)
{
  if (status->started || status->not_started)
    return false;
  status->started = true;
  return take_int(line, "pid", 1, &result->pid) && take_time(line, &result->begin_ns);
}

static bool
take_not_started(struct kiln_run_status *status, const struct cJSON *line, struct kiln_run_result *result)
{
  if (status->started || status->not_started)
    return false;
  status->not_started = true;
  result->end = KILN_RUN_NOT_STARTED;
  if (!take_int(line, "errno", 0, &result->start_errno) || !take_time(line, &result->begin_ns))
    return false;
  result->end_ns = result->begin_ns;
  return true;
}

/* Also behind "exited": the line may have lain in the pipe. */
static bool
take_ready(struct kiln_run_status *status, const struct cJSON *line, struct kiln_run_result *result)
{
  uint64_t t;
  if (!status->started || status->ready || !take_time(line, &t) || t < result->begin_ns)
    return false;
  status->ready = true;
  if (!result->ready || t < result->ready_ns)
    result->ready_ns = t;
  result->ready = true;
  return true;
}

static bool
take_exited(struct kiln_run_status *status, const struct cJSON *line, struct kiln_run_result *result)
{
  int pid = 0;
  if (!status->started || status->exited)
    return false;
  status->exited = true;
  status->killed = kiln_json_get_bool(line, "killed", false);
  status->stopped = kiln_json_get_bool(line, "stopped", false);
  return take_int(line, "pid", 1, &pid) && pid == result->pid && take_int(line, "code", 0, &result->exit_code) &&
         take_int(line, "signal", 0, &result->signal) && take_time(line, &result->end_ns) &&
         result->end_ns >= result->begin_ns;
}

static bool
take_usage(const struct cJSON *line, struct kiln_usage *usage)
{
  const struct cJSON *object = kiln_json_get(line, "usage");
  return take_uint(object, "user_ns", &usage->user_ns) && take_uint(object, "system_ns", &usage->system_ns) &&
         take_uint(object, "max_rss_bytes", &usage->max_rss_bytes) &&
         take_uint(object, "minor_faults", &usage->minor_faults) &&
         take_uint(object, "major_faults", &usage->major_faults) &&
         take_uint(object, "voluntary_switches", &usage->voluntary_switches) &&
         take_uint(object, "involuntary_switches", &usage->involuntary_switches);
}

static bool
take_done(struct kiln_run_status *status, const struct cJSON *line, struct kiln_run_result *result)
{
  if ((!status->started && !status->not_started) || status->done)
    return false;
  status->done = true;
  result->survivors = kiln_json_get_bool(line, "survivors", false);
  result->output_cut = kiln_json_get_bool(line, "cut", false);
  result->output_lost = kiln_json_get_bool(line, "lost", false);
  return take_int(line, "reaped", 0, &result->reaped) && take_int(line, "killed", 0, &result->killed) &&
         take_uint(line, "stdout", &result->stdout_bytes) && take_uint(line, "stderr", &result->stderr_bytes) &&
         take_usage(line, &result->usage);
}

static enum kiln_status
take_failed(const struct cJSON *line, struct kiln_error *error)
{
  kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "the supervisor kiln-spawn cannot work: %s",
      kiln_json_get_string(line, "what", "it does not say why"));
  if (error != NULL && !take_int(line, "errno", 0, &error->sys_errno))
    error->sys_errno = 0;
  return KILN_ERROR_ENVIRONMENT;
}

static enum kiln_status
take_object(
    struct kiln_run_status *status, const struct cJSON *line, struct kiln_run_result *result, struct kiln_error *error)
{
  static const struct {
    const char *event;
    bool (*take)(struct kiln_run_status *, const struct cJSON *, struct kiln_run_result *);
    const char *complaint;
  } kinds[] = {
      {"started", take_started, "its line 'started' is wrong"},
      {"not_started", take_not_started, "its line 'not_started' is wrong"},
      {"ready", take_ready, "its line 'ready' is wrong"},
      {"exited", take_exited, "its line 'exited' is wrong"},
      {"done", take_done, "its line 'done' is wrong"},
  };
  const char *event = kiln_json_get_string(line, "ev", NULL);
  if (event == NULL)
    return broken(error, "a line names no event");
  if (status->done)
    return broken(error, "a line follows the last one");
  if (strcmp(event, "failed") == 0)
    return take_failed(line, error);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(event, kinds[i].event) == 0)
      return kinds[i].take(status, line, result) ? KILN_OK : broken(error, kinds[i].complaint);
  return KILN_OK;
}

static enum kiln_status
take_line(struct kiln_run_status *status, struct kiln_run_result *result, struct kiln_error *error)
{
  struct cJSON *tree = NULL;
  if (kiln_json_parse(status->line, status->len, "kiln-spawn", &tree, NULL) != KILN_OK)
    return broken(error, "a line is not JSON");
  const enum kiln_status answer = take_object(status, tree, result, error);
  kiln_json_free(tree);
  return answer;
}

enum kiln_status
kiln_run_status_take(struct kiln_run_status *status, const char *data, size_t len, struct kiln_run_result *result,
    struct kiln_error *error)
{
  for (size_t i = 0; i < len; i++) {
    if (data[i] != '\n') {
      if (status->len == sizeof status->line)
        return broken(error, "a line is too long");
      status->line[status->len++] = data[i];
      continue;
    }
    const enum kiln_status answer = take_line(status, result, error);
    status->len = 0;
    if (answer != KILN_OK)
      return answer;
  }
  return KILN_OK;
}
