#include "op_other.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/text.h"
#include "op/call.h"
#include "op/tool/page.h"
#include "os/file.h"
#include "os/process.h"

#define MOST_OUTPUT ((size_t)1 << 22)

struct place {
  const struct kiln_sources *sources;
  struct kiln_buf folder, definition, output, source, script, axes;
};

static void
init(struct place *place)
{
  kiln_buf_init(&place->folder);
  kiln_buf_init(&place->definition);
  kiln_buf_init(&place->output);
  kiln_buf_init(&place->source);
  kiln_buf_init(&place->script);
  kiln_buf_init(&place->axes);
}

static void
release(struct place *place)
{
  if (place->folder.len > 0) {
    kiln_folder_remove(kiln_buf_text(&place->folder), NULL);
  }
  kiln_buf_release(&place->folder);
  kiln_buf_release(&place->definition);
  kiln_buf_release(&place->output);
  kiln_buf_release(&place->source);
  kiln_buf_release(&place->script);
  kiln_buf_release(&place->axes);
}

/* ---- what it is given ---- */

static enum kiln_status
write_definition(const struct kiln_trial *trial, struct place *place, struct kiln_error *error)
{
  struct kiln_buf text;
  enum kiln_status status;
  unsigned i;
  kiln_buf_init(&text);
  kiln_definition_write(trial, "", &text);
  kiln_text_join(&place->definition, kiln_buf_text(&place->folder), "definition.json");
  kiln_text_join(&place->output, kiln_buf_text(&place->folder), "output");
  status = kiln_file_write(kiln_buf_text(&place->definition), text.data, text.len, error);
  kiln_buf_release(&text);
  for (i = 1; i < trial->op->naxes; i++) {
    if (trial->op->axes[i].kind == KILN_AXIS_VAR) {
      kiln_buf_printf(
          &place->axes, "%s%s=%lld", place->axes.len ? " " : "", trial->op->axes[i].name, (long long)trial->axis[i]);
    }
  }
  return status;
}

static enum kiln_status
prepare(const struct kiln_trial *trial, struct place *place, struct kiln_error *error)
{
  struct kiln_ops *ops;
  enum kiln_status status = kiln_ops_of(trial->kiln, &ops, error);
  if (status != KILN_OK) {
    return status;
  }
  place->sources = kiln_ops_sources(ops);
  if (!place->sources->folder) {
    kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "a comparison with torch needs a source tree, and there is none");
    kiln_error_advise(error, "Let KILN_KERNELS name the folder kernels/ of a tree.");
    return KILN_ERROR_ENVIRONMENT;
  }
  kiln_buf_printf(&place->script, "%s/../bench/op_torch.py", place->sources->folder);
  kiln_buf_printf(&place->source, "%s/%s/%s/torch.py", place->sources->folder, trial->op->family, trial->op->name);
  if (!kiln_file_exists(kiln_buf_text(&place->source))) {
    kiln_buf_clear(&place->source);
    kiln_buf_printf(
        &place->source, "%s/%s/%s/reference.py", place->sources->folder, trial->op->family, trial->op->name);
  }
  status = kiln_folder_make_private(kiln_folder_temporary(), "kiln-bench-", &place->folder, error);
  return status == KILN_OK ? write_definition(trial, place, error) : status;
}

/* ---- running it ---- */

static enum kiln_status
run(const struct kiln_trial *trial, unsigned rounds, struct place *place, struct kiln_error *error)
{
  const char *python = kiln_environment_current("KILN_BENCH_PYTHON");
  char device[24], count[12];
  struct kiln_environment environment;
  struct kiln_exit end = {0, 0};
  enum kiln_status status;
  int pid;
  snprintf(device, sizeof device, trial->device.type == KILN_DEVICE_CPU ? "cpu" : "cuda:%d", trial->device.id);
  snprintf(count, sizeof count, "%u", rounds);
  char *argv[] = {"env", (char *)(python && *python ? python : "python3"), (char *)kiln_buf_text(&place->script),
      (char *)kiln_buf_text(&place->definition), (char *)kiln_buf_text(&place->source), device, count,
      (char *)kiln_buf_text(&place->axes), NULL};
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
    status = kiln_error_set(error, KILN_ERROR_COMMAND, "%s could not run the op with torch (exit %d, signal %d)",
        argv[1], end.code, end.signal);
    kiln_error_advise(error, "Let KILN_BENCH_PYTHON name a Python with torch.");
  }
  return status;
}

static int
by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The last line is the result; what stands before is talk. */
static enum kiln_status
read_times(struct place *place, struct kiln_other *other, struct kiln_error *error)
{
  struct kiln_buf text;
  struct cJSON *tree = NULL;
  const char *line;
  enum kiln_status status;
  kiln_buf_init(&text);
  status = kiln_file_read(kiln_buf_text(&place->output), MOST_OUTPUT, &text, error);
  line = status == KILN_OK ? strstr(kiln_buf_text(&text), "{\"timer\"") : NULL;
  if (status == KILN_OK) {
    status = line ? kiln_json_parse(line, strcspn(line, "\n"), "times of torch", &tree, error)
                  : kiln_error_set(error, KILN_ERROR_FORMAT, "the times of torch are missing in its output");
  }
  if (status == KILN_OK) {
    const struct cJSON *time = kiln_json_first(kiln_json_get(tree, "times"));
    snprintf(other->version, sizeof other->version, "%s", kiln_json_get_string(tree, "version", ""));
    for (; time && other->series.count < KILN_BENCH_MOST; time = kiln_json_next(time)) {
      other->series.times[other->series.count++] = kiln_json_as_double(time, 0);
    }
    qsort(other->series.times, other->series.count, sizeof(double), by_size);
  }
  kiln_json_free(tree);
  kiln_buf_release(&text);
  return status;
}

enum kiln_status
kiln_other_torch(const struct kiln_trial *trial, unsigned rounds, struct kiln_other *other, struct kiln_error *error)
{
  struct place place;
  enum kiln_status status;
  memset(other, 0, sizeof *other);
  init(&place);
  status = prepare(trial, &place, error);
  if (status == KILN_OK) {
    status = run(trial, rounds, &place, error);
  }
  if (status == KILN_OK) {
    status = read_times(&place, other, error);
  }
  release(&place);
  return status;
}
