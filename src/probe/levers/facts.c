#include "probe/levers/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "probe/report/work.h"

#define FILES_SHOWN 6

static bool
is_made(const struct kiln_model_build *build)
{
  return build->result == KILN_BUILD_COMPILED;
}

size_t
kiln_lever_builds(const struct kiln_lever_view *view)
{
  size_t n = 0;
  for (size_t i = 0; i < view->cold->build_count; i++) {
    n += is_made(&view->cold->builds[i]);
  }
  return n;
}

size_t
kiln_lever_builds_on(const struct kiln_lever_view *view, const char *kind)
{
  size_t n = 0;
  for (size_t i = 0; i < view->cold->build_count; i++) {
    const struct kiln_model_build *build = &view->cold->builds[i];
    n += is_made(build) && kiln_order_device_kind(build->device, kind) == 0;
  }
  return n;
}

static const char *
value_in(const struct kiln_model_hash *hash, const char *option)
{
  for (size_t i = 0; i < hash->option_count; i++) {
    if (kiln_text_equal(hash->options[i].name, option)) {
      return hash->options[i].value;
    }
  }
  return NULL;
}

const char *
kiln_lever_option(const struct kiln_lever_view *view, const struct kiln_model_build *build, const char *option)
{
  for (size_t i = 0; i < view->cold->hash_count; i++) {
    const struct kiln_model_hash *hash = &view->cold->hashes[i];
    if (hash->option_count > 0 && hash->module == build->module && hash->identity == build->identity) {
      return value_in(hash, option);
    }
  }
  return NULL;
}

size_t
kiln_lever_builds_with(const struct kiln_lever_view *view, const char *option, const char *value)
{
  size_t n = 0;
  for (size_t i = 0; i < view->cold->build_count; i++) {
    const struct kiln_model_build *build = &view->cold->builds[i];
    n += is_made(build) && kiln_text_equal(kiln_lever_option(view, build, option), value);
  }
  return n;
}

static bool
is_first_of_its_kind(const struct kiln_model *model, size_t at)
{
  for (size_t i = 0; i < at; i++) {
    if (is_made(&model->builds[i]) && model->builds[i].identity == model->builds[at].identity &&
        model->builds[i].module == model->builds[at].module &&
        kiln_order_device_kind(model->builds[i].device, model->builds[at].device) == 0) {
      return false;
    }
  }
  return true;
}

void
kiln_lever_costs(const struct kiln_lever_view *view, double *sum_s, double *largest_s, const char **largest)
{
  *sum_s = *largest_s = 0;
  *largest = NULL;
  for (size_t i = 0; i < view->cold->build_count; i++) {
    const struct kiln_model_build *build = &view->cold->builds[i];
    if (is_made(build) && is_first_of_its_kind(view->cold, i)) {
      const double seconds = (double)build->wall_ns / 1e9;
      *sum_s += seconds;
      if (!*largest || seconds > *largest_s) {
        *largest_s = seconds;
        *largest = build->module ? build->module : "a module";
      }
    }
  }
}

size_t
kiln_lever_headers(const struct kiln_lever_view *view, double *seconds)
{
  size_t n = 0;
  *seconds = 0;
  for (size_t i = 0; i < view->cold->build_count; i++) {
    n += view->cold->builds[i].pch.wall_ns > 0;
    *seconds += (double)view->cold->builds[i].pch.wall_ns / 1e9;
  }
  return n;
}

bool
kiln_lever_fired(const struct kiln_lever_view *view, const char *mechanism)
{
  for (size_t i = 0; i < view->report->finding_count; i++) {
    if (kiln_text_equal(view->report->findings[i].id, mechanism)) {
      return true;
    }
  }
  return false;
}

bool
kiln_lever_warp_from(const struct kiln_lever_view *view, unsigned major, unsigned minor)
{
  const char *framework = view->report->framework;
  char *end;
  if (!framework || !kiln_text_starts(framework, "warp ")) {
    return true;
  }
  const unsigned long seen_major = strtoul(framework + strlen("warp "), &end, 10);
  const unsigned long seen_minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
  return seen_major > major || (seen_major == major && seen_minor >= minor);
}

void
kiln_lever_entry(const struct kiln_lever_view *view, struct kiln_buf *where)
{
  for (size_t i = 0; i < view->report->command_count; i++) {
    if (kiln_text_ends(view->report->command[i], ".py")) {
      kiln_buf_printf(where, "in '%s', behind its own 'import warp' and before any module with kernels is imported",
          kiln_text_base_name(view->report->command[i]));
      return;
    }
  }
  kiln_buf_text_append(where, "at the program's entry, before any module with kernels is imported");
}

/* Frameworks declare kernels of their own, which the run may never build. */
static bool
was_built(const struct kiln_model *model, const struct kiln_model_declaration *declaration)
{
  for (size_t i = 0; i < model->build_count; i++) {
    if (is_made(&model->builds[i]) && kiln_text_equal(model->builds[i].module, declaration->module)) {
      return declaration->where.file != NULL;
    }
  }
  return false;
}

static bool
is_first_file(const struct kiln_model *model, size_t at)
{
  for (size_t i = 0; i < at; i++) {
    if (kiln_text_equal(model->declarations[i].where.file, model->declarations[at].where.file) &&
        was_built(model, &model->declarations[i])) {
      return false;
    }
  }
  return was_built(model, &model->declarations[at]);
}

void
kiln_lever_files(const struct kiln_lever_view *view, struct kiln_buf *where)
{
  size_t files = 0;
  kiln_buf_text_append(where, "in each file that declares kernels, before its first launch");
  for (size_t i = 0; i < view->cold->declaration_count; i++) {
    if (is_first_file(view->cold, i) && files++ < FILES_SHOWN) {
      kiln_buf_printf(
          where, "%s'%s'", files == 1 ? ": " : ", ", kiln_text_base_name(view->cold->declarations[i].where.file));
    }
  }
  if (files > FILES_SHOWN) {
    kiln_buf_printf(where, " and %zu more", files - FILES_SHOWN);
  }
}

void
kiln_lever_write_bool(struct kiln_json *json, const char *id, bool value)
{
  kiln_json_object(json);
  kiln_json_member_text(json, "id", id);
  kiln_json_member_bool(json, "value", value);
  kiln_json_object_end(json);
}

void
kiln_lever_write_int(struct kiln_json *json, const char *id, int64_t value)
{
  kiln_json_object(json);
  kiln_json_member_text(json, "id", id);
  kiln_json_member_int(json, "value", value);
  kiln_json_object_end(json);
}
