/* CS-12, N-8: a precompiled header that does not pay, or that is missing. */
#include "base/text.h"
#include "probe/levers/facts.h"
#include "probe/levers/list.h"

static bool
is_on(const struct kiln_lever_view *view)
{
  double seconds;
  return kiln_lever_headers(view, &seconds) > 0 || kiln_lever_builds_with(view, "use_precompiled_headers", "True") > 0;
}

static bool
wanted(const struct kiln_lever_view *view)
{
  return view->value ? kiln_text_equal(view->value, "on") : !is_on(view);
}

static bool
accepts(const char *value)
{
  return kiln_text_equal(value, "on") || kiln_text_equal(value, "off");
}

static enum kiln_lever_answer
supports(const struct kiln_lever_view *view, struct kiln_buf *reason)
{
  double seconds;
  const size_t headers = kiln_lever_headers(view, &seconds), builds = kiln_lever_builds(view);
  if (builds == 0) {
    kiln_buf_text_append(reason, "Nothing was built.");
    return KILN_LEVER_POINTLESS;
  }
  if (headers > 0) {
    kiln_buf_printf(reason, "Precompiled headers made: %zu, for %zu builds, in %.2f s.", headers, builds, seconds);
    return KILN_LEVER_SUPPORTED;
  }
  if (!kiln_lever_warp_from(view, 1, 12)) {
    kiln_buf_text_append(reason, "This version of the framework has no option for it.");
    return KILN_LEVER_POINTLESS;
  }
  kiln_buf_printf(reason, "No precompiled header was made for %zu builds.", builds);
  return builds > 1 ? KILN_LEVER_SUPPORTED : KILN_LEVER_POINTLESS;
}

static void
make(const struct kiln_lever_view *view, struct kiln_json *json)
{
  kiln_lever_write_bool(json, "pch", wanted(view));
}

static void
lines(const struct kiln_lever_view *view, struct kiln_buf *text)
{
  kiln_buf_printf(text, "wp.config.use_precompiled_headers = %s", wanted(view) ? "True" : "False");
}

const struct kiln_lever kiln_lever_pch = {
    .id = "pch",
    .title = "precompiled header off, or on",
    .mechanisms = "CS-12 N-8",
    .arrival = KILN_ARRIVAL_HEADER,
    .removes = "Nothing of the kernels: the same code is compiled with, or without, a header made beforehand.",
    .undo = "Leave out the setting: the framework's default holds again.",
    .accepts = accepts,
    .supports = supports,
    .make = make,
    .lines = lines,
};
