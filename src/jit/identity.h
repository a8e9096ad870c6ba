/*
 * Identity of a toolchain: for every program and library the build really runs its ELF build-id with its size, else its
 * digest. Remembered in the store under (path, size, inode, mtime), and in this kiln for as long as those do not move.
 */
#ifndef KILN_JIT_IDENTITY_H
#define KILN_JIT_IDENTITY_H

#include "jit/context.h"
#include "store/digest.h"

struct kiln_identity_cache *kiln_identity_cache_new(void);
void kiln_identity_cache_free(struct kiln_identity_cache *cache);

/* Identity of one file as "build-id:<hex>:<size>" or "blake2b:<hex>", appended to text. */
enum kiln_status kiln_identity_file(const char *path, struct kiln_buf *text, struct kiln_error *error);

/* Called when nothing is remembered: append the absolute paths of everything the toolchain runs. */
typedef enum kiln_status kiln_identity_discover(
    void *context, const char *driver, char ***paths, size_t *count, struct kiln_error *error);
/* Identity of the toolchain behind `driver` (absolute path). `tag` (may be NULL): what led to this driver, for
 * kiln_identity_recall. */
enum kiln_status kiln_identity_of(struct kiln *kiln, const char *driver, const char *tag,
    kiln_identity_discover *discover, void *context, struct kiln_digest *identity, struct kiln_buf *description,
    struct kiln_error *error);
/* The identity that was found last for this tag, when none of its files has moved; they are looked at again after a
 * tenth of a second. */
bool kiln_identity_recall(
    struct kiln *kiln, const char *tag, struct kiln_digest *identity, struct kiln_buf *description);
/* Look at the files again at the next question, however soon: a build must know. */
void kiln_identity_doubt(struct kiln *kiln);

#endif
