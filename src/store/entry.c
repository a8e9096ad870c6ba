#include "store/entry.h"

#include <string.h>

#include "base/json_read.h"

#define VERSION 1
#define KEY_OPENING "{\"key\":\""

static const char magic[8] = {'K', 'I', 'L', 'N', 'E', 'N', 'T', '1'};

/* Places in the footer. */
enum {
  AT_MAGIC = 0,
  AT_VERSION = 8,
  AT_FLAGS = 12,
  AT_PAYLOAD_LEN = 16,
  AT_MANIFEST_LEN = 24,
  AT_KEY = 32,
  AT_CHECKSUM = 64,
  AT_DIGEST = 80,
  AT_SEAL = 112, /* over everything before it */
  AT_RESERVED = 120,
  SEAL_SIZE = 8
};

const char *
kiln_entry_fault_text(enum kiln_entry_fault fault)
{
  switch (fault) {
  case KILN_ENTRY_GOOD:
    return "nothing is wrong";
  case KILN_ENTRY_SHORT:
    return "it is shorter than a footer";
  case KILN_ENTRY_MAGIC:
    return "it does not end in an entry's footer";
  case KILN_ENTRY_VERSION:
    return "its format is of another version";
  case KILN_ENTRY_LENGTHS:
    return "its lengths do not add up to the file's size";
  case KILN_ENTRY_FOOTER:
    return "its footer is damaged";
  case KILN_ENTRY_CHECKSUM:
    return "its content is damaged";
  case KILN_ENTRY_KEY:
    return "it belongs to another key";
  case KILN_ENTRY_DIGEST:
    return "its content is not what was sealed";
  case KILN_ENTRY_MANIFEST:
    return "its manifest is no JSON object of its key";
  }
  return "it has an unknown fault";
}

static uint64_t
read_number(const uint8_t *from, int size)
{
  uint64_t value = 0;
  for (int i = size - 1; i >= 0; i--)
    value = value << 8 | from[i];
  return value;
}

static void
write_number(uint8_t *to, uint64_t value, int size)
{
  for (int i = 0; i < size; i++)
    to[i] = (uint8_t)(value >> (8 * i));
}

static enum kiln_entry_fault
check_footer(const uint8_t footer[KILN_ENTRY_FOOTER_SIZE])
{
  static const uint8_t zero[KILN_ENTRY_FOOTER_SIZE - AT_RESERVED] = {0};
  if (memcmp(footer + AT_MAGIC, magic, sizeof magic) != 0)
    return KILN_ENTRY_MAGIC;
  if (read_number(footer + AT_VERSION, 4) != VERSION || read_number(footer + AT_FLAGS, 4) != 0)
    return KILN_ENTRY_VERSION;
  struct kiln_checksum seal = kiln_checksum_of(footer, AT_SEAL);
  if (memcmp(footer + AT_SEAL, seal.bytes, SEAL_SIZE) != 0 || memcmp(footer + AT_RESERVED, zero, sizeof zero) != 0)
    return KILN_ENTRY_FOOTER;
  return KILN_ENTRY_GOOD;
}

/* rest: bytes of the file in front of the footer. */
static bool
lengths_fit(uint64_t payload_len, uint64_t manifest_len, uint64_t rest)
{
  return payload_len > 0 && payload_len <= KILN_ENTRY_MAX_PAYLOAD && manifest_len <= KILN_ENTRY_MAX_MANIFEST &&
         payload_len + manifest_len == rest;
}

static bool
begins_with_key(const char *manifest, size_t len, const char hex[KILN_DIGEST_HEX])
{
  const size_t opening = sizeof KEY_OPENING - 1, digits = KILN_DIGEST_HEX - 1;
  return len >= opening + digits + 2 && memcmp(manifest, KEY_OPENING, opening) == 0 &&
         memcmp(manifest + opening, hex, digits) == 0 && manifest[opening + digits] == '"' && manifest[len - 1] == '}';
}

static bool
parses_with_key(const char *manifest, size_t len, const char hex[KILN_DIGEST_HEX])
{
  struct cJSON *tree;
  if (kiln_json_parse(manifest, len, "the manifest", &tree, NULL) != KILN_OK)
    return false;
  bool matches = strcmp(kiln_json_get_string(tree, "key", ""), hex) == 0; /* "" too when it is no object */
  kiln_json_free(tree);
  return matches;
}

static bool
manifest_matches(const char *manifest, size_t len, const struct kiln_digest *key, bool whole)
{
  char hex[KILN_DIGEST_HEX];
  kiln_digest_hex(key, hex);
  return (!whole && begins_with_key(manifest, len, hex)) || parses_with_key(manifest, len, hex);
}

enum kiln_entry_fault
kiln_entry_check_end(
    const void *end, size_t len, uint64_t size, const struct kiln_digest *expected, size_t *manifest_len)
{
  if (!end || len < KILN_ENTRY_FOOTER_SIZE || size < len)
    return KILN_ENTRY_SHORT;
  const uint8_t *footer = (const uint8_t *)end + len - KILN_ENTRY_FOOTER_SIZE;
  const enum kiln_entry_fault fault = check_footer(footer);
  if (fault != KILN_ENTRY_GOOD)
    return fault;
  const uint64_t manifest = read_number(footer + AT_MANIFEST_LEN, 8);
  if (!lengths_fit(read_number(footer + AT_PAYLOAD_LEN, 8), manifest, size - KILN_ENTRY_FOOTER_SIZE))
    return KILN_ENTRY_LENGTHS;
  if (expected && memcmp(footer + AT_KEY, expected->bytes, sizeof expected->bytes) != 0)
    return KILN_ENTRY_KEY;
  *manifest_len = (size_t)manifest;
  return KILN_ENTRY_GOOD;
}

