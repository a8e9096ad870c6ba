#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/entry.h"
#include "unit/store/footer.h"

#define PAYLOAD "\177ELF payload of this kernel"

/* A sealed entry of one key. */
struct sample {
  struct kiln_buf bytes;
  struct kiln_digest key;
  char manifest[400];
};

static void
sample_seal(struct sample *sample, const char *payload, const char *manifest)
{
  kiln_buf_init(&sample->bytes);
  kiln_buf_append(&sample->bytes, payload, strlen(payload));
  snprintf(sample->manifest, sizeof sample->manifest, "%s", manifest);
  assert_int_equal(kiln_entry_seal(&sample->bytes, &sample->key, manifest, strlen(manifest), NULL), KILN_OK);
}

static void
sample_init(struct sample *sample, const char *name, const char *payload)
{
  char hex[KILN_DIGEST_HEX], manifest[300];
  sample->key = kiln_digest_of(name, strlen(name));
  kiln_digest_hex(&sample->key, hex);
  snprintf(manifest, sizeof manifest, "{\"key\":\"%s\",\"name\":\"%s\",\"fields\":[[\"flag\",\"-O3\"]]}", hex, name);
  sample_seal(sample, payload, manifest);
}

static enum kiln_entry_fault
check(const struct kiln_buf *bytes, const struct kiln_digest *expected, bool cryptographic)
{
  struct kiln_entry entry;
  /* A copy of exactly this size, so that a read beyond it is seen. */
  uint8_t *copy = malloc(bytes->len ? bytes->len : 1);
  memcpy(copy, kiln_buf_text(bytes), bytes->len);
  enum kiln_entry_fault fault = kiln_entry_check(copy, bytes->len, expected, cryptographic, &entry);
  free(copy);
  return fault;
}

static void
test_seal_and_check(void **state)
{
  (void)state;
  struct sample sample;
  struct kiln_entry entry = {0};
  sample_init(&sample, "scale", PAYLOAD);
  for (int cryptographic = 0; cryptographic < 2; cryptographic++) {
    assert_int_equal(kiln_entry_check(sample.bytes.data, sample.bytes.len, &sample.key, cryptographic != 0, &entry),
        KILN_ENTRY_GOOD);
    assert_int_equal(entry.payload_len, strlen(PAYLOAD));
    assert_int_equal(entry.manifest_len, strlen(sample.manifest));
    assert_true(kiln_digest_equal(&entry.key, &sample.key));
  }
  assert_int_equal(check(&sample.bytes, NULL, true), KILN_ENTRY_GOOD);
  assert_memory_equal(sample.bytes.data, PAYLOAD, strlen(PAYLOAD));
  struct kiln_digest body = kiln_digest_of(sample.bytes.data, sample.bytes.len - KILN_ENTRY_FOOTER_SIZE);
  assert_true(kiln_digest_equal(&entry.digest, &body));
  entry.data = sample.bytes; /* the reader's buffer moves in */
  assert_memory_equal(kiln_entry_manifest(&entry), sample.manifest, entry.manifest_len);
  kiln_entry_release(&entry);
  assert_null(entry.data.data);
  kiln_entry_release(&entry);
}

/* The format is on disk: a change needs another version. */
static void
test_bytes_are_as_documented(void **state)
{
  (void)state;
  struct sample sample;
  sample_init(&sample, "scale", PAYLOAD);
  uint8_t *footer = footer_of((uint8_t *)sample.bytes.data, sample.bytes.len);
  uint8_t expected[KILN_ENTRY_FOOTER_SIZE] = {0};
  const size_t body = sample.bytes.len - KILN_ENTRY_FOOTER_SIZE;
  memcpy(expected, "KILNENT1\1", 9);
  footer_write(expected + FOOTER_PAYLOAD_LEN, strlen(PAYLOAD));
  footer_write(expected + FOOTER_MANIFEST_LEN, body - strlen(PAYLOAD));
  memcpy(expected + FOOTER_KEY, sample.key.bytes, 32);
  struct kiln_checksum checksum = kiln_checksum_of(sample.bytes.data, body);
  struct kiln_digest digest = kiln_digest_of(sample.bytes.data, body);
  memcpy(expected + FOOTER_CHECKSUM, checksum.bytes, 16);
  memcpy(expected + FOOTER_DIGEST, digest.bytes, 32);
  struct kiln_checksum seal = kiln_checksum_of(expected, FOOTER_SEAL);
  memcpy(expected + FOOTER_SEAL, seal.bytes, 8);
  assert_memory_equal(footer, expected, sizeof expected);
  kiln_buf_release(&sample.bytes);
}

