/*
 * Digests of files that many builds read (system headers, the libraries they link), remembered in memory for as long as
 * device, inode, size and time of change stay. Any thread; a forked child begins with nothing remembered.
 */
#ifndef KILN_JIT_CONTENT_H
#define KILN_JIT_CONTENT_H

#include "os/file.h"
#include "store/digest.h"

struct kiln_content_cache;

struct kiln_content_cache *kiln_content_cache_new(void); /* NULL: memory is short */
void kiln_content_cache_free(struct kiln_content_cache *cache);

/* As kiln_digest_file; info: what the file was (behind links) just before. A file that changed lately is always read.
 */
enum kiln_status kiln_content_digest(struct kiln_content_cache *cache, const char *path,
    const struct kiln_file_info *info, struct kiln_digest *digest, struct kiln_error *error);

#endif
