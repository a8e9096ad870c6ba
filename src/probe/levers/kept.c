#include "probe/levers/kept.h"

#include "base/text.h"

/* The program, not the environment: what a sandbox sets is not its doing. */
static bool
moved_by_program(const struct kiln_model *model)
{
  for (size_t i = 0; model && i < model->cache_count; i++) {
    if (kiln_text_equal(model->caches[i].by, "program") || kiln_text_equal(model->caches[i].what, "clear") ||
        kiln_text_equal(model->caches[i].what, "off")) {
      return true;
    }
  }
  return false;
}

enum kiln_lever_answer
kiln_lever_kept_supports(const struct kiln_lever_view *view, struct kiln_buf *reason)
{
  const struct kiln_report_arm *arm = &view->report->arms[0];
  const size_t builds = kiln_lever_builds(view);
  const uint64_t again = view->warm ? view->warm->counts.builds : 0;
  if (builds == 0) {
    kiln_buf_text_append(reason, "Nothing was built.");
    return KILN_LEVER_POINTLESS;
  }
  if (again > 0) {
    kiln_buf_printf(reason, "A second start builds again: %llu of %zu builds%s.", (unsigned long long)again, builds,
        moved_by_program(view->cold) ? ", because the program moves, clears or switches off its cache" : "");
    return KILN_LEVER_SUPPORTED;
  }
  kiln_buf_printf(reason,
      "A second start already finds all builds in the framework's own cache (%.2f s instead of %.2f s), where that "
      "cache "
      "is kept from start to start.",
      arm->warm.elapsed_s.median, arm->cold.elapsed_s.median);
  return view->production ? KILN_LEVER_SUPPORTED : KILN_LEVER_POINTLESS;
}

void
kiln_lever_kept_write(const struct kiln_lever_view *view, const char *id, struct kiln_json *json)
{
  kiln_json_object(json);
  kiln_json_member_text(json, "id", id);
  if (view->folder) {
    kiln_json_member_text(json, "folder", view->folder);
  }
  kiln_json_object_end(json);
}
