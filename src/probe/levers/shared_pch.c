/* N-15: the same precompiled header made by every process and thread, in every start. */
#include "probe/levers/kept.h"
#include "probe/levers/list.h"

static enum kiln_lever_answer
supports(const struct kiln_lever_view *view, struct kiln_buf *reason)
{
  double seconds;
  const size_t headers = kiln_lever_headers(view, &seconds);
  if (headers == 0 || kiln_lever_builds_on(view, "cpu") == 0) {
    kiln_buf_text_append(reason, "No precompiled header was made for the CPU.");
    return KILN_LEVER_POINTLESS;
  }
  if (!kiln_lever_warp_from(view, 1, 13)) {
    kiln_buf_text_append(reason, "This version of the framework has no header that could be shared.");
    return KILN_LEVER_POINTLESS;
  }
  kiln_buf_printf(reason, "%zu precompiled header%s made in %.2f s; every start makes %s again.", headers,
      headers == 1 ? " was" : "s were", seconds, headers == 1 ? "it" : "them");
  return KILN_LEVER_SUPPORTED;
}

static void
make(const struct kiln_lever_view *view, struct kiln_json *json)
{
  kiln_lever_kept_write(view, "shared_pch", json);
}

const struct kiln_lever kiln_lever_shared_pch = {
    .id = "shared_pch",
    .title = "one precompiled header for all starts",
    .mechanisms = "N-15 CS-12",
    .arrival = KILN_ARRIVAL_HEADER,
    .flags = KILN_LEVER_FOLDER,
    .removes = "The header is made once and kept, not in every start; the first start still makes it.",
    .undo = "Remove the folder, or start without the lever: each process makes its own header again.",
    .supports = supports,
    .make = make,
};
