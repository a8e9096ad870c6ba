#include "op_other.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "op/call.h"
#include "os/file.h"
#include "os/process.h"

#define MOST_OUTPUT ((size_t)1 << 26)

struct place {
  const char *kernels;
  struct kiln_buf folder, output, script;
};

static void
release(struct place *place)
{
  if (place->folder.len > 0) {
    kiln_folder_remove(kiln_buf_text(&place->folder), NULL);
  }
  kiln_buf_release(&place->folder);
  kiln_buf_release(&place->output);
  kiln_buf_release(&place->script);
}

/* ---- what it is given ---- */

static enum kiln_status
find_kernels(struct kiln *kiln, const char **folder, struct kiln_error *error)
{
  struct kiln_ops *ops;
  enum kiln_status status = kiln_ops_of(kiln, &ops, error);
  if (status != KILN_OK) {
    return status;
  }
  *folder = kiln_ops_sources(ops)->folder;
  if (!*folder) {
    kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "a comparison with torch needs a source tree, and there is none");
    kiln_error_advise(error, "Let KILN_KERNELS name the folder kernels/ of a tree.");
    return KILN_ERROR_ENVIRONMENT;
  }
  return KILN_OK;
}

enum kiln_status
kiln_other_ready(struct kiln *kiln, struct kiln_error *error)
{
  const char *folder;
  return find_kernels(kiln, &folder, error);
}

static enum kiln_status
prepare(struct kiln *kiln, struct kiln_calls *calls, struct place *place, struct kiln_error *error)
{
  enum kiln_status status = find_kernels(kiln, &place->kernels, error);
  if (status == KILN_OK) {
    status = kiln_folder_make_private(kiln_folder_temporary(), "kiln-bench-", &place->folder, error);
  }
  if (status == KILN_OK) {
    kiln_buf_printf(&place->script, "%s/../bench/op_torch.py", place->kernels);
    kiln_buf_printf(&place->output, "%s/output", kiln_buf_text(&place->folder));
    status = kiln_calls_write(calls, kiln_buf_text(&place->folder), error);
  }
  return status;
}

/* ---- running it ---- */

/* The last line that says something; copied without its end. */
static void
last_line(const struct place *place, char *line, size_t room)
{
  struct kiln_buf text;
  const char *begin, *end;
  kiln_buf_init(&text);
  *line = '\0';
  if (kiln_file_read(kiln_buf_text(&place->output), MOST_OUTPUT, &text, NULL) == KILN_OK && text.len > 0) {
    for (end = text.data + text.len; end > text.data && (end[-1] == '\n' || end[-1] == ' '); end--) {
    }
    for (begin = end; begin > text.data && begin[-1] != '\n'; begin--) {
    }
    snprintf(line, room, ": %.*s", (int)(end - begin), begin);
  }
  kiln_buf_release(&text);
}

static enum kiln_status
run(const char *where, unsigned rounds, struct place *place, struct kiln_error *error)
{
  const char *python = kiln_environment_current("KILN_BENCH_PYTHON");
  char count[12], line[160];
  struct kiln_environment environment;
  struct kiln_exit end = {0, 0};
  enum kiln_status status;
  int pid;
  snprintf(count, sizeof count, "%u", rounds);
  char *argv[] = {"env", (char *)(python && *python ? python : "python3"), (char *)kiln_buf_text(&place->script),
      (char *)kiln_buf_text(&place->folder), (char *)place->kernels, (char *)where, count, NULL};
  kiln_environment_init(&environment);
  kiln_environment_copy_current(&environment);
  const struct kiln_spawn_options options = {.program = "/usr/bin/env",
      .argv = argv,
      .environment = environment.entries,
      .stdin_fd = -1,
      .output_path = kiln_buf_text(&place->output)};
  status = kiln_process_spawn(&options, &pid, error);
  if (status == KILN_OK) {
    kiln_process_wait(pid, -1, &end);
  }
  kiln_environment_release(&environment);
  if (status == KILN_OK && (end.code || end.signal)) {
    last_line(place, line, sizeof line);
    status = kiln_error_set(error, KILN_ERROR_COMMAND, "%s could not run the ops with torch (exit %d, signal %d)%s",
        argv[1], end.code, end.signal, line);
    kiln_error_advise(error, "Let KILN_BENCH_PYTHON name a Python with torch.");
  }
  return status;
}

/* ---- what it says ---- */

static int
by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void
take(const struct cJSON *said, struct kiln_other *others, unsigned count, char version[64])
{
  const int64_t call = kiln_json_get_int(said, "call", -1);
  const struct cJSON *time = kiln_json_first(kiln_json_get(said, "times"));
  if (call < 0 || call >= count) {
    return;
  }
  struct kiln_other *other = &others[call];
  snprintf(version, 64, "%s", kiln_json_get_string(said, "version", ""));
  snprintf(other->says, sizeof other->says, "%s", kiln_json_get_string(said, "says", ""));
  for (; time && other->series.count < KILN_BENCH_MOST; time = kiln_json_next(time)) {
    other->series.times[other->series.count++] = kiln_json_as_double(time, 0);
  }
  qsort(other->series.times, other->series.count, sizeof(double), by_size);
}

/* One line a call; what stands between is talk. */
static enum kiln_status
read_lines(
    const struct place *place, struct kiln_other *others, unsigned count, char version[64], struct kiln_error *error)
{
  struct kiln_buf text;
  const char *line;
  enum kiln_status status;
  unsigned i;
  kiln_buf_init(&text);
  status = kiln_file_read(kiln_buf_text(&place->output), MOST_OUTPUT, &text, error);
  for (i = 0; i < count; i++) {
    snprintf(others[i].says, sizeof others[i].says, "failed: it ended before");
  }
  for (line = kiln_buf_text(&text); status == KILN_OK && (line = strstr(line, "{\"call\"")) != NULL; line++) {
    struct cJSON *said = NULL;
    status = kiln_json_parse(line, strcspn(line, "\n"), "times of torch", &said, error);
    take(said, others, count, version);
    kiln_json_free(said);
  }
  kiln_buf_release(&text);
  return status;
}

enum kiln_status
kiln_other_torch(struct kiln *kiln, struct kiln_calls *calls, const char *where, unsigned rounds,
    struct kiln_other *others, char version[64], struct kiln_error *error)
{
  struct place place = {0};
  enum kiln_status status;
  kiln_buf_init(&place.folder);
  kiln_buf_init(&place.output);
  kiln_buf_init(&place.script);
  memset(others, 0, calls->count * sizeof *others);
  *version = '\0';
  status = prepare(kiln, calls, &place, error);
  if (status == KILN_OK) {
    struct kiln_error ignored = {0};
    status = run(where, rounds, &place, error);
    const enum kiln_status said =
        read_lines(&place, others, calls->count, version, status == KILN_OK ? error : &ignored);
    status = status == KILN_OK ? said : status;
  }
  release(&place);
  return status;
}
