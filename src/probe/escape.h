/*
 * Did a run write into a cache outside its sandbox? Default cache places of every known framework are looked at before
 * and after; a new or changed artefact there is an escape (also of processes that no agent could observe).
 *
 * Order: new before the run, check after it, free. Reads only.
 */
#ifndef KILN_PROBE_ESCAPE_H
#define KILN_PROBE_ESCAPE_H

#include <stddef.h>

struct kiln_escape_watch;

/* home NULL: HOME of this process, and the home folder of the user database when it differs. NULL: memory is short. */
struct kiln_escape_watch *kiln_escape_watch_new(const char *home);
void kiln_escape_watch_free(struct kiln_escape_watch *watch);
/* Look again. Number of artefacts that are new or changed; *framework and *path name the first (owned by watch). */
size_t kiln_escape_watch_check(struct kiln_escape_watch *watch, const char **framework, const char **path);

#endif
