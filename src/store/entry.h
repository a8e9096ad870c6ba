/*
 * The entry format: one immutable file, payload first, so that it is itself a loadable object.
 *
 *   entry    = payload manifest footer
 *   payload  = bytes of the .so, cubin or PTX; at least 1, at most 4 GiB
 *   manifest = JSON object (UTF-8), at most 1 MiB: key, fields, name, toolchain, target, entry_points, command, log,
 *              sources, …; "key" comes first, so that a load need not parse the rest
 *   footer   = 128 bytes, numbers little-endian:
 *                at   0  8   magic "KILNENT1"
 *                     8  4   version, 1
 *                    12  4   flags, 0
 *                    16  8   payload_len
 *                    24  8   manifest_len
 *                    32  32  key
 *                    64  16  checksum: XXH3-128 (canonical form) over payload and manifest
 *                    80  32  digest: BLAKE2b-256 over payload and manifest
 *                   112  8   first half of XXH3-128 over the 112 bytes before
 *                   120  8   reserved, zero
 *
 * Everything is checked before it is believed, in this order: size, magic, version and flags, footer checksum and
 * reserved bytes, lengths against bounds and the file's size, checksum, key, digest where asked for, manifest.
 * Plain data; no global state.
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
/* Half a sentence for messages: "its content is damaged". Static, never NULL. */
const char *kiln_entry_fault_text(enum kiln_entry_fault fault);

/* Check `data` in place and fill in *entry, all but entry->data: nothing is copied, and the caller moves the buffer it
 * read there (before or after). On a fault *entry is not touched. expected NULL: any key. cryptographic: also the
 * BLAKE2b digest, and the whole manifest is parsed; else it must be framed as an object that begins with its key, and
 * is parsed only if it begins otherwise. Never crashes on any bytes. */
enum kiln_entry_fault kiln_entry_check(
    const void *data, size_t len, const struct kiln_digest *expected, bool cryptographic, struct kiln_entry *entry);
/* What the last `len` bytes of a file of `size` bytes say of it: footer, lengths and key are checked, the content is
 * not. *manifest_len, at most KILN_ENTRY_MAX_MANIFEST: so many bytes in front of the footer are the manifest, of which
 * nobody knows whether it is damaged. */
enum kiln_entry_fault kiln_entry_check_end(
    const void *end, size_t len, uint64_t size, const struct kiln_digest *expected, size_t *manifest_len);
/* Frees data; may be called twice. */
void kiln_entry_release(struct kiln_entry *entry);
/* manifest_len bytes inside entry->data, not NUL-terminated. */
const char *kiln_entry_manifest(const struct kiln_entry *entry);

/* Append manifest and footer to a payload that is already in `out` (its whole content). KILN_ERROR_ARGUMENT: an empty
 * or too large payload, or a manifest that is too large, no JSON object or of another key; `out` is as it was. */
enum kiln_status kiln_entry_seal(struct kiln_buf *out, const struct kiln_digest *key, const char *manifest,
    size_t manifest_len, struct kiln_error *error);

#endif
