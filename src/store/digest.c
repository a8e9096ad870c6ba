/*
 * sodium_init is not called: it takes a process-wide lock, which a fork in another thread would leave locked in the
 * child, and all it gives BLAKE2b is a faster variant. The functions used here are correct without it.
 */
#include "store/digest.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>
#include <xxhash.h>

#include "os/failure.h"
#include "os/file.h"

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

enum kiln_status
kiln_digest_file(const char *path, struct kiln_digest *digest, struct kiln_error *error)
{
  int fd = kiln_fd_open(path, KILN_OPEN_READ);
  if (fd < 0)
    return kiln_failure_set(error, errno, "open", path);
  struct kiln_hasher hasher;
  char chunk[16384];
  long got;
  kiln_hasher_begin(&hasher);
  while ((got = kiln_fd_read(fd, chunk, sizeof chunk)) > 0)
    kiln_hasher_add(&hasher, chunk, (size_t)got);
  int failure = errno;
  kiln_fd_close(fd);
  if (got < 0)
    return kiln_failure_set(error, failure, "read", path);
  *digest = kiln_hasher_end(&hasher);
  return KILN_OK;
}

void
kiln_digest_hex(const struct kiln_digest *digest, char hex[KILN_DIGEST_HEX])
{
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < sizeof digest->bytes; i++) {
    hex[2 * i] = digits[digest->bytes[i] >> 4];
    hex[2 * i + 1] = digits[digest->bytes[i] & 15];
  }
  hex[KILN_DIGEST_HEX - 1] = '\0';
}

static int
digit_value(char digit)
{
  if (digit >= '0' && digit <= '9')
    return digit - '0';
  return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

bool
kiln_digest_parse(const char *hex, struct kiln_digest *digest)
{
  struct kiln_digest parsed;
  if (!hex || strlen(hex) != KILN_DIGEST_HEX - 1)
    return false;
  for (size_t i = 0; i < sizeof parsed.bytes; i++) {
    int high = digit_value(hex[2 * i]), low = digit_value(hex[2 * i + 1]);
    if (high < 0 || low < 0)
      return false;
    parsed.bytes[i] = (uint8_t)(high << 4 | low);
  }
  *digest = parsed;
  return true;
}

bool
kiln_digest_equal(const struct kiln_digest *a, const struct kiln_digest *b)
{
  return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

struct kiln_checksum
kiln_checksum_of(const void *data, size_t len)
{
  XXH128_canonical_t canonical;
  struct kiln_checksum checksum;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(data, len));
  memcpy(checksum.bytes, canonical.digest, sizeof checksum.bytes);
  return checksum;
}
