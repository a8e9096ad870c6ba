/*
 * The store: entries on disk, found by key, published once, never changed.
 *
 *   <folder>/v1/entries/ab/<key>                       one entry, mode 0400 (0444 in a shared store)
 *   <folder>/v1/requests/ab/<request>.<toolchain>      dependencies and entry key (store/request.h)
 *   <folder>/v1/locks/00…ff                            never unlinked (store/lock.h)
 *   <folder>/v1/build/<host>-<pid>-<random>/           private build folders (store/workspace.h)
 *   <folder>/v1/failed/ab/<request>                    remembered failures (store/negative.h)
 *   <folder>/v1/quarantine/<key>.<reason>.<time>       damaged entries
 *   <folder>/v1/toolchains/<hash of path>              identities (jit/identity.h)
 *   <folder>/v1/swept                                  stamp of the last sweep (store/evict.h)
 *   <folder>/workspace/                                kept files (KILN_KEEP)
 *
 * Lookup order: store, then read-only layers. Reading takes no lock and writes nothing. A content error discards the
 * entry (quarantine), an I/O error touches nothing, a missing permission makes the store read-only for this process.
 * Folders and files must belong to this user or root and must not be writable by group or others; else they are refused
 * with the reason. Thread safe; no global state.
 */
#ifndef KILN_STORE_STORE_H
#define KILN_STORE_STORE_H

#include "store/digest.h"
#include "store/entry.h"

struct kiln_store;

struct kiln_store_options {
  const char *folder;        /* absolute; created at the first write */
  const char *const *layers; /* NULL-terminated, may be NULL */
  bool sync;
  void (*warn)(void *context, const char *message); /* once per cause; may be NULL */
  void *context;
};

enum kiln_status kiln_store_open(
    const struct kiln_store_options *options, struct kiln_store **store, struct kiln_error *error);
void kiln_store_close(struct kiln_store *store);

/* Where an opened entry came from. */
struct kiln_found {
  int fd; /* open for reading; the entry that was checked is what this descriptor shows */
  char *path;
  bool in_layer;
  struct kiln_entry entry;
};
/* Find, read and check. KILN_OK and found->fd >= 0, KILN_ERROR_NOT_FOUND for a miss (damaged ones are quarantined
 * first), else an I/O error. */
enum kiln_status kiln_store_find(
    struct kiln_store *store, const struct kiln_digest *key, struct kiln_found *found, struct kiln_error *error);
void kiln_found_release(struct kiln_found *found);

/* Publish a sealed file (complete, in a private build folder of this store's file system) under its key with one link;
 * the first wins. *lost: another was there first and is good (a bad one is replaced). */
enum kiln_status kiln_store_publish(
    struct kiln_store *store, const struct kiln_digest *key, const char *file, bool *lost, struct kiln_error *error);
/* Refresh the entry's time, at most once a day, best effort. Call after the load. */
void kiln_store_touch(struct kiln_store *store, const struct kiln_found *found);
enum kiln_status kiln_store_quarantine(
    struct kiln_store *store, const char *path, const char *reason, struct kiln_error *error);

/* Facts found when the folder was first used. */
struct kiln_store_place {
  bool exists, writable, network, noexec;
  char refusal[300]; /* why it may not be used; "" when it may */
};
void kiln_store_place(struct kiln_store *store, struct kiln_store_place *place);
/* May code be mapped straight from this entry? Not from a file system that refuses it (noexec), and not from a network:
 * a server that goes away, or another host that replaces the file, must not end this process. No system call. */
bool kiln_store_maps_code(struct kiln_store *store, const struct kiln_found *found);
/* "<folder>/v1/<relative>" into path. */
const char *kiln_store_path(const struct kiln_store *store, const char *relative, struct kiln_buf *path);
/* Make the store's folders now; KILN_ERROR_ENVIRONMENT with the reason when it cannot be written. */
enum kiln_status kiln_store_prepare(struct kiln_store *store, struct kiln_error *error);

/* Every entry file, store first, then layers; return false to stop. */
typedef bool kiln_store_visit(void *context, const char *path, bool in_layer);
enum kiln_status kiln_store_walk(
    struct kiln_store *store, kiln_store_visit *visit, void *context, struct kiln_error *error);

#endif