/* Set one byte of the footer, repair the sums up to `repaired`, expect the fault. */
enum { REPAIR_NOTHING, REPAIR_SEAL, REPAIR_CHECKSUM, REPAIR_ALL };

static void
expect_fault(size_t at, int repaired, bool cryptographic, enum kiln_entry_fault expected)
{
  struct sample sample;
  sample_init(&sample, "scale", PAYLOAD);
  uint8_t *data = (uint8_t *)sample.bytes.data;
  footer_of(data, sample.bytes.len)[at] ^= 0x40;
  if (repaired == REPAIR_SEAL)
    footer_repair_seal(data, sample.bytes.len);
  if (repaired == REPAIR_CHECKSUM)
    footer_repair_checksum(data, sample.bytes.len);
  if (repaired == REPAIR_ALL)
    footer_repair_all(data, sample.bytes.len);
  assert_int_equal(check(&sample.bytes, &sample.key, cryptographic), expected);
  kiln_buf_release(&sample.bytes);
}

static void
test_each_field_is_checked(void **state)
{
  (void)state;
  expect_fault(0, REPAIR_ALL, false, KILN_ENTRY_MAGIC);
  expect_fault(7, REPAIR_ALL, false, KILN_ENTRY_MAGIC);
  expect_fault(FOOTER_VERSION, REPAIR_ALL, false, KILN_ENTRY_VERSION);
  expect_fault(FOOTER_FLAGS + 3, REPAIR_ALL, false, KILN_ENTRY_VERSION);
  expect_fault(FOOTER_PAYLOAD_LEN, REPAIR_NOTHING, false, KILN_ENTRY_FOOTER);
  expect_fault(FOOTER_PAYLOAD_LEN, REPAIR_ALL, false, KILN_ENTRY_LENGTHS);
  expect_fault(FOOTER_PAYLOAD_LEN + 7, REPAIR_ALL, false, KILN_ENTRY_LENGTHS);
  expect_fault(FOOTER_MANIFEST_LEN, REPAIR_ALL, false, KILN_ENTRY_LENGTHS);
  expect_fault(FOOTER_KEY, REPAIR_NOTHING, false, KILN_ENTRY_FOOTER);
  expect_fault(FOOTER_KEY, REPAIR_ALL, false, KILN_ENTRY_KEY);
  expect_fault(FOOTER_CHECKSUM, REPAIR_NOTHING, false, KILN_ENTRY_FOOTER);
  expect_fault(FOOTER_CHECKSUM + 15, REPAIR_SEAL, false, KILN_ENTRY_CHECKSUM);
  expect_fault(FOOTER_DIGEST, REPAIR_NOTHING, false, KILN_ENTRY_FOOTER);
  expect_fault(FOOTER_DIGEST + 31, REPAIR_SEAL, true, KILN_ENTRY_DIGEST);
  expect_fault(FOOTER_DIGEST + 31, REPAIR_SEAL, false, KILN_ENTRY_GOOD); /* only looked at where it is asked for */
  expect_fault(FOOTER_SEAL, REPAIR_NOTHING, false, KILN_ENTRY_FOOTER);
  expect_fault(FOOTER_SEAL + 7, REPAIR_NOTHING, false, KILN_ENTRY_FOOTER);
  expect_fault(FOOTER_RESERVED, REPAIR_ALL, false, KILN_ENTRY_FOOTER);
  expect_fault(FOOTER_RESERVED + 7, REPAIR_ALL, false, KILN_ENTRY_FOOTER);
}

