/* CS-13: independent modules built one after another; here ahead of the program, each in a process. */
#include "probe/levers/ahead.h"
#include "probe/levers/list.h"

#define WORTH 0.05 /* of the cold run */

static enum kiln_lever_answer
supports(const struct kiln_lever_view *view, struct kiln_buf *reason)
{
  const struct kiln_lever_ahead ahead = kiln_lever_ahead_of(view);
  if (ahead.builds == 0) {
    kiln_buf_text_append(reason, "Nothing was built.");
    return KILN_LEVER_POINTLESS;
  }
  kiln_buf_printf(reason,
      "Building one after another takes %.2f s (builds: %zu), the largest (%s) %.2f s and the header before it %.2f s, "
      "everything "
      "else %.2f s: at best %.2f s instead of %.2f s on %d cores.",
      ahead.sum_s, ahead.builds, ahead.largest, ahead.largest_s, ahead.header_s, ahead.rest_s, ahead.best_s,
      ahead.elapsed_s, view->cores);
  return ahead.elapsed_s - ahead.best_s >= WORTH * ahead.elapsed_s && view->cores > 1 ? KILN_LEVER_SUPPORTED
                                                                                      : KILN_LEVER_POINTLESS;
}

static void
make(const struct kiln_lever_view *view, struct kiln_json *json)
{
  kiln_lever_ahead_write(view, "processes", json);
}

const struct kiln_lever kiln_lever_prebuild = {
    .id = "prebuild",
    .title = "modules built ahead, each in a process of its own",
    .mechanisms = "CS-13",
    .arrival = KILN_ARRIVAL_LOAD,
    .flags = KILN_LEVER_AHEAD,
    .removes = "Nothing: the same modules are built, at the same time as the program starts, by processes beside it.",
    .undo = "Start the program without `kiln apply`: it builds its modules itself again.",
    .supports = supports,
    .make = make,
};
