/*
 * A private place for one measurement: caches, temporary files, bytecode, events, output.
 *
 *   <temporary>/kiln-sandbox-…/        one per measurement, see probe/sandbox_folder.h
 *     owner                            names the folder as ours; locked as long as its kiln lives
 *     pyc/                             Python's bytecode, filled by the unmeasured run
 *     s<N>/cache/<framework>/          caches of sample N: its cold run finds none, its warm run as left
 *     s<N>/tmp/                        TMPDIR of sample N
 *     s<N>/<run>/events/               events of one run; <run> is cold or warm
 *     s<N>/<run>/stdout, stderr        what the command printed
 *
 * kiln_sandbox_new first removes what dead kilns left: their folders, after killing processes that carry their mark
 * (KILN_SANDBOX=<folder>). Order: new, (sample, environment, sample_remove)…, free (removes
 * everything). HOME and the user's files are never touched. Not thread safe.
 */
#ifndef KILN_PROBE_SANDBOX_H
#define KILN_PROBE_SANDBOX_H

#include <stdbool.h>

#include "base/buf.h"
#include "kiln/error.h"
#include "os/guard.h"
#include "os/process.h"
#include "os/runner.h"
#include "probe/sandbox_folder.h"

struct kiln_sandbox {
  char *folder;
  int lock;      /* descriptor that holds `owner` */
  bool bytecode; /* fill and use pyc/; false on return from new, the owner decides */
  struct kiln_guard guard;
  struct kiln_sandbox_swept swept;
};

/* parent NULL: the system's temporary folder. KILN_ERROR_ENVIRONMENT when it cannot be created or has no room for the
 * events of one process (full, refused). */
enum kiln_status kiln_sandbox_new(const char *parent, struct kiln_sandbox **sandbox, struct kiln_error *error);
/* As above, with a guard that removes it should this process be killed at any moment from its making to its end.
 * supervisor: path of kiln-spawn; when it cannot be started there is no guard, which a run will say. */
enum kiln_status kiln_sandbox_new_guarded(
    const char *parent, const char *supervisor, struct kiln_sandbox **sandbox, struct kiln_error *error);
void kiln_sandbox_free(struct kiln_sandbox *sandbox);
/* Create the folders of sample `index` and of one run in it. Paths are derived, see kiln_sandbox_path. */
enum kiln_status kiln_sandbox_sample(
    struct kiln_sandbox *sandbox, int index, const char *run, struct kiln_error *error);
/* Remove a finished sample's folders. */
void kiln_sandbox_sample_remove(struct kiln_sandbox *sandbox, int index);
/* "<folder>/s<index>/<relative>" into path (cleared first). */
const char *kiln_sandbox_path(
    const struct kiln_sandbox *sandbox, int index, const char *relative, struct kiln_buf *path);
/* The environment of one run: current one + caches + TMPDIR + events + preload + mark; a user's own value of such a
 * variable is replaced, in the child only.
 * preload: path of libkiln-preload.so, put in front of an existing LD_PRELOAD; a path that LD_PRELOAD cannot carry
 * (space, colon) is KILN_ERROR_ENVIRONMENT. With sandbox->bytecode also PYTHONPYCACHEPREFIX, and
 * PYTHONDONTWRITEBYTECODE is removed: the bytecode goes to the sandbox and would otherwise be compiled again in every
 * run. Without it the interpreter does as it always does. */
enum kiln_status kiln_sandbox_environment(const struct kiln_sandbox *sandbox, int index, const char *run,
    const char *preload, struct kiln_environment *env, struct kiln_error *error);

#endif