/* Lengths whose sum wraps, or that are right in sum and out of bounds alone. */
static void
test_hostile_lengths(void **state)
{
  (void)state;
  struct sample sample;
  sample_init(&sample, "scale", PAYLOAD);
  uint8_t *data = (uint8_t *)sample.bytes.data, *footer = footer_of(data, sample.bytes.len);
  const uint64_t body = sample.bytes.len - KILN_ENTRY_FOOTER_SIZE;
  const uint64_t pairs[][2] = {{UINT64_MAX, body + 1}, {body + 1, UINT64_MAX}, {0, body}, {0, 0}, {body + 1, 0},
      {(uint64_t)1 << 63, ((uint64_t)1 << 63) + body}, {KILN_ENTRY_MAX_PAYLOAD + 1, 0}, {UINT64_MAX, UINT64_MAX},
      {body - 1, 0}, {KILN_ENTRY_MAX_PAYLOAD, KILN_ENTRY_MAX_MANIFEST}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    footer_write(footer + FOOTER_PAYLOAD_LEN, pairs[i][0]);
    footer_write(footer + FOOTER_MANIFEST_LEN, pairs[i][1]);
    footer_repair_all(data, sample.bytes.len);
    assert_int_equal(check(&sample.bytes, &sample.key, true), KILN_ENTRY_LENGTHS);
  }
  footer_write(footer + FOOTER_PAYLOAD_LEN, body); /* all payload: a manifest of nothing is no object */
  footer_write(footer + FOOTER_MANIFEST_LEN, 0);
  footer_repair_all(data, sample.bytes.len);
  assert_int_equal(check(&sample.bytes, &sample.key, false), KILN_ENTRY_MANIFEST);
  kiln_buf_release(&sample.bytes);
}

/* Put `manifest` (as long as the sample's, padded with spaces) in place and repair every sum. */
static enum kiln_entry_fault
with_manifest(const char *manifest, bool cryptographic)
{
  struct sample sample;
  sample_init(&sample, "scale", PAYLOAD);
  char *at = sample.bytes.data + strlen(PAYLOAD);
  const size_t room = strlen(sample.manifest), len = strlen(manifest);
  assert_true(len <= room);
  memset(at, ' ', room);
  memcpy(at, manifest, len);
  footer_repair_all((uint8_t *)sample.bytes.data, sample.bytes.len);
  enum kiln_entry_fault fault = check(&sample.bytes, &sample.key, cryptographic);
  kiln_buf_release(&sample.bytes);
  return fault;
}

static void
test_manifests(void **state)
{
  (void)state;
  struct kiln_digest key = kiln_digest_of("scale", 5);
  char hex[KILN_DIGEST_HEX], text[200];
  kiln_digest_hex(&key, hex);
  /* The key need not come first, nor without spaces: that is only faster. */
  snprintf(text, sizeof text, "{\"a\":1, \"key\": \"%s\"}", hex);
  assert_int_equal(with_manifest(text, false), KILN_ENTRY_GOOD);
  assert_int_equal(with_manifest(text, true), KILN_ENTRY_GOOD);
  snprintf(text, sizeof text, "{\"key\":\"%s\",]", hex);
  assert_int_equal(with_manifest(text, true), KILN_ENTRY_MANIFEST);
  assert_int_equal(with_manifest(text, false), KILN_ENTRY_MANIFEST);
  /* One framed well is read to its end only where trust is asked for. */
  struct sample sample;
  sample_init(&sample, "scale", PAYLOAD);
  memset(sample.manifest + snprintf(text, sizeof text, "{\"key\":\"%s\"", hex), ',', 10);
  assert_int_equal(with_manifest(sample.manifest, false), KILN_ENTRY_GOOD);
  assert_int_equal(with_manifest(sample.manifest, true), KILN_ENTRY_MANIFEST);
  kiln_buf_release(&sample.bytes);
  hex[63] = hex[63] == '0' ? '1' : '0';
  snprintf(text, sizeof text, "{\"key\":\"%s\"}", hex);
  const char *refused[] = {text, "", "{}", "[]", "null", "{\"key\":1}", "{\"key\":null}", "{\"key\":\"\"}", "\"key\"",
      "{\"key\":\"", "{\"key\":\"\xff\"}", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    assert_int_equal(with_manifest(refused[i], false), KILN_ENTRY_MANIFEST);
    assert_int_equal(with_manifest(refused[i], true), KILN_ENTRY_MANIFEST);
  }
}

