/* Numerics given up for speed: asked for by name only. */
#include "probe/levers/kernels.h"
#include "probe/levers/list.h"

static enum kiln_lever_answer
supports(const struct kiln_lever_view *view, struct kiln_buf *reason)
{
  if (!kiln_lever_nothing_built(view, reason)) {
    kiln_buf_text_append(reason, "Nothing in a run speaks for it: it changes results, and hardly the time of a build.");
  }
  return KILN_LEVER_POINTLESS;
}

static void
make(const struct kiln_lever_view *view, struct kiln_json *json)
{
  (void)view;
  kiln_lever_write_bool(json, "fast_math", true);
}

/* No setting of the whole program: the call acts on the file that makes it. */
static void
lines(const struct kiln_lever_view *view, struct kiln_buf *text)
{
  (void)view;
  kiln_buf_text_append(text, "wp.set_module_options({\"fast_math\": True})");
}

const struct kiln_lever kiln_lever_fast_math = {
    .id = "fast_math",
    .title = "approximate mathematics",
    .mechanisms = "",
    .arrival = KILN_ARRIVAL_IDENTITY,
    .flags = KILN_LEVER_KERNELS | KILN_LEVER_CHOSEN | KILN_LEVER_IN_FILES,
    .removes = "Exact rounding, infinities and denormal numbers in the kernels.",
    .undo = KILN_LEVER_KERNELS_UNDO,
    .supports = supports,
    .make = make,
    .lines = lines,
};
