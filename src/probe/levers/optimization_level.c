/* N-7, CS-12: a native compiler that optimises more than the program gains. */
#include "base/text.h"
#include "probe/levers/kernels.h"
#include "probe/levers/list.h"

#define OWN 1
#define SHARE 0.3 /* of what the builds take */

static bool
accepts(const char *value)
{
  return kiln_lever_is_number(value, 3);
}

static enum kiln_lever_answer
supports(const struct kiln_lever_view *view, struct kiln_buf *reason)
{
  double native_s = 0, sum_s = 0;
  if (kiln_lever_nothing_built(view, reason)) {
    return KILN_LEVER_POINTLESS;
  }
  for (size_t i = 0; i < view->cold->build_count; i++) {
    native_s += (double)view->cold->builds[i].native.wall_ns / 1e9;
    sum_s += (double)view->cold->builds[i].wall_ns / 1e9;
  }
  kiln_buf_printf(reason, "The native compiler takes %.2f s of the %.2f s of all builds.", native_s, sum_s);
  return native_s >= SHARE * sum_s ? KILN_LEVER_SUPPORTED : KILN_LEVER_POINTLESS;
}

static void
make(const struct kiln_lever_view *view, struct kiln_json *json)
{
  kiln_lever_write_int(json, "optimization_level", kiln_lever_number(view, OWN));
}

static void
lines(const struct kiln_lever_view *view, struct kiln_buf *text)
{
  kiln_buf_printf(text, "wp.config.optimization_level = %d", (int)kiln_lever_number(view, OWN));
}

const struct kiln_lever kiln_lever_optimization_level = {
    .id = "optimization_level",
    .title = "the native compiler optimises less",
    .mechanisms = "N-7",
    .arrival = KILN_ARRIVAL_IDENTITY,
    .flags = KILN_LEVER_KERNELS,
    .removes = "The kernels are optimised less and may run slower; results may differ in the last digits.",
    .undo = KILN_LEVER_KERNELS_UNDO,
    .accepts = accepts,
    .supports = supports,
    .make = make,
    .lines = lines,
};
