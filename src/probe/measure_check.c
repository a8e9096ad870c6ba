#include <string.h>

#include "base/text.h"
#include "probe/measure_run.h"

#define SWEPT_FRAMEWORK "warp"

/* One image serves all devices of a kind, so "cuda:0" and "cuda:1" are one artefact. */
static bool
same_device_kind(const char *a, const char *b)
{
  size_t len_a = a ? strcspn(a, ":") : 0, len_b = b ? strcspn(b, ":") : 0;
  return len_a == len_b && (len_a == 0 || strncmp(a, b, len_a) == 0);
}

static bool
counts_for_sweep(const struct kiln_model_build *build, const char *cache)
{
  return build->result == KILN_BUILD_COMPILED && kiln_text_equal(build->framework, SWEPT_FRAMEWORK) && build->path &&
         kiln_text_path_within(build->path, cache);
}

static bool
is_repeat(const struct kiln_model *model, size_t index, const char *cache)
{
  const struct kiln_model_build *build = &model->builds[index];
  size_t i;
  for (i = 0; i < index; i++) {
    const struct kiln_model_build *other = &model->builds[i];
    if (counts_for_sweep(other, cache) && other->identity == build->identity && other->module == build->module &&
        same_device_kind(other->device, build->device)) {
      return true;
    }
  }
  return false;
}

static bool
was_there(const struct kiln_sweep *before, const char *folder)
{
  size_t i;
  for (i = 0; before && i < before->count; i++) {
    if (kiln_text_path_within(before->entries[i].path, folder)) {
      return true;
    }
  }
  return false;
}

/* How many new artefacts the events let expect. A build of what was there already (the reuse was off) may keep the old
 * one, so there is a range. */
static void
artefacts_by_events(
    const struct kiln_model *model, const char *cache, const struct kiln_sweep *before, size_t *least, size_t *most)
{
  size_t i;
  *least = *most = 0;
  for (i = 0; i < model->build_count; i++) {
    if (counts_for_sweep(&model->builds[i], cache) && !is_repeat(model, i, cache)) {
      *most += 1;
      *least += was_there(before, model->builds[i].path) ? 0 : 1;
    }
  }
}

static void
check_sweep(struct kiln_measurement *measurement, const struct kiln_model *model, const char *cache,
    const struct kiln_sweep *before, const struct kiln_sweep *after)
{
  size_t found = kiln_sweep_new(before, after, SWEPT_FRAMEWORK), least, most;
  artefacts_by_events(model, cache, before, &least, &most);
  if (found < least || found > most) {
    kiln_report_warn(measurement->report,
        "The cache and the events disagree: new Warp artefacts found %zu, builds observed %zu.", found, most);
  }
}

/* A cache that the program moved: still private below the sandbox, an escape elsewhere. */
static void
check_roots(struct kiln_measurement *measurement, const struct kiln_measurement_place *place,
    const struct kiln_model *model, const char *cache)
{
  const char *folder = measurement->sandbox->folder, *kept = place->arm->change.folder;
  size_t i;
  for (i = 0; i < model->cache_count; i++) {
    const struct kiln_model_cache *root = &model->caches[i];
    const char *name = root->framework ? root->framework : "a framework";
    if (!kiln_text_equal(root->what, "root") || !root->path || kiln_text_path_within(root->path, cache) ||
        (kept && kiln_text_path_within(root->path, kept))) {
      continue;
    }
    if (kiln_text_path_within(root->path, folder)) {
      kiln_report_warn(measurement->report,
          "The program moved the cache of %s by itself; it stayed in the sandbox's temporary folder and is private.",
          name);
    } else if (root->where.file) {
      kiln_measurement_stop(measurement, KILN_REPORT_INVALID,
          "The cache of %s was outside the sandbox, in '%s' (set at %s:%d), so a cold run may have found it filled.",
          name, root->path, root->where.file, root->where.line);
    } else {
      kiln_measurement_stop(measurement, KILN_REPORT_INVALID,
          "The cache of %s was outside the sandbox, in '%s', so a cold run may have found it filled.", name,
          root->path);
    }
  }
}

static void
check_observation(struct kiln_report *report, const struct kiln_model *model)
{
  size_t i;
  for (i = 0; i < model->error_count; i++) {
    kiln_report_warn(report, "Not everything could be observed: %s: %s.",
        model->errors[i].hook ? model->errors[i].hook : "hook",
        model->errors[i].message ? model->errors[i].message : "no message");
  }
  if (model->bad_lines > 0) {
    kiln_report_warn(report,
        "Event lines that could not be read: %llu (a full disk, or a process killed while it wrote).",
        (unsigned long long)model->bad_lines);
  }
  if (model->launch_overflow > 0) {
    kiln_report_warn(report, "The launches of a run are \"at least\": %llu of them found the counter table full.",
        (unsigned long long)model->launch_overflow);
  }
}

static void
check_result(struct kiln_report *report, const struct kiln_run_result *result)
{
  if (result->killed > 0 && result->end != KILN_RUN_READY) {
    kiln_report_warn(report, "Processes that outlived the command were killed: %d in one run.", result->killed);
  }
  if (result->output_cut) {
    kiln_report_warn(report, "The command printed more than is kept; the middle of its output was dropped.");
  }
  if (result->output_lost) {
    kiln_report_warn(report, "Some of the command's output could not be kept; the temporary folder refused it.");
  }
}

void
kiln_measurement_check_run(struct kiln_measurement *measurement, const struct kiln_measurement_place *place,
    const struct kiln_report_run *run, const struct kiln_sweep *before, const struct kiln_sweep *after)
{
  struct kiln_buf cache;
  if (!run->present) {
    return;
  }
  kiln_buf_init(&cache);
  kiln_sandbox_path(measurement->sandbox, place->folder, "cache", &cache);
  check_result(measurement->report, &run->result);
  check_observation(measurement->report, run->model);
  check_roots(measurement, place, run->model, kiln_buf_text(&cache));
  if (run->result.end == KILN_RUN_ENDED) {
    check_sweep(measurement, run->model, kiln_buf_text(&cache), before, after);
  }
  kiln_buf_release(&cache);
}

void
kiln_measurement_check_escape(struct kiln_measurement *measurement)
{
  const char *framework = NULL, *path = NULL;
  size_t count = kiln_escape_watch_check(measurement->watch, &framework, &path);
  if (count > 0) {
    kiln_measurement_stop(measurement, KILN_REPORT_INVALID,
        "While the command ran, the cache of %s outside the sandbox was written: '%s'%s.", framework, path,
        count > 1 ? " and more" : "");
  }
}
