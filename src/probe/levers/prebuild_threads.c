/* CS-13 and CS-8: the same by the framework's own threads, to compare; never where it gives wrong results. */
#include "probe/levers/ahead.h"
#include "probe/levers/list.h"

static enum kiln_lever_answer
supports(const struct kiln_lever_view *view, struct kiln_buf *reason)
{
  const struct kiln_lever_ahead ahead = kiln_lever_ahead_of(view);
  const size_t cpu = kiln_lever_builds_on(view, "cpu");
  if (cpu > 0 && !kiln_lever_warp_from(view, 1, 17)) {
    kiln_buf_printf(reason,
        "%s gives wrong results when several modules are loaded on the CPU at once, and this run loads some there.",
        view->report->framework);
    return KILN_LEVER_UNSAFE;
  }
  if (ahead.builds < 2) {
    kiln_buf_printf(
        reason, "%s was built: there is nothing to build side by side.", ahead.builds ? "One module" : "Nothing");
    return KILN_LEVER_POINTLESS;
  }
  if (cpu > 0) {
    kiln_buf_text_append(reason, "The framework builds modules for the CPU one at a time, whatever the threads.");
    return KILN_LEVER_POINTLESS;
  }
  kiln_buf_printf(reason,
      "Building one after another takes %.2f s (builds: %zu), the largest (%s) %.2f s: at most %.1f times faster.",
      ahead.sum_s, ahead.builds, ahead.largest, ahead.largest_s, ahead.speedup);
  return KILN_LEVER_SUPPORTED;
}

static void
make(const struct kiln_lever_view *view, struct kiln_json *json)
{
  kiln_lever_ahead_write(view, "threads", json);
}

static void
lines(const struct kiln_lever_view *view, struct kiln_buf *text)
{
  bool first = true;
  kiln_buf_text_append(text, "wp.force_load(device=\"cuda\", modules=[");
  for (size_t i = 0; i < view->cold->build_count; i++) {
    const struct kiln_model_build *build = &view->cold->builds[i];
    if (build->result == KILN_BUILD_COMPILED && build->module) {
      kiln_buf_printf(text, "%s\"%s\"", first ? "" : ", ", build->module);
      first = false;
    }
  }
  kiln_buf_printf(text, "], max_workers=%d)", view->cores > 1 ? view->cores : 1);
}

const struct kiln_lever kiln_lever_prebuild_threads = {
    .id = "prebuild_threads",
    .title = "modules built side by side by the framework's threads",
    .mechanisms = "CS-13 CS-8",
    .arrival = KILN_ARRIVAL_LOAD,
    .flags = KILN_LEVER_AHEAD,
    .removes = "Nothing: the same modules are built, several at once, at the first load.",
    .undo = "Leave out the call: each module is built at its first launch again.",
    .supports = supports,
    .make = make,
    .lines = lines,
};