static void
test_seal_refuses(void **state)
{
  (void)state;
  struct sample sample;
  struct kiln_error error;
  struct kiln_buf out;
  kiln_buf_init(&out);
  sample_init(&sample, "scale", PAYLOAD);
  assert_int_equal(
      kiln_entry_seal(&out, &sample.key, sample.manifest, strlen(sample.manifest), &error), KILN_ERROR_ARGUMENT);
  assert_int_equal(out.len, 0);
  kiln_buf_text_append(&out, PAYLOAD);
  assert_int_equal(kiln_entry_seal(&out, &sample.key, "[]", 2, &error), KILN_ERROR_ARGUMENT);
  sample.key.bytes[0] ^= 1;
  assert_int_equal(
      kiln_entry_seal(&out, &sample.key, sample.manifest, strlen(sample.manifest), &error), KILN_ERROR_ARGUMENT);
  char *large = calloc(1, KILN_ENTRY_MAX_MANIFEST + 1);
  assert_int_equal(kiln_entry_seal(&out, &sample.key, large, KILN_ENTRY_MAX_MANIFEST + 1, &error), KILN_ERROR_ARGUMENT);
  assert_non_null(strstr(error.what, "1048577"));
  assert_int_equal(out.len, strlen(PAYLOAD));
  free(large);
  kiln_buf_release(&out);
  kiln_buf_release(&sample.bytes);
}

static void
test_every_truncation_and_every_bit(void **state)
{
  (void)state;
  struct sample sample;
  sample_init(&sample, "scale", PAYLOAD);
  struct kiln_buf view = sample.bytes;
  for (view.len = 0; view.len < KILN_ENTRY_FOOTER_SIZE; view.len++)
    assert_int_equal(check(&view, &sample.key, false), KILN_ENTRY_SHORT);
  for (; view.len < sample.bytes.len; view.len++)
    assert_int_not_equal(check(&view, &sample.key, false), KILN_ENTRY_GOOD);
  for (size_t bit = 0; bit < sample.bytes.len * 8; bit++) {
    sample.bytes.data[bit / 8] ^= (char)(1 << (bit % 8));
    assert_int_not_equal(check(&sample.bytes, &sample.key, false), KILN_ENTRY_GOOD);
    sample.bytes.data[bit / 8] ^= (char)(1 << (bit % 8));
  }
  assert_int_equal(check(&sample.bytes, &sample.key, true), KILN_ENTRY_GOOD);
  kiln_buf_release(&sample.bytes);
}

#define SEED 0x6b696c6e2d656e74ULL
#define ROUNDS 10000

static uint64_t
draw(uint64_t *state, uint64_t below)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state % below;
}

/* Parts of entry `from`, by number: payload, manifest, footer. */
static void
append_part(struct kiln_buf *out, const struct sample *from, uint64_t part)
{
  const size_t manifest_len = strlen(from->manifest);
  const size_t payload_len = from->bytes.len - manifest_len - KILN_ENTRY_FOOTER_SIZE;
  if (part == 0)
    kiln_buf_append(out, from->bytes.data, payload_len);
  else if (part == 1)
    kiln_buf_append(out, from->bytes.data + payload_len, manifest_len);
  else
    kiln_buf_append(out, from->bytes.data + payload_len + manifest_len, KILN_ENTRY_FOOTER_SIZE);
}

static void
swap_parts(struct kiln_buf *out, const struct sample *samples, uint64_t *random)
{
  uint64_t parts = 1 + draw(random, 4);
  for (uint64_t i = 0; i < parts; i++)
    append_part(out, &samples[draw(random, 3)], i == 2 || draw(random, 4) == 0 ? draw(random, 3) : i % 3);
}

/* The wrong manifest in an entry whose sums are all right. */
static void
foreign_manifest(struct kiln_buf *out, const struct sample *samples, uint64_t *random)
{
  append_part(out, &samples[0], 0);
  append_part(out, &samples[1 + draw(random, 2)], 1);
  size_t payload_len = strlen(PAYLOAD), manifest_len = out->len - payload_len;
  append_part(out, &samples[0], 2);
  uint8_t *footer = footer_of((uint8_t *)out->data, out->len);
  footer_write(footer + FOOTER_MANIFEST_LEN, manifest_len);
  footer_repair_all((uint8_t *)out->data, out->len);
}

