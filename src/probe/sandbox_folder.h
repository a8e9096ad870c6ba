/*
 * The folder of a sandbox on disk: its name, its owner, and its end, also when everything that looks after it is killed
 * at any moment.
 *
 *   <temporary>/kiln-sandbox-XXXXXXXXXXXX/   mode 0700; the name is random and nobody else's
 *     owner                                  says that it is ours; locked as long as its kiln lives
 *
 * The order makes each moment one that a later start can tell: the name is known (to the guard) before the folder is
 * there; `owner` is the first file in it and the last to go. So a folder of that name is dead when its `owner` is ours
 * and free, when it holds nothing but an empty, free `owner`, or when it is empty; anything else is left alone.
 *
 * Order: name, make, lock, remove. Not thread safe.
 */
#ifndef KILN_PROBE_SANDBOX_FOLDER_H
#define KILN_PROBE_SANDBOX_FOLDER_H

#include <stdbool.h>

#include "base/buf.h"
#include "kiln/error.h"

/* What a sweep found of dead kilns. */
struct kiln_sandbox_swept {
  int folders, processes;
};

/* A path in `parent` that no sandbox has or had, into `path` (cleared first); false without memory or randomness. */
bool kiln_sandbox_folder_name(const char *parent, struct kiln_buf *path);
/* Create it and lock its owner: a descriptor (close-on-exec) that holds the lock, -1 with the error when it cannot be.
 * A sweep of another kiln may take it in between: then another name is to be tried. */
int kiln_sandbox_folder_make(const char *folder, struct kiln_error *error);
/* Remove it with everything in it, `owner` last. */
enum kiln_status kiln_sandbox_folder_remove(const char *folder, struct kiln_error *error);
/* End what dead kilns left in `parent`: the processes that carry their mark, then their folders. */
void kiln_sandbox_folder_sweep(const char *parent, struct kiln_sandbox_swept *swept);

#endif
