/*
 * What the levers of a kept cache share.
 */
#ifndef KILN_PROBE_LEVERS_KEPT_H
#define KILN_PROBE_LEVERS_KEPT_H

#include "probe/levers/facts.h"

/* Does the program make its cache anew in each start? Then the warm run built too. One sentence, appended. */
enum kiln_lever_answer kiln_lever_kept_supports(const struct kiln_lever_view *view, struct kiln_buf *reason);
/* {"id": id, "folder": …}; without a folder whoever applies it chooses. */
void kiln_lever_kept_write(const struct kiln_lever_view *view, const char *id, struct kiln_json *json);

#endif