static void
mutate(struct kiln_buf *out, const struct sample *samples, uint64_t *random)
{
  const struct kiln_buf *valid = &samples[0].bytes;
  kiln_buf_clear(out);
  switch (draw(random, 6)) {
  case 0:
    kiln_buf_append(out, valid->data, draw(random, valid->len));
    break;
  case 1:
    kiln_buf_append(out, valid->data, valid->len);
    for (uint64_t flips = 1 + draw(random, 4); flips > 0; flips--)
      out->data[draw(random, out->len)] ^= (char)(1 << draw(random, 8));
    break;
  case 2:
    swap_parts(out, samples, random);
    break;
  case 3:
    foreign_manifest(out, samples, random);
    break;
  case 4: { /* a hole or a repeated block, as a lost or doubled write leaves it */
    size_t from = draw(random, valid->len), to = draw(random, valid->len), len = draw(random, 64);
    kiln_buf_append(out, valid->data, valid->len);
    len = len < out->len - from ? len : out->len - from;
    len = len < out->len - to ? len : out->len - to;
    if (draw(random, 2))
      memset(out->data + to, 0, len);
    else
      memmove(out->data + to, valid->data + from, len);
    break;
  }
  default: /* the whole of another key, or one with bytes in front or behind */
    if (draw(random, 2))
      kiln_buf_append(out, samples[1].bytes.data, samples[1].bytes.len);
    else
      kiln_buf_printf(out, "%.*s", (int)draw(random, 3), "xyz");
    kiln_buf_append(out, valid->data, draw(random, 2) ? valid->len : 0);
    kiln_buf_printf(out, "%.*s", (int)draw(random, 3), "xyz");
  }
}

static void
test_random_damage_is_refused_or_none(void **state)
{
  (void)state;
  struct sample samples[3];
  struct kiln_buf damaged;
  uint64_t random = SEED;
  int same = 0, faults[KILN_ENTRY_MANIFEST + 1] = {0};
  sample_init(&samples[0], "scale", PAYLOAD);
  sample_init(&samples[1], "other", "\177ELF another payload");
  sample_init(&samples[2], "third", PAYLOAD);
  kiln_buf_init(&damaged);
  printf("%d rounds, seed %#llx\n", ROUNDS, (unsigned long long)SEED);
  for (int round = 0; round < ROUNDS; round++) {
    mutate(&damaged, samples, &random);
    bool identical =
        damaged.len == samples[0].bytes.len && memcmp(kiln_buf_text(&damaged), samples[0].bytes.data, damaged.len) == 0;
    enum kiln_entry_fault fault = check(&damaged, &samples[0].key, round % 2 != 0);
    if ((fault == KILN_ENTRY_GOOD) != identical)
      fail_msg("round %d: %s", round, kiln_entry_fault_text(fault));
    same += identical;
    faults[fault]++;
  }
  /* The damage must have reached the checks, or this proves nothing. */
  assert_true(same > 0 && same < ROUNDS / 4);
  assert_true(faults[KILN_ENTRY_SHORT] > 0 && faults[KILN_ENTRY_MAGIC] > 0 && faults[KILN_ENTRY_FOOTER] > 0);
  assert_true(faults[KILN_ENTRY_LENGTHS] > 0 && faults[KILN_ENTRY_CHECKSUM] > 0);
  assert_true(faults[KILN_ENTRY_KEY] > 0 && faults[KILN_ENTRY_MANIFEST] > 0);
  kiln_buf_release(&damaged);
  for (int i = 0; i < 3; i++)
    kiln_buf_release(&samples[i].bytes);
}

static void
test_fault_texts_differ(void **state)
{
  (void)state;
  for (int a = KILN_ENTRY_GOOD; a <= KILN_ENTRY_MANIFEST + 1; a++)
    for (int b = KILN_ENTRY_GOOD; b < a; b++)
      assert_string_not_equal(
          kiln_entry_fault_text((enum kiln_entry_fault)a), kiln_entry_fault_text((enum kiln_entry_fault)b));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_seal_and_check),
      cmocka_unit_test(test_bytes_are_as_documented), cmocka_unit_test(test_each_field_is_checked),
      cmocka_unit_test(test_hostile_lengths), cmocka_unit_test(test_manifests), cmocka_unit_test(test_seal_refuses),
      cmocka_unit_test(test_every_truncation_and_every_bit), cmocka_unit_test(test_random_damage_is_refused_or_none),
      cmocka_unit_test(test_fault_texts_differ)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
