/*
 * Private build folders: one per build attempt, reclaimed after a crash.
 *
 * The name holds host, pid and a random part made by the system; the folder holds a locked `owner` file as long as its
 * process lives. Reclaim removes folders whose owner is gone (on this host; of other hosts after a day).
 */
#ifndef KILN_STORE_WORKSPACE_H
#define KILN_STORE_WORKSPACE_H

#include "store/store.h"

/* Order: new, build inside, release. One workspace belongs to one thread. */
struct kiln_workspace {
  char *folder;
  int lock; /* descriptor of the locked owner file */
  int pid;  /* process that made it: nobody else removes it */
};
/* In the store's build folder; where that cannot be written (said once) in the system's temporary folder. The first of
 * a store also reclaims. */
enum kiln_status kiln_workspace_new(
    struct kiln_store *store, struct kiln_workspace *workspace, struct kiln_error *error);
/* Remove the folder, or move its content to `keep_at` when not NULL. */
void kiln_workspace_release(struct kiln_workspace *workspace, const char *keep_at);
/* Remove what dead builders left; number of folders removed. */
int kiln_workspace_reclaim(struct kiln_store *store);

#endif
