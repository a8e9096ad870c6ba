#include "probe/doctor.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "os/file.h"
#include "os/limits.h"
#include "os/process.h"
#include "os/program.h"
#include "probe/doctor_parts.h"
#include "probe/preload.h"

const char *
kiln_fact_state_name(enum kiln_fact_state state)
{
  static const char *const names[] = {"info", "ok", "note", "limited", "blocked"};
  return (unsigned)state < sizeof names / sizeof *names ? names[state] : "unknown";
}

void
kiln_doctor_init(struct kiln_doctor *doctor)
{
  memset(doctor, 0, sizeof *doctor);
  kiln_arena_init(&doctor->arena);
}

void
kiln_doctor_release(struct kiln_doctor *doctor)
{
  free(doctor->facts);
  kiln_arena_release(&doctor->arena);
}

void
kiln_doctor_add(struct kiln_doctor *doctor, const char *group, enum kiln_fact_state state, const char *name,
    const char *value, const char *source, const char *note)
{
  if (!KILN_GROW(doctor->facts, doctor->count, doctor->capacity)) {
    doctor->failed = true;
    return;
  }
  doctor->facts[doctor->count++] = (struct kiln_fact){.group = kiln_arena_strdup(&doctor->arena, group),
      .name = kiln_arena_strdup(&doctor->arena, name),
      .value = kiln_arena_strdup(&doctor->arena, value),
      .source = kiln_arena_strdup(&doctor->arena, source),
      .note = kiln_arena_strdup(&doctor->arena, note),
      .state = state};
  doctor->failed = doctor->failed || doctor->arena.failed;
}

int
kiln_doctor_exit(const struct kiln_doctor *doctor)
{
  enum kiln_fact_state worst = KILN_FACT_INFO;
  for (size_t i = 0; i < doctor->count; i++)
    if (doctor->facts[i].state > worst)
      worst = doctor->facts[i].state;
  return worst == KILN_FACT_BLOCKED ? 5 : worst == KILN_FACT_LIMITED ? 1 : 0;
}

static void
look_at_part(struct kiln_doctor *doctor, const char *name, const char *path, const char *variable)
{
  const char *set = kiln_environment_current(variable);
  kiln_doctor_add(doctor, "parts", path ? KILN_FACT_OK : KILN_FACT_BLOCKED, name, path ? path : "not found",
      set && *set ? variable : "beside the program", NULL);
}

static void
look_at_parts(struct kiln_doctor *doctor, const struct kiln_doctor_options *options)
{
  struct kiln_error error;
  look_at_part(doctor, "agent", options->preload, "KILN_PRELOAD");
  look_at_part(doctor, "supervisor", options->supervisor, "KILN_LIBEXEC");
  if (options->missing) {
    struct kiln_buf text;
    kiln_buf_init(&text);
    kiln_buf_printf(&text, "%s %s", options->missing->what, options->missing->remedy);
    kiln_doctor_add(doctor, "parts", KILN_FACT_BLOCKED, "missing", "a part of kiln", NULL, kiln_buf_text(&text));
    kiln_buf_release(&text);
  }
  if (options->preload && kiln_preload_check(options->preload, &error) != KILN_OK)
    kiln_doctor_add(doctor, "parts", KILN_FACT_BLOCKED, "agent's path", options->preload, NULL, error.what);
}

/* A shell stands for any program of the system. */
static void
look_at_preload(struct kiln_doctor *doctor, const struct kiln_doctor_options *options, const char *folder)
{
  static const char *const command[] = {"/bin/sh", "-c", ":", NULL};
  struct kiln_program shell = {.dynamic = true};
  struct kiln_trial trial;
  if (!folder || !options->preload)
    return;
  kiln_doctor_try(options, folder, command, &trial);
  if (trial.seen) {
    kiln_doctor_add(doctor, "preload", KILN_FACT_OK, "LD_PRELOAD", "works", NULL, NULL);
    return;
  }
  const char *why = "The dynamic linker did not load the agent into /bin/sh.";
  if (kiln_program_read("/bin/sh", &shell, NULL) == KILN_OK) {
    if (shell.musl)
      why = "This system's C library is musl; kiln's agent is made for the GNU C library.";
    else if (!shell.dynamic)
      why = "/bin/sh is linked statically, so it says nothing about other programs.";
    else if (shell.elevated)
      why = "/bin/sh runs with other rights than yours, and the system then ignores LD_PRELOAD.";
  }
  kiln_doctor_add(doctor, "preload", shell.dynamic ? KILN_FACT_BLOCKED : KILN_FACT_LIMITED, "LD_PRELOAD",
      "does not work", NULL, why);
}

static void
look_with_folder(struct kiln_doctor *doctor, const struct kiln_doctor_options *options)
{
  struct kiln_buf folder;
  kiln_buf_init(&folder);
  const bool made =
      kiln_folder_make_private(kiln_folder_temporary(), "kiln-doctor-", &folder, NULL) == KILN_OK && !folder.failed;
  const char *place = made ? kiln_buf_text(&folder) : NULL;
  look_at_preload(doctor, options, place);
  if (kiln_process_is_elevated())
    kiln_doctor_add(doctor, "preload", KILN_FACT_LIMITED, "kiln itself", "runs with other rights than yours", NULL,
        "Programs that it starts may ignore LD_PRELOAD.");
  kiln_doctor_pythons(doctor, options, place);
  if (made)
    kiln_folder_remove(kiln_buf_text(&folder), NULL);
  kiln_buf_release(&folder);
}

void
kiln_doctor_look(struct kiln_doctor *doctor, const struct kiln_doctor_options *options)
{
  look_at_parts(doctor, options);
  look_with_folder(doctor, options);
  kiln_doctor_temporary(doctor);
  kiln_doctor_caches(doctor);
  kiln_doctor_machine(doctor);
  kiln_doctor_variables(doctor);
}
