/*
 * The entry reader. Random bytes end at the first checksum, so an input is tried as it is, then with its sums repaired
 * one after the other, to reach the checks behind.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/store/footer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must_hold(bool condition)
{
  if (!condition)
    abort();
}

static void
check_good(const uint8_t *data, size_t size, const struct kiln_entry *entry)
{
  const uint8_t *footer = data + size - KILN_ENTRY_FOOTER_SIZE;
  struct kiln_entry again;
  struct kiln_digest other = entry->key;
  other.bytes[0] ^= 1;
  must_hold(entry->payload_len > 0 && entry->manifest_len <= KILN_ENTRY_MAX_MANIFEST);
  must_hold(entry->payload_len + entry->manifest_len + KILN_ENTRY_FOOTER_SIZE == size);
  must_hold(memcmp(entry->key.bytes, footer + FOOTER_KEY, 32) == 0);

  must_hold(kiln_entry_check(data, size, &entry->key, false, &again) == KILN_ENTRY_GOOD);
  size_t manifest_len = 0;
  must_hold(kiln_entry_check_end(footer, KILN_ENTRY_FOOTER_SIZE, size, &entry->key, &manifest_len) == KILN_ENTRY_GOOD);
  must_hold(manifest_len == entry->manifest_len);
  must_hold(kiln_entry_check(data, size, &other, false, &again) == KILN_ENTRY_KEY);
}

static void
check(const uint8_t *data, size_t size)
{
  struct kiln_entry plain, whole, untouched;
  memset(&plain, 0x5A, sizeof plain);
  memset(&whole, 0x5A, sizeof whole);
  memset(&untouched, 0x5A, sizeof untouched);
  enum kiln_entry_fault fault = kiln_entry_check(data, size, NULL, false, &plain);
  enum kiln_entry_fault strict = kiln_entry_check(data, size, NULL, true, &whole);
  must_hold(strict != KILN_ENTRY_GOOD || fault == KILN_ENTRY_GOOD);
  size_t manifest_len = 0;
  if (kiln_entry_check_end(data, size, size, NULL, &manifest_len) == KILN_ENTRY_GOOD)
    must_hold(manifest_len + KILN_ENTRY_FOOTER_SIZE < size);
  must_hold(kiln_entry_fault_text(strict)[0] != '\0');
  if (fault == KILN_ENTRY_GOOD)
    check_good(data, size, &plain);
  else
    must_hold(memcmp(&plain, &untouched, sizeof plain) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  uint8_t *copy = malloc(size ? size : 1); /* as large as it must be, so that a read beyond it is seen */
  if (!copy)
    return 0;
  memcpy(copy, data, size);
  check(copy, size);
  if (size >= KILN_ENTRY_FOOTER_SIZE) {
    uint8_t *footer = footer_of(copy, size);
    footer_repair_seal(copy, size);
    check(copy, size);
    memcpy(footer, "KILNENT1\1\0\0\0\0\0\0\0", 16);
    memset(footer + FOOTER_RESERVED, 0, 8);
    footer_repair_checksum(copy, size);
    check(copy, size);
    footer_repair_all(copy, size);
    check(copy, size);
  }
  free(copy);
  return 0;
}