enum kiln_entry_fault
kiln_entry_check(
    const void *data, size_t len, const struct kiln_digest *expected, bool cryptographic, struct kiln_entry *entry)
{
  if (!data || len < KILN_ENTRY_FOOTER_SIZE)
    return KILN_ENTRY_SHORT;
  const size_t body = len - KILN_ENTRY_FOOTER_SIZE;
  const uint8_t *footer = (const uint8_t *)data + body;
  enum kiln_entry_fault fault = check_footer(footer);
  if (fault != KILN_ENTRY_GOOD)
    return fault;
  uint64_t payload_len = read_number(footer + AT_PAYLOAD_LEN, 8);
  uint64_t manifest_len = read_number(footer + AT_MANIFEST_LEN, 8);
  if (!lengths_fit(payload_len, manifest_len, body))
    return KILN_ENTRY_LENGTHS;

  struct kiln_digest key, digest;
  struct kiln_checksum checksum = kiln_checksum_of(data, body);
  if (memcmp(footer + AT_CHECKSUM, checksum.bytes, sizeof checksum.bytes) != 0)
    return KILN_ENTRY_CHECKSUM;
  memcpy(key.bytes, footer + AT_KEY, sizeof key.bytes);
  memcpy(digest.bytes, footer + AT_DIGEST, sizeof digest.bytes);
  if (expected && !kiln_digest_equal(&key, expected))
    return KILN_ENTRY_KEY;
  if (cryptographic) {
    struct kiln_digest actual = kiln_digest_of(data, body);
    if (!kiln_digest_equal(&actual, &digest))
      return KILN_ENTRY_DIGEST;
  }
  if (!manifest_matches((const char *)data + payload_len, (size_t)manifest_len, &key, cryptographic))
    return KILN_ENTRY_MANIFEST;

  entry->payload_len = (size_t)payload_len;
  entry->manifest_len = (size_t)manifest_len;
  entry->key = key;
  entry->digest = digest;
  entry->checksum = checksum;
  return KILN_ENTRY_GOOD;
}

void
kiln_entry_release(struct kiln_entry *entry)
{
  kiln_buf_release(&entry->data);
  *entry = (struct kiln_entry){0};
}

const char *
kiln_entry_manifest(const struct kiln_entry *entry)
{
  return kiln_buf_text(&entry->data) + entry->payload_len;
}

static enum kiln_status
check_parts(const struct kiln_buf *payload, const struct kiln_digest *key, const char *manifest, size_t manifest_len,
    struct kiln_error *error)
{
  if (payload->len == 0 || payload->len > KILN_ENTRY_MAX_PAYLOAD) {
    kiln_error_set(error, KILN_ERROR_ARGUMENT, "a payload of %zu bytes cannot be an entry", payload->len);
    kiln_error_advise(error, "Give 1 to %llu bytes.", (unsigned long long)KILN_ENTRY_MAX_PAYLOAD);
    return KILN_ERROR_ARGUMENT;
  }
  if (manifest_len > KILN_ENTRY_MAX_MANIFEST) {
    kiln_error_set(error, KILN_ERROR_ARGUMENT, "a manifest of %zu bytes is too large", manifest_len);
    kiln_error_advise(error, "Shorten its log or its sources to %u bytes in all.", KILN_ENTRY_MAX_MANIFEST);
    return KILN_ERROR_ARGUMENT;
  }
  if (!manifest_matches(manifest, manifest_len, key, true)) {
    char hex[KILN_DIGEST_HEX];
    kiln_digest_hex(key, hex);
    kiln_error_set(error, KILN_ERROR_ARGUMENT, "the manifest is no JSON object of key %s", hex);
    kiln_error_advise(error, "Give an object that begins with the member \"key\".");
    return KILN_ERROR_ARGUMENT;
  }
  return KILN_OK;
}

enum kiln_status
kiln_entry_seal(struct kiln_buf *out, const struct kiln_digest *key, const char *manifest, size_t manifest_len,
    struct kiln_error *error)
{
  enum kiln_status status = check_parts(out, key, manifest, manifest_len, error);
  if (status != KILN_OK)
    return status;
  const size_t payload_len = out->len;
  if (!kiln_buf_reserve(out, manifest_len + KILN_ENTRY_FOOTER_SIZE))
    return kiln_error_set(error, KILN_ERROR_MEMORY, "no memory for an entry of %zu bytes", payload_len);
  kiln_buf_append(out, manifest, manifest_len);

  uint8_t footer[KILN_ENTRY_FOOTER_SIZE] = {0};
  struct kiln_checksum checksum = kiln_checksum_of(out->data, out->len);
  struct kiln_digest digest = kiln_digest_of(out->data, out->len);
  memcpy(footer + AT_MAGIC, magic, sizeof magic);
  write_number(footer + AT_VERSION, VERSION, 4);
  write_number(footer + AT_PAYLOAD_LEN, payload_len, 8);
  write_number(footer + AT_MANIFEST_LEN, manifest_len, 8);
  memcpy(footer + AT_KEY, key->bytes, sizeof key->bytes);
  memcpy(footer + AT_CHECKSUM, checksum.bytes, sizeof checksum.bytes);
  memcpy(footer + AT_DIGEST, digest.bytes, sizeof digest.bytes);
  struct kiln_checksum seal = kiln_checksum_of(footer, AT_SEAL);
  memcpy(footer + AT_SEAL, seal.bytes, SEAL_SIZE);
  kiln_buf_append(out, footer, sizeof footer);
  return KILN_OK;
}
