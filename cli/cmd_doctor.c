#include "base/text.h"
#include "cli.h"
#include "kiln/budget.h"
#include "kiln/toolkit.h"
#include "op/source.h"
#include "os/terminal.h"
#include "parts.h"
#include "probe/doctor.h"

#define STDOUT 1

enum { OPTION_JSON, OPTION_COLOR };

static const struct kiln_cli_option options[] = {
    [OPTION_JSON] = {"json", 0, NULL, "the facts as JSON"},
    [OPTION_COLOR] = {"color", 0, "auto|always|never", "colour on standard output (default: auto)"},
};

static bool
add_limit(void *context, const struct kiln_setting *limit)
{
  kiln_doctor_add(context, "budget", KILN_FACT_INFO, limit->name, limit->value, limit->source, NULL);
  return true;
}

/* What builds may use, and who says so. */
static void
add_budget(struct kiln_doctor *doctor, struct kiln *kiln)
{
  struct kiln_error error = {0};
  if (kiln_budget_list(kiln, add_limit, doctor, &error) != KILN_OK) {
    kiln_doctor_add(doctor, "budget", KILN_FACT_LIMITED, "malformed", error.what, NULL, error.remedy);
  }
}

/* Where kernels are read from. */
static void
add_kernels(struct kiln_doctor *doctor, struct kiln *kiln)
{
  struct kiln_sources sources;
  struct kiln_error error = {0};
  if (kiln_sources_find(kiln, &sources, &error) != KILN_OK) {
    kiln_doctor_add(doctor, "kernels", KILN_FACT_LIMITED, "sources", error.what, NULL, error.remedy);
  } else {
    kiln_doctor_add(doctor, "kernels", KILN_FACT_INFO, "sources",
        sources.folder ? sources.folder : "the copies inside kiln", sources.origin, NULL);
  }
  kiln_sources_release(&sources);
}

struct toolkits {
  struct kiln_doctor *doctor;
  size_t count;
};

static void
say_part(struct kiln_buf *value, struct kiln_buf *note, const char *name, bool used, const char *problem)
{
  if (!problem) {
    kiln_buf_printf(value, ", %s%s", name, used ? " is used" : "");
  } else {
    kiln_buf_printf(note, "%sNot for %s: it %s.", note->len > 0 ? " " : "", name, problem);
  }
}

static bool
add_toolkit(void *context, const struct kiln_toolkit_info *info)
{
  struct toolkits *toolkits = context;
  const bool useless = info->nvcc_problem && info->nvrtc_problem;
  struct kiln_buf value, note;
  kiln_buf_init(&value);
  kiln_buf_init(&note);
  kiln_buf_printf(&value, "%s", info->folder);
  if (info->major > 0) {
    kiln_buf_printf(&value, ": %u.%u", info->major, info->minor);
  }
  say_part(&value, &note, "nvcc", info->nvcc_used, info->nvcc_problem);
  say_part(&value, &note, "NVRTC", info->nvrtc_used, info->nvrtc_problem);
  kiln_doctor_add(toolkits->doctor, "cuda", useless ? KILN_FACT_NOTE : KILN_FACT_INFO, "toolkit", kiln_buf_text(&value),
      info->source, note.len > 0 ? kiln_buf_text(&note) : NULL);
  toolkits->count++;
  kiln_buf_release(&value);
  kiln_buf_release(&note);
  return true;
}

/* Which toolkits there are, which one compiles, and why. */
static void
add_toolkits(struct kiln_doctor *doctor, struct kiln *kiln)
{
  struct toolkits toolkits = {doctor, 0};
  if (kiln_toolkit_list(kiln, add_toolkit, &toolkits, NULL) == KILN_OK && toolkits.count == 0) {
    kiln_doctor_add(doctor, "cuda", KILN_FACT_INFO, "toolkit", "none: nothing can be compiled for GPUs", NULL,
        "KILN_CUDA names the folder of one; looked at were CUDA_HOME, CUDA_PATH, Python environments, "
        "/usr/local/cuda*, "
        "/opt/cuda* and PATH.");
  }
}

/* Every setting of the runtime and where it comes from; a malformed one is the answer too. */
static void
add_settings(struct kiln_doctor *doctor)
{
  struct kiln_error error = {0};
  struct kiln *kiln = NULL;
  const struct kiln_setting *setting;
  size_t i;
  if (kiln_new(NULL, &kiln, &error) != KILN_OK) {
    kiln_doctor_add(doctor, "settings", KILN_FACT_LIMITED, "malformed", error.what, NULL, error.remedy);
    return;
  }
  for (i = 0; (setting = kiln_setting_at(kiln, i)) != NULL; i++) {
    kiln_doctor_add(doctor, "settings", KILN_FACT_INFO, setting->name, setting->value, setting->source, NULL);
  }
  add_budget(doctor, kiln);
  add_toolkits(doctor, kiln);
  add_kernels(doctor, kiln);
  kiln_free(kiln);
}

static void
look(struct kiln_doctor *doctor)
{
  struct kiln_cli_parts parts;
  struct kiln_error error = {0};
  struct kiln_doctor_options found = {NULL, NULL, NULL};
  if (kiln_cli_parts_find(&parts, &error) != KILN_OK) {
    found.missing = &error;
  }
  if (parts.preload.len > 0) {
    found.preload = kiln_buf_text(&parts.preload);
  }
  if (parts.supervisor.len > 0) {
    found.supervisor = kiln_buf_text(&parts.supervisor);
  }
  kiln_doctor_look(doctor, &found);
  kiln_cli_parts_release(&parts);
}

static int
run_doctor(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct kiln_cli_parser parser = {command, argc, argv, 1, NULL};
  struct kiln_doctor doctor;
  struct kiln_buf out;
  enum kiln_cli_step step;
  bool json = false, color;
  size_t option;
  int printed, code;
  kiln_cli_color("auto", &color);
  while ((step = kiln_cli_next(&parser, &option)) == KILN_CLI_OPTION) {
    if (option == OPTION_JSON) {
      json = true;
    } else if (!kiln_cli_color(parser.value, &color)) {
      return kiln_cli_usage("--color is auto, always or never, not '%s'.", parser.value);
    }
  }
  if (step != KILN_CLI_END) {
    return kiln_cli_step_exit(command, step);
  }
  if (parser.at < argc) {
    return kiln_cli_usage("'kiln doctor' takes no argument, but got '%s'.", argv[parser.at]);
  }
  kiln_doctor_init(&doctor);
  look(&doctor);
  add_settings(&doctor);
  kiln_buf_init(&out);
  if (json) {
    kiln_doctor_json(&doctor, &out);
  } else {
    kiln_doctor_text(&doctor, kiln_terminal_columns(STDOUT), color, &out);
  }
  code = kiln_doctor_exit(&doctor);
  printed = kiln_cli_print(&out);
  kiln_buf_release(&out);
  kiln_doctor_release(&doctor);
  return printed ? printed : code;
}

static const char examples[] = "  kiln doctor\n"
                               "  kiln doctor --json | jq '.facts[] | select(.state == \"limited\")'\n";

const struct kiln_cli_command kiln_cmd_doctor = {"doctor", "what can be observed here, and why not", "[options]",
    examples, options, sizeof options / sizeof *options, NULL, run_doctor};
