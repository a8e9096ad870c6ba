/* What a module of one small kernel costs: three of them are built by a small program, and the cheaper of the second
 * and third counts, because the first makes the precompiled header. */
#include "base/json_write.h"
#include "base/text.h"
#include "os/file.h"
#include "probe/diagnose.h"
#include "probe/report/work.h"
#include "probe/rule.h"
#include "probe/rules/artefacts.h"

#define PROGRAM_NAME "kiln_floor.py"
#define TIME_LIMIT_S 120

static const char program[] = "import json\n"
                              "import sys\n"
                              "\n"
                              "import warp as wp\n"
                              "\n"
                              "device, block_dim, options = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])\n"
                              "for name, value in options.items():\n"
                              "    if hasattr(wp.config, name):\n"
                              "        setattr(wp.config, name, {'True': True, 'False': False}.get(value, int(value) "
                              "if value.isdigit() else value))\n"
                              "\n"
                              "\n"
                              "@wp.kernel(module='unique')\n"
                              "def floor_a(x: wp.array(dtype=float)):\n"
                              "    x[wp.tid()] = 1.0\n"
                              "\n"
                              "\n"
                              "@wp.kernel(module='unique')\n"
                              "def floor_b(x: wp.array(dtype=float)):\n"
                              "    x[wp.tid()] = 2.0\n"
                              "\n"
                              "\n"
                              "@wp.kernel(module='unique')\n"
                              "def floor_c(x: wp.array(dtype=float)):\n"
                              "    x[wp.tid()] = 3.0\n"
                              "\n"
                              "\n"
                              "x = wp.zeros(1, dtype=float, device=device)\n"
                              "for kernel in (floor_a, floor_b, floor_c):\n"
                              "    wp.launch(kernel, dim=1, inputs=[x], device=device, block_dim=block_dim)\n"
                              "wp.synchronize_device(device)\n";

/* Options that change what a build costs, as far as the record has them. */
static void
write_options(const struct kiln_artefact *artefact, struct kiln_buf *out)
{
  static const char *const names[] = {"enable_backward", "max_unroll", "fast_math", "fuse_fp", "lineinfo", "verify_fp",
      "use_precompiled_headers", "optimization_level"};
  struct kiln_json json;
  kiln_json_init(&json, out, false);
  kiln_json_object(&json);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *value = kiln_artefact_option(artefact, names[i]);
    if (value && !kiln_text_equal(value, "None"))
      kiln_json_member_text(&json, names[i], value);
  }
  kiln_json_object_end(&json);
}

static void
note(struct kiln_report *report, const char *text)
{
  report->diagnosis.floor_note = kiln_arena_strdup(&report->arena, text);
}

/* The cheaper of the second and the third build, by its CPU time. */
static bool
take_floor(struct kiln_report *report, const struct kiln_report *floor_report)
{
  const struct kiln_report_arm *arm = &floor_report->arms[0];
  const struct kiln_model *model = arm->sample_count ? arm->samples[0].cold.model : NULL;
  const struct kiln_model_build *cheapest = NULL;
  size_t built = 0;
  for (size_t i = 0; model && i < model->build_count; i++) {
    const struct kiln_model_build *build = &model->builds[i];
    if (build->result != KILN_BUILD_COMPILED || built++ == 0)
      continue;
    if (!cheapest || kiln_build_own_cpu_ns(build) < kiln_build_own_cpu_ns(cheapest))
      cheapest = build;
  }
  if (!cheapest || floor_report->state != KILN_REPORT_COMPLETE)
    return false;
  report->diagnosis.floor_s = (double)kiln_build_own_wall_ns(cheapest) / 1e9;
  report->diagnosis.floor_cpu_s = (double)kiln_build_own_cpu_ns(cheapest) / 1e9;
  note(report, "measured by building three modules of one small kernel each, after the header was made");
  return true;
}

struct floor {
  struct kiln_buf folder, path, block_dim, options;
};

static bool
prepare(struct floor *floor, const struct kiln_artefact *artefact, const char *temporary)
{
  write_options(artefact, &floor->options);
  kiln_buf_printf(&floor->block_dim, "%d", kiln_artefact_on_gpu(artefact) ? artefact->build->block_dim : 1);
  if (kiln_folder_make_private(temporary ? temporary : kiln_folder_temporary(), "kiln-floor-", &floor->folder, NULL) !=
      KILN_OK)
    return false;
  kiln_text_join(&floor->path, kiln_buf_text(&floor->folder), PROGRAM_NAME);
  return kiln_file_write(kiln_buf_text(&floor->path), program, sizeof program - 1, NULL) == KILN_OK;
}

static void
measure(struct kiln_report *report, const struct floor *floor, const struct kiln_artefact *artefact,
    const char *interpreter, const struct kiln_measure_options *options)
{
  char *const command[] = {(char *)(uintptr_t)interpreter, floor->path.data, (char *)(uintptr_t)artefact->build->device,
      floor->block_dim.data, floor->options.data, NULL};
  const struct kiln_measure_options own = {.command = command,
      .samples = 1,
      .timeout_s = TIME_LIMIT_S,
      .temporary = options->temporary,
      .preload = options->preload,
      .supervisor = options->supervisor};
  struct kiln_report *floor_report = NULL;
  if (kiln_measure(&own, &floor_report, NULL, NULL) != KILN_OK || !floor_report || !take_floor(report, floor_report))
    note(report, "the small program that would tell it did not run");
  kiln_report_free(floor_report);
}

static const struct kiln_artefact *
dearest_of(const struct kiln_artefacts *artefacts)
{
  const struct kiln_artefact *dearest = NULL;
  for (size_t i = 0; i < artefacts->count; i++)
    if (kiln_text_equal(artefacts->items[i].build->framework, "warp") &&
        (!dearest || artefacts->items[i].own_cpu_ns > dearest->own_cpu_ns))
      dearest = &artefacts->items[i];
  return dearest;
}

static void
try_to_measure(
    struct kiln_report *report, const struct kiln_artefacts *artefacts, const struct kiln_measure_options *options)
{
  const struct kiln_artefact *artefact = dearest_of(artefacts);
  const struct kiln_model_process *process = kiln_model_principal(artefacts->model);
  struct floor floor;
  if (!artefact || !process || !process->interpreter) {
    note(report, "no interpreter with Warp was seen");
    return;
  }
  if (artefact->build->aot && kiln_text_equal(artefact->build->device, "cuda")) {
    note(report, "the modules are built for a GPU that is not here");
    return;
  }
  kiln_buf_init(&floor.folder);
  kiln_buf_init(&floor.path);
  kiln_buf_init(&floor.block_dim);
  kiln_buf_init(&floor.options);
  if (prepare(&floor, artefact, options->temporary))
    measure(report, &floor, artefact, process->interpreter, options);
  else
    note(report, "there is no room for the small program that would tell it");
  if (floor.folder.len)
    kiln_folder_remove(kiln_buf_text(&floor.folder), NULL);
  kiln_buf_release(&floor.folder);
  kiln_buf_release(&floor.path);
  kiln_buf_release(&floor.block_dim);
  kiln_buf_release(&floor.options);
}

void
kiln_diagnosis_measure_floor(struct kiln_report *report, const struct kiln_measure_options *options)
{
  struct kiln_artefacts artefacts;
  if (kiln_artefacts_find(&artefacts, report, NULL)) {
    try_to_measure(report, &artefacts, options);
    kiln_report_forget_findings(report);
    kiln_rules_run(report);
  }
  kiln_artefacts_release(&artefacts);
}
