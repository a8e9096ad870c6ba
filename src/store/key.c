#include "store/key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 32

static void
add_length(struct kiln_hasher *hasher, size_t len)
{
  uint8_t bytes[8];
  for (int i = 0; i < 8; i++)
    bytes[i] = (uint8_t)((uint64_t)len >> (8 * i));
  kiln_hasher_add(hasher, bytes, sizeof bytes);
}

static void
hash_field(struct kiln_key *key, char kind, const char *tag, const void *value, size_t len)
{
  size_t tag_len = strlen(tag);
  kiln_hasher_add(&key->hasher, &kind, 1);
  add_length(&key->hasher, tag_len);
  kiln_hasher_add(&key->hasher, tag, tag_len);
  add_length(&key->hasher, len);
  kiln_hasher_add(&key->hasher, value, len);
}

static char *
copy(const char *text)
{
  size_t size = strlen(text) + 1;
  char *result = malloc(size);
  return result ? memcpy(result, text, size) : NULL;
}

static bool
grow(struct kiln_key *key)
{
  if (key->count < key->capacity)
    return true;
  size_t capacity = key->capacity ? key->capacity * 2 : FIRST_CAPACITY;
  struct kiln_key_field *fields = realloc(key->fields, capacity * sizeof *fields);
  if (!fields)
    return false;
  key->fields = fields;
  key->capacity = capacity;
  return true;
}

static void
keep_field(struct kiln_key *key, const char *tag, const char *shown)
{
  struct kiln_key_field field = {copy(tag), copy(shown)};
  if (field.tag && field.value && grow(key)) {
    key->fields[key->count++] = field;
    return;
  }
  free(field.tag);
  free(field.value);
  key->failed = true;
}

void
kiln_key_init(struct kiln_key *key)
{
  char abi[16];
  *key = (struct kiln_key){0};
  kiln_hasher_begin(&key->hasher);
  snprintf(abi, sizeof abi, "%d", KILN_STORE_ABI);
  kiln_key_add(key, "abi", abi);
}

void
kiln_key_release(struct kiln_key *key)
{
  for (size_t i = 0; i < key->count; i++) {
    free(key->fields[i].tag);
    free(key->fields[i].value);
  }
  free(key->fields);
  *key = (struct kiln_key){0};
}

void
kiln_key_add(struct kiln_key *key, const char *tag, const char *value)
{
  if (!tag)
    tag = "";
  if (!value)
    value = "";
  hash_field(key, 't', tag, value, strlen(value));
  keep_field(key, tag, value);
}

void
kiln_key_add_digest(struct kiln_key *key, const char *tag, const struct kiln_digest *digest)
{
  char hex[KILN_DIGEST_HEX], shown[KILN_DIGEST_HEX + 8];
  if (!tag)
    tag = "";
  hash_field(key, 'd', tag, digest->bytes, sizeof digest->bytes);
  kiln_digest_hex(digest, hex);
  snprintf(shown, sizeof shown, "blake2b:%s", hex);
  keep_field(key, tag, shown);
}

struct kiln_digest
kiln_key_digest(const struct kiln_key *key)
{
  struct kiln_hasher so_far = key->hasher;
  return kiln_hasher_end(&so_far);
}
