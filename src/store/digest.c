#include "store/digest.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

/* The caller's storage is used as libsodium's state in place. */
_Static_assert(sizeof(((struct kiln_hasher *)0)->state) >= sizeof(crypto_generichash_blake2b_state), "state fits");
_Static_assert(_Alignof(struct kiln_hasher) >= 64, "libsodium wants its state aligned");
_Static_assert(sizeof(struct kiln_digest) == crypto_generichash_blake2b_BYTES, "a digest is BLAKE2b-256");
_Static_assert(sizeof(struct kiln_checksum) == sizeof(XXH128_canonical_t), "a checksum is XXH3-128");

static crypto_generichash_blake2b_state *
state_of(struct kiln_hasher *hasher)
{
  return (crypto_generichash_blake2b_state *)(void *)hasher->state;
}

void
kiln_hasher_begin(struct kiln_hasher *hasher)
{
  crypto_generichash_blake2b_init(state_of(hasher), NULL, 0, sizeof(struct kiln_digest));
}

void
kiln_hasher_add(struct kiln_hasher *hasher, const void *data, size_t len)
{
  if (len > 0)
    crypto_generichash_blake2b_update(state_of(hasher), data, len);
}

struct kiln_digest
kiln_hasher_end(struct kiln_hasher *hasher)
{
  struct kiln_digest digest;

  crypto_generichash_blake2b_final(state_of(hasher), digest.bytes, sizeof digest.bytes);
  return digest;
}

struct kiln_digest
kiln_digest_of(const void *data, size_t len)
{
  struct kiln_hasher hasher;

  kiln_hasher_begin(&hasher);
  kiln_hasher_add(&hasher, data, len);
  return kiln_hasher_end(&hasher);
}
