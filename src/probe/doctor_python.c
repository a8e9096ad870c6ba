/* Interpreters: which there are, how they are made, and whether the agent gets into them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/text.h"
#include "event/event.h"
#include "event/reader.h"
#include "os/file.h"
#include "os/path.h"
#include "os/process.h"
#include "os/program.h"
#include "probe/doctor_parts.h"
#include "probe/preload.h"

#define TRIAL_MS 20000
#define SIGNAL_KILL 9
#define MOST_PYTHONS 64

/* ---- a trial ---- */

static bool
see_event(void *context, const struct kiln_event *event)
{
  struct kiln_trial *trial = context;
  trial->seen = true;
  if (event->kind == KILN_EVENT_MARK && kiln_text_equal(kiln_json_get_string(event->fields, "name", NULL), "boot"))
    snprintf(trial->version, sizeof trial->version, "%s", kiln_json_get_string(event->fields, "python", ""));
  return true;
}

static bool
see_file(void *context, const char *path, const struct kiln_file_info *info)
{
  if (info->kind == KILN_FILE_REGULAR && kiln_text_ends(path, ".jsonl"))
    kiln_event_read_file(path, see_event, context, NULL, NULL);
  return true;
}

/* true when it ended well. */
static bool
run_trial(const struct kiln_doctor_options *options, const char *events, const char *const *command)
{
  struct kiln_environment env;
  struct kiln_exit ended = {1, 0};
  int pid;
  kiln_environment_init(&env);
  kiln_environment_copy_current(&env);
  kiln_environment_set(&env, KILN_EVENT_VARIABLE, events);
  const bool ready = kiln_preload_put(&env, options->preload, NULL) == KILN_OK;
  const struct kiln_spawn_options spawn = {.program = command[0],
      .argv = (char *const *)command,
      .environment = env.entries,
      .stdin_fd = -1,
      .output_path = "/dev/null"};
  if (ready && kiln_process_spawn(&spawn, &pid, NULL) == KILN_OK && !kiln_process_wait(pid, TRIAL_MS, &ended)) {
    kiln_process_kill(pid, SIGNAL_KILL);
    kiln_process_wait(pid, -1, &ended);
  }
  kiln_environment_release(&env);
  return ended.code == 0 && ended.signal == 0;
}

void
kiln_doctor_try(
    const struct kiln_doctor_options *options, const char *folder, const char *const *command, struct kiln_trial *trial)
{
  struct kiln_buf events;
  *trial = (struct kiln_trial){.failed = true};
  kiln_buf_init(&events);
  kiln_text_join(&events, folder, "events");
  if (!events.failed && options->preload && kiln_folder_make(kiln_buf_text(&events), NULL) == KILN_OK) {
    trial->failed = !run_trial(options, kiln_buf_text(&events), command);
    kiln_folder_walk(kiln_buf_text(&events), 1, see_file, trial, NULL);
    kiln_folder_remove(kiln_buf_text(&events), NULL);
  }
  kiln_buf_release(&events);
}

/* ---- which there are ---- */

struct pythons {
  struct kiln_doctor *doctor;
  const struct kiln_doctor_options *options;
  const char *folder;
  const char *from; /* "PATH", "VIRTUAL_ENV" */
  const char *resolved[MOST_PYTHONS];
  size_t count;
};

/* "python", "python3", "python3.12"; not "python3-config". */
static bool
name_is_python(const char *name)
{
  if (!kiln_text_starts(name, "python"))
    return false;
  return strspn(name + 6, "0123456789.") == strlen(name + 6);
}

/* How the file is made, for the value: "static", "shared library". */
static const char *
kind_of(const struct kiln_program *program)
{
  if (!program->elf)
    return "a script that starts one";
  return program->shared_python ? "with libpython" : "contains its library";
}

static const char *
reason_of(const struct kiln_program *program)
{
  if (program->elevated)
    return "It runs with other rights than yours (set-user-id, set-group-id or capabilities), and the system then "
           "ignores LD_PRELOAD. Use a copy without them.";
  if (program->musl)
    return "It is made for musl; kiln's agent is made for the GNU C library.";
  if (program->elf && !program->dynamic)
    return "It is linked statically as a whole: nothing can be loaded into it. Use another build.";
  return "It was started with the agent and wrote no event. Look for a wrapper that drops LD_PRELOAD or KILN_EVENTS.";
}

