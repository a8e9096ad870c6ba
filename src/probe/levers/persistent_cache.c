/* CS-2: a cache that the program, or its surroundings, never uses twice. */
#include "probe/levers/kept.h"
#include "probe/levers/list.h"

static void
make(const struct kiln_lever_view *view, struct kiln_json *json)
{
  kiln_lever_kept_write(view, "persistent_cache", json);
}

static void
lines(const struct kiln_lever_view *view, struct kiln_buf *text)
{
  (void)view;
  kiln_buf_text_append(text,
      "export WARP_CACHE_PATH=<a folder that is kept>   # and no clear_kernel_cache, no fresh folder in the program");
}

const struct kiln_lever kiln_lever_persistent_cache = {
    .id = "persistent_cache",
    .title = "a cache that is kept from start to start",
    .mechanisms = "CS-2",
    .arrival = KILN_ARRIVAL_LOAD,
    .flags = KILN_LEVER_FOLDER | KILN_LEVER_KEPT,
    .removes = "A start no longer begins with an empty cache; the first one still pays for all builds.",
    .undo = "Remove the folder, or start without the lever: the program uses its own cache again.",
    .supports = kiln_lever_kept_supports,
    .make = make,
    .lines = lines,
};
