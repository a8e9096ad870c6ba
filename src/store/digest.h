/*
 * Content digests: BLAKE2b-256 for identity and trust, XXH3-128 for bit rot at load. Plain values, no state to release.
 */
#ifndef KILN_STORE_DIGEST_H
#define KILN_STORE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kiln/error.h"

#define KILN_DIGEST_HEX 65 /* 64 hex digits and NUL */

struct kiln_digest {
  uint8_t bytes[32];
};

/* Streaming BLAKE2b-256. Order: begin, add…, end; may be copied with = in between. */
struct kiln_hasher {
  _Alignas(64) uint8_t state[384]; /* libsodium's state, checked by a static assertion in digest.c */
};
/* Also starts anew. */
void kiln_hasher_begin(struct kiln_hasher *hasher);
/* len 0 adds nothing; data may then be NULL. */
void kiln_hasher_add(struct kiln_hasher *hasher, const void *data, size_t len);
/* The digest; the hasher is used up. */
struct kiln_digest kiln_hasher_end(struct kiln_hasher *hasher);

/* Digest of len bytes. */
struct kiln_digest kiln_digest_of(const void *data, size_t len);
/* Content of a file. */
enum kiln_status kiln_digest_file(const char *path, struct kiln_digest *digest, struct kiln_error *error);
/* 64 lower-case hex digits and a NUL. */
void kiln_digest_hex(const struct kiln_digest *digest, char hex[KILN_DIGEST_HEX]);
bool kiln_digest_parse(const char *hex, struct kiln_digest *digest); /* exactly 64 lower-case hex digits */
bool kiln_digest_equal(const struct kiln_digest *a, const struct kiln_digest *b);

struct kiln_checksum {
  uint8_t bytes[16];
};
struct kiln_checksum kiln_checksum_of(const void *data, size_t len); /* XXH3-128 */

#endif