/* One that does not run here (a shim of a version that is not installed) is no interpreter that could be missed. */
static void
add_python(struct pythons *pythons, const char *path, const struct kiln_program *program)
{
  const char *const command[] = {path, "-I", "-S", "-c", "pass", NULL};
  struct kiln_trial trial;
  struct kiln_buf value;
  if (!pythons->folder || !pythons->options->preload)
    return;
  kiln_doctor_try(pythons->options, pythons->folder, command, &trial);
  const bool observed = trial.version[0] != '\0';
  kiln_buf_init(&value);
  if (observed)
    kiln_buf_printf(&value, "Python %s, %s", trial.version, kind_of(program));
  else
    kiln_buf_printf(&value, "%s (%s)", trial.failed ? "does not run Python 3" : "cannot be observed", kind_of(program));
  kiln_doctor_add(pythons->doctor, "python",
      observed       ? KILN_FACT_OK
      : trial.failed ? KILN_FACT_INFO
                     : KILN_FACT_LIMITED,
      path, kiln_buf_text(&value), pythons->from, observed || trial.failed ? NULL : reason_of(program));
  kiln_buf_release(&value);
}

/* One interpreter has many names; a virtual environment's is shown apart, since it is the one that is meant. */
static bool
is_new(struct pythons *pythons, const char *path)
{
  struct kiln_buf resolved;
  kiln_buf_init(&resolved);
  bool fresh = kiln_path_resolve(path, &resolved) && pythons->count < MOST_PYTHONS;
  for (size_t i = 0; i < pythons->count && fresh; i++)
    fresh = !kiln_text_equal(pythons->resolved[i], kiln_buf_text(&resolved));
  const char *copy = fresh ? kiln_arena_strdup(&pythons->doctor->arena, kiln_buf_text(&resolved)) : NULL;
  if (copy)
    pythons->resolved[pythons->count++] = copy;
  kiln_buf_release(&resolved);
  return copy != NULL;
}

static void
take_python(struct pythons *pythons, const char *path)
{
  struct kiln_program program;
  if (!kiln_file_executable(path) || !is_new(pythons, path))
    return;
  if (kiln_program_read(path, &program, NULL) == KILN_OK)
    add_python(pythons, path, &program);
}

static bool
visit(void *context, const char *path, const struct kiln_file_info *info)
{
  if (info->kind != KILN_FILE_FOLDER && name_is_python(kiln_text_base_name(path)))
    take_python(context, path);
  return true;
}

static void
take_environment(struct pythons *pythons, const char *variable)
{
  const char *root = kiln_environment_current(variable);
  struct kiln_buf path;
  if (!root || !*root)
    return;
  kiln_buf_init(&path);
  pythons->from = variable;
  kiln_text_join(&path, root, "bin/python");
  if (!path.failed)
    take_python(pythons, kiln_buf_text(&path));
  kiln_buf_release(&path);
}

static void
take_path(struct pythons *pythons)
{
  const char *at = kiln_environment_current("PATH");
  struct kiln_buf folder;
  kiln_buf_init(&folder);
  pythons->from = "PATH";
  for (; at && *at; at += strspn(at, ":")) {
    const size_t len = strcspn(at, ":");
    kiln_buf_clear(&folder);
    kiln_buf_append(&folder, at, len);
    if (!folder.failed && len > 0)
      kiln_folder_walk(kiln_buf_text(&folder), 1, visit, pythons, NULL);
    at += len;
  }
  kiln_buf_release(&folder);
}

void
kiln_doctor_pythons(struct kiln_doctor *doctor, const struct kiln_doctor_options *options, const char *folder)
{
  struct pythons pythons = {.doctor = doctor, .options = options, .folder = folder};
  take_environment(&pythons, "VIRTUAL_ENV");
  take_environment(&pythons, "CONDA_PREFIX");
  take_path(&pythons);
  if (pythons.count == 0)
    kiln_doctor_add(doctor, "python", KILN_FACT_NOTE, "interpreter", "none on PATH", NULL, NULL);
}
