/*
 * Places in the footer of an entry, a second time and on purpose: a test that took them from the code would follow it
 * into an error. Also repairs the sums of an entry that a test has changed, to get behind the checks in front.
 */
#ifndef KILN_TEST_STORE_FOOTER_H
#define KILN_TEST_STORE_FOOTER_H

#include <string.h>

#include "store/entry.h"

enum {
  FOOTER_VERSION = 8,
  FOOTER_FLAGS = 12,
  FOOTER_PAYLOAD_LEN = 16,
  FOOTER_MANIFEST_LEN = 24,
  FOOTER_KEY = 32,
  FOOTER_CHECKSUM = 64,
  FOOTER_DIGEST = 80,
  FOOTER_SEAL = 112,
  FOOTER_RESERVED = 120
};

/* data holds at least a footer. */
static inline uint8_t *
footer_of(uint8_t *data, size_t len)
{
  return data + len - KILN_ENTRY_FOOTER_SIZE;
}

static inline void
footer_write(uint8_t *at, uint64_t value)
{
  for (int i = 0; i < 8; i++)
    at[i] = (uint8_t)(value >> (8 * i));
}

static inline void
footer_repair_seal(uint8_t *data, size_t len)
{
  uint8_t *footer = footer_of(data, len);
  struct kiln_checksum seal = kiln_checksum_of(footer, FOOTER_SEAL);
  memcpy(footer + FOOTER_SEAL, seal.bytes, 8);
}

static inline void
footer_repair_checksum(uint8_t *data, size_t len)
{
  struct kiln_checksum checksum = kiln_checksum_of(data, len - KILN_ENTRY_FOOTER_SIZE);
  memcpy(footer_of(data, len) + FOOTER_CHECKSUM, checksum.bytes, 16);
  footer_repair_seal(data, len);
}

static inline void
footer_repair_all(uint8_t *data, size_t len)
{
  struct kiln_digest digest = kiln_digest_of(data, len - KILN_ENTRY_FOOTER_SIZE);
  memcpy(footer_of(data, len) + FOOTER_DIGEST, digest.bytes, 32);
  footer_repair_checksum(data, len);
}

#endif
