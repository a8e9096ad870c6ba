/*
 * The inside of struct kiln_store, for the parts of src/store: where its folders are, whether they may be trusted and
 * written, what has been warned about, which locks are held. Public functions: store/store.h.
 *
 * A location is looked at when it is first used, once: its links are resolved, its owner and mode checked. A location
 * that does not exist yet is looked at again. Thread safe; a forked child first takes the store over
 * (kiln_store_adopt).
 */
#ifndef KILN_STORE_PLACE_H
#define KILN_STORE_PLACE_H

#include <stdatomic.h>

#include "os/file.h"
#include "os/thread.h"
#include "store/store.h"

#define KILN_LOCATION_REFUSAL_SIZE 300

enum kiln_location_state { KILN_LOCATION_MISSING, KILN_LOCATION_TRUSTED, KILN_LOCATION_REFUSED };

/* One folder that entries may lie in. Everything but `state` is written once, before state leaves MISSING. */
struct kiln_location {
  char *given;       /* as configured */
  char *resolved;    /* without links; NULL while MISSING */
  _Atomic int state; /* enum kiln_location_state */
  uint32_t mode;     /* of the folder: what it lets others read, its files do too */
  bool network, noexec, read_only;
  char type[32]; /* of the file system */
  char refusal[KILN_LOCATION_REFUSAL_SIZE];
};

/* Each is said once in the life of a store. */
enum kiln_store_warning {
  KILN_WARN_PLACE = 1,  /* the store's folder is refused */
  KILN_WARN_LAYER = 2,  /* a layer's folder is refused */
  KILN_WARN_FILE = 4,   /* a file is refused */
  KILN_WARN_DAMAGE = 8, /* an entry was damaged */
  KILN_WARN_NETWORK = 16,
  KILN_WARN_UNWRITABLE = 32,
  KILN_WARN_FALLBACK = 64,
  KILN_WARN_UNKEPT = 128 /* a build could not be published */
};
/* Those after which nothing more need be said when something is not kept. */
#define KILN_WARN_NOT_STORED (KILN_WARN_PLACE | KILN_WARN_UNWRITABLE | KILN_WARN_FALLBACK | KILN_WARN_UNKEPT)

struct kiln_store {
  struct kiln_location *locations; /* the store, then layers in order */
  size_t count;
  bool sync;
  void (*warn)(void *context, const char *message);
  void *context;
  atomic_uint warned;      /* enum kiln_store_warning */
  atomic_bool prepared;    /* the folders were there once */
  atomic_bool unwritable;  /* a write was not permitted: not tried again by this process */
  atomic_bool fell_back;   /* a build went to the system's temporary folder */
  atomic_bool reclaimed;   /* leftovers of dead builders were looked for */
  atomic_uint serial;      /* for names of temporary files */
  _Atomic int owner_pid;   /* the process this memory belongs to; negative while it changes */
  struct kiln_mutex mutex; /* over the first look at locations, and `held` */
  int *held;               /* descriptors of key locks */
  size_t held_count, held_capacity;
};

/* First thing in every function that locks or waits: in a forked child closes what is the parent's. */
void kiln_store_adopt(struct kiln_store *store);
/* Say it once, through options.warn. */
void kiln_store_warn(struct kiln_store *store, enum kiln_store_warning cause, const char *format, ...)
    KILN_PRINTF(3, 4);
/* Has one of these causes been said? */
bool kiln_store_warned(struct kiln_store *store, unsigned causes);

/* May location i be used? Looks at it when nobody has yet. */
enum kiln_location_state kiln_location_check(struct kiln_store *store, size_t i);
/* Path of location i: without links once that is known. Valid as long as the store. */
const char *kiln_location_folder(const struct kiln_store *store, size_t i);
/* "<location i>/v1/<relative>" into path (cleared first). Returns its text. */
const char *kiln_location_path(const struct kiln_store *store, size_t i, const char *relative, struct kiln_buf *path);

/* Modes of new files and folders: 0400 and 0700, and what the store's own folder lets others read. */
unsigned kiln_store_file_mode(const struct kiln_store *store);
unsigned kiln_store_folder_mode(const struct kiln_store *store);
/* Make "<folder>/v1/<relative>" with parents, with that mode under any umask. */
enum kiln_status kiln_store_folder(struct kiln_store *store, const char *relative, struct kiln_error *error);
/* A write was refused with *error (not NULL): if for want of permission, stop trying to write. Returns its status. */
enum kiln_status kiln_store_refused(struct kiln_store *store, const struct kiln_error *error);

#endif
