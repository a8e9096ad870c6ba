/* CS-2: a cache filled beforehand and only read, as in an image or on a shared disk. */
#include "probe/levers/kept.h"
#include "probe/levers/list.h"

static void
make(const struct kiln_lever_view *view, struct kiln_json *json)
{
  kiln_lever_kept_write(view, "readonly_cache", json);
}

const struct kiln_lever kiln_lever_readonly_cache = {
    .id = "readonly_cache",
    .title = "a cache filled beforehand, which is only read",
    .mechanisms = "CS-2",
    .arrival = KILN_ARRIVAL_LOAD,
    .flags = KILN_LEVER_FOLDER | KILN_LEVER_SEALED | KILN_LEVER_KEPT,
    .removes =
        "Builds move to whoever fills the folder; it must be filled anew for each version of program and framework.",
    .undo = "Start without the lever: the program builds what it does not find in its own cache.",
    .supports = kiln_lever_kept_supports,
    .make = make,
};
