/*
 * A key: BLAKE2b-256 over tagged, length-delimited fields, in the order they are added. The fields are kept as text
 * beside the digest, so that `explain` shows exactly what was hashed and two keys can be compared field by field.
 *
 * Order: init, add…, digest (may be called in between: request key before toolchain and dependencies), release.
 * init adds the first field, "abi". One field is hashed as
 *
 *   field = kind tag_len tag value_len value     kind: 't' text, 'd' digest (value: its 32 bytes)
 *                                                lengths: u64, little-endian
 *
 * so neither a boundary nor a kind can be moved without another digest. Plain data; one key belongs to one thread.
 */
#ifndef KILN_STORE_KEY_H
#define KILN_STORE_KEY_H

#include "base/buf.h"
#include "store/digest.h"

/* Bumped whenever the meaning of a field or the format of an entry changes. */
#define KILN_STORE_ABI 1

struct kiln_key_field {
  char *tag;   /* "flag", "source scale.c", … unique within a key together with its position */
  char *value; /* as shown: text, or "blake2b:<hex>" for content */
};

struct kiln_key {
  struct kiln_hasher hasher;
  struct kiln_key_field *fields;
  size_t count, capacity;
  bool failed; /* memory was short */
};

/* See above; ends with kiln_key_release. */
void kiln_key_init(struct kiln_key *key);
/* Frees the fields; may be called twice. */
void kiln_key_release(struct kiln_key *key);
/* tag and value are copied; NULL counts as "". A short memory sets `failed`: the digest is right, the list is not. */
void kiln_key_add(struct kiln_key *key, const char *tag, const char *value);
/* A field whose value is content: hashed by its digest. */
void kiln_key_add_digest(struct kiln_key *key, const char *tag, const struct kiln_digest *digest);
/* Digest of all fields so far. */
struct kiln_digest kiln_key_digest(const struct kiln_key *key);

#endif
