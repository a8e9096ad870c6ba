#include "probe/levers/ahead.h"

#include "base/text.h"
#include "probe/report/work.h"

#define KERNELS_MOST 256

static bool
is_wanted(const struct kiln_model *model, size_t at)
{
  const struct kiln_model_build *build = &model->builds[at];
  if (build->result != KILN_BUILD_COMPILED || !build->module || !build->identity) {
    return false;
  }
  for (size_t i = 0; i < at; i++) {
    const struct kiln_model_build *other = &model->builds[i];
    if (other->result == KILN_BUILD_COMPILED && other->module == build->module && other->identity == build->identity &&
        kiln_order_device_kind(other->device, build->device) == 0) {
      return false;
    }
  }
  return true;
}

static double
at_least(double a, double b)
{
  return a > b ? a : b;
}

/* The bound is one for any number of processes, and no lower than what all cores together must do. */
static void
bound(struct kiln_lever_ahead *ahead, int cores)
{
  ahead->rest_s = at_least(ahead->elapsed_s - ahead->sum_s, 0);
  ahead->best_s = at_least(ahead->largest_s + ahead->header_s, ahead->rest_s);
  ahead->speedup = ahead->largest_s > 0 ? ahead->sum_s / (ahead->largest_s + ahead->header_s) : 1;
  if (cores > 0) {
    ahead->best_s = at_least(ahead->best_s, ahead->sum_s / cores);
  }
}

/* Of the very run whose builds are looked at: another one may have been slower or faster. */
static double
elapsed_of(const struct kiln_lever_view *view)
{
  const struct kiln_report_arm *arm = &view->report->arms[0];
  for (size_t i = 0; i < arm->sample_count; i++) {
    if (arm->samples[i].cold.model == view->cold) {
      return arm->samples[i].cold.elapsed_s;
    }
  }
  return arm->cold.elapsed_s.median;
}

struct kiln_lever_ahead
kiln_lever_ahead_of(const struct kiln_lever_view *view)
{
  struct kiln_lever_ahead ahead = {.elapsed_s = elapsed_of(view)};
  for (size_t i = 0; i < view->cold->build_count; i++) {
    const struct kiln_model_build *build = &view->cold->builds[i];
    const double own_s = (double)kiln_build_own_wall_ns(build) / 1e9;
    if (!is_wanted(view->cold, i)) {
      continue;
    }
    ahead.builds++;
    ahead.sum_s += (double)build->wall_ns / 1e9;
    ahead.header_s = at_least(ahead.header_s, (double)build->pch.wall_ns / 1e9);
    if (!ahead.largest || own_s > ahead.largest_s) {
      ahead.largest_s = own_s;
      ahead.largest = build->module;
    }
  }
  bound(&ahead, view->cores);
  return ahead;
}

/* Where the module's kernels are declared; NULL: not seen. */
static const char *
file_of(const struct kiln_model *model, const char *module)
{
  for (size_t i = 0; i < model->declaration_count; i++) {
    if (model->declarations[i].module == module && model->declarations[i].where.file) {
      return model->declarations[i].where.file;
    }
  }
  return NULL;
}

static void
write_kernels(const struct kiln_model *model, const struct kiln_model_build *build, struct kiln_json *json)
{
  for (size_t i = 0; i < model->hash_count; i++) {
    const struct kiln_model_hash *hash = &model->hashes[i];
    if (hash->kernel_count == 0 || hash->module != build->module || hash->identity != build->identity) {
      continue;
    }
    kiln_json_member_array(json, "kernels");
    for (size_t k = 0; k < hash->kernel_count && k < KERNELS_MOST; k++) {
      kiln_json_string(json, hash->kernels[k].name);
    }
    kiln_json_array_end(json);
    return;
  }
}

static void
write_module(const struct kiln_model *model, const struct kiln_model_build *build, struct kiln_json *json)
{
  const char *file = file_of(model, build->module);
  kiln_json_object(json);
  kiln_json_member_text(json, "name", build->module);
  if (file) {
    kiln_json_member_text(json, "file", file);
  }
  kiln_json_member_text(json, "device", build->device ? build->device : "cpu");
  kiln_json_member_int(json, "block_dim", build->block_dim);
  kiln_json_member_text(json, "identity", build->identity);
  write_kernels(model, build, json);
  kiln_json_member_uint(json, "cost_ms", build->wall_ns / 1000000);
  if (build->path) {
    kiln_json_member_text(json, "path", build->path);
  }
  kiln_json_object_end(json);
}

void
kiln_lever_ahead_write(const struct kiln_lever_view *view, const char *how, struct kiln_json *json)
{
  kiln_json_object(json);
  kiln_json_member_text(json, "id", "prebuild");
  kiln_json_member_text(json, "how", how);
  kiln_json_member_array(json, "modules");
  for (size_t i = 0; i < view->cold->build_count; i++) {
    if (is_wanted(view->cold, i)) {
      write_module(view->cold, &view->cold->builds[i], json);
    }
  }
  kiln_json_array_end(json);
  kiln_json_object_end(json);
}
