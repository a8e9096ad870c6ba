/*
 * One builder per key per host. The lock saves work; correctness never depends on it.
 *
 * 256 lock files, never unlinked; a key owns one byte of its file, locked with an open-file-description lock on a
 * descriptor of its own, which the kernel frees when its owner dies. The descriptor is close-on-exec and is closed
 * first thing in a forked child, never unlocked there (closing a copy does not unlock). The owner keeps a note (host,
 * boot, pid, start, key) fresh every second; waiters poll, report who builds and for how long, and stop waiting when
 * the lock is free or the note is older than 10 s. Nobody waits for a key while holding another. Where locks do not
 * work (network, read-only, ENOLCK) the answer is "no lock": build anyway.
 */
#ifndef KILN_STORE_LOCK_H
#define KILN_STORE_LOCK_H

#include "store/store.h"

struct kiln_key_lock {
  struct kiln_store *store;
  int fd;     /* -1: not held */
  int pid;    /* process that took it */
  char *note; /* path of the owner note */
};

struct kiln_owner {
  char host[128];
  int pid;
  double age_s;   /* since the note was last refreshed */
  double build_s; /* since its build began */
};

enum kiln_lock_result { KILN_LOCK_TAKEN, KILN_LOCK_BUSY, KILN_LOCK_UNAVAILABLE };

/* Try once, without waiting. When TAKEN the note is written. */
enum kiln_lock_result kiln_key_lock_try(
    struct kiln_store *store, const struct kiln_digest *key, struct kiln_key_lock *lock);
/* Refresh the note; cheap; call about once a second while building. */
void kiln_key_lock_refresh(struct kiln_key_lock *lock);
/* In the process that took it: remove the note, unlock, close. In a forked child: only close. */
void kiln_key_lock_release(struct kiln_key_lock *lock);
/* Who holds it, by its note. false when there is no note (yet). A stale note is looked at for 0.2 s more, in case a new
 * owner is just replacing it. */
bool kiln_key_lock_owner(struct kiln_store *store, const struct kiln_digest *key, struct kiln_owner *owner);

#define KILN_OWNER_STALE_S 10.0

#endif
