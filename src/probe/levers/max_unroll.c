/* CS-11: loops unrolled into large source. */
#include "probe/levers/kernels.h"
#include "probe/levers/list.h"

#define OWN 4        /* iterations; the framework's default is 16 */
#define MOST 1000000 /* beyond it nothing changes */
#define LARGE 200000 /* bytes of generated source in one build */

static bool
accepts(const char *value)
{
  return kiln_lever_is_number(value, MOST);
}

static enum kiln_lever_answer
supports(const struct kiln_lever_view *view, struct kiln_buf *reason)
{
  uint64_t bytes = 0;
  const char *module = NULL;
  if (kiln_lever_nothing_built(view, reason)) {
    return KILN_LEVER_POINTLESS;
  }
  for (size_t i = 0; i < view->cold->build_count; i++) {
    const struct kiln_model_build *build = &view->cold->builds[i];
    if (build->result == KILN_BUILD_COMPILED && (!module || build->source_bytes > bytes)) {
      bytes = build->source_bytes;
      module = build->module ? build->module : "a module";
    }
  }
  kiln_buf_printf(reason, "The largest generated source has %.1f KB (%s).", (double)bytes / 1e3, module ? module : "-");
  return bytes >= LARGE || kiln_lever_fired(view, "CS-11") ? KILN_LEVER_SUPPORTED : KILN_LEVER_POINTLESS;
}

static void
make(const struct kiln_lever_view *view, struct kiln_json *json)
{
  kiln_lever_write_int(json, "max_unroll", kiln_lever_number(view, OWN));
}

static void
lines(const struct kiln_lever_view *view, struct kiln_buf *text)
{
  kiln_buf_printf(text, "wp.config.max_unroll = %d", (int)kiln_lever_number(view, OWN));
}

const struct kiln_lever kiln_lever_max_unroll = {
    .id = "max_unroll",
    .title = "loops unrolled less",
    .mechanisms = "CS-11",
    .arrival = KILN_ARRIVAL_IDENTITY,
    .flags = KILN_LEVER_KERNELS,
    .removes = "Loops of more iterations are no longer unrolled: the kernels may run slower.",
    .undo = KILN_LEVER_KERNELS_UNDO,
    .accepts = accepts,
    .supports = supports,
    .make = make,
    .lines = lines,
};
