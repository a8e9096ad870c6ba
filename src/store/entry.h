/*
 * The entry format: one immutable file, payload first, so that it is itself a loadable object.
 *
 *   entry    = payload manifest footer
 *   payload  = bytes of the .so, cubin or PTX
 *   manifest = JSON object (UTF-8), at most 1 MiB: key, fields, name, toolchain, target, entry_points, command, log,
 * sources, … footer   = 128 bytes, little-endian: "KILNENT1" (8) version u32 (1) flags u32 (0) payload_len u64
 * manifest_len u64 key (32) checksum XXH3-128 over payload+manifest (16) digest BLAKE2b-256 over payload+manifest (32)
 *              XXH3-64-sized prefix of XXH3-128 over the 112 bytes before (8), reserved zero (8)
 *
 * Everything is checked before it is believed: sizes against the file's, bounds before allocation, checksum, key.
 */
#ifndef KILN_STORE_ENTRY_H
#define KILN_STORE_ENTRY_H

#include "base/buf.h"
#include "store/digest.h"

#define KILN_ENTRY_FOOTER_SIZE 128
#define KILN_ENTRY_MAX_MANIFEST (1u << 20)
#define KILN_ENTRY_MAX_PAYLOAD (1ull << 32)

/* An entry that has been read and checked. Owns `data`. */
struct kiln_entry {
  struct kiln_buf data; /* the whole file */
  size_t payload_len, manifest_len;
  struct kiln_digest key, digest;
  struct kiln_checksum checksum;
};

/* What is wrong with bytes that claim to be an entry. */
enum kiln_entry_fault {
  KILN_ENTRY_GOOD,
  KILN_ENTRY_SHORT,
  KILN_ENTRY_MAGIC,
  KILN_ENTRY_VERSION,
  KILN_ENTRY_LENGTHS,
  KILN_ENTRY_FOOTER,
  KILN_ENTRY_CHECKSUM,
  KILN_ENTRY_KEY,
  KILN_ENTRY_DIGEST,
  KILN_ENTRY_MANIFEST
};
const char *kiln_entry_fault_text(enum kiln_entry_fault fault);

/* Parse and check `data` in place. expected NULL: any key. cryptographic: also the BLAKE2b digest. Never crashes on any
 * bytes. */
enum kiln_entry_fault kiln_entry_check(
    const void *data, size_t len, const struct kiln_digest *expected, bool cryptographic, struct kiln_entry *entry);
void kiln_entry_release(struct kiln_entry *entry);
const char *kiln_entry_manifest(const struct kiln_entry *entry); /* not NUL-terminated */

/* Append manifest and footer to a payload that is already in `out`. */
enum kiln_status kiln_entry_seal(struct kiln_buf *out, const struct kiln_digest *key, const char *manifest,
    size_t manifest_len, struct kiln_error *error);

#endif
