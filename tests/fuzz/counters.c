/*
 * Counter files. To keep inputs small, the input is the header, then a length-prefixed list of slots, then the name
 * area; the raw bytes are tried as a file too.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "event/counters.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
  uint64_t slots, bytes, sum;
};

static void
take(void *context, const struct kiln_counter_slot *slot, const char *name, uint32_t len)
{
  struct seen *seen = context;
  if (slot->key == 0 || len > KILN_COUNTERS_NAMES)
    abort();
  seen->slots++;
  seen->bytes += len;
  for (uint32_t i = 0; i < len; i++) /* every byte may be read */
    seen->sum += (unsigned char)name[i];
}

static void
try_file(const void *data, size_t size)
{
  struct seen seen = {0};
  uint32_t overflow = 0;
  int pid = -1;
  enum kiln_status status = kiln_counters_parse(data, size, "input", take, &seen, &overflow, &pid, NULL);
  if (status != KILN_OK && status != KILN_ERROR_FORMAT)
    abort();
  if (status == KILN_OK ? pid < 0 : seen.slots > 0 || pid != -1)
    abort();
  if (seen.slots > KILN_COUNTERS_SLOTS)
    abort();
}

/* Header as it stands; the byte behind it tells how many slots follow; the rest is the name area. */
static void
expand(const uint8_t *data, size_t size, struct kiln_counters *counters)
{
  size_t header = size < 32 ? size : 32;
  memcpy(counters, data, header);
  data += header;
  size -= header;
  if (size == 0)
    return;
  size_t slots = *data++;
  size--;
  size_t bytes = slots * sizeof counters->slot[0];
  bytes = size < bytes ? size : bytes;
  memcpy(counters->slot, data, bytes);
  data += bytes;
  size -= bytes;
  memcpy(counters->names, data, size < KILN_COUNTERS_NAMES ? size : KILN_COUNTERS_NAMES);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  try_file(data, size);
  struct kiln_counters *counters = calloc(1, sizeof *counters);
  if (!counters)
    return 0;
  if (size > 0)
    expand(data, size, counters);
  try_file(counters, sizeof *counters);
  free(counters);
  return 0;
}
