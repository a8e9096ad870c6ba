/*
 * What a lookup costs in a store of 100 entries and in one of 100 000, beside the floor: opening, reading and summing
 * the same files by hand.
 *
 * usage: bench.store [ENTRIES]      default 100 000 (about 400 MB in the temporary folder, removed afterwards)
 *
 * The same hundred keys are looked up in both, so that the number of entries is the only difference; then keys from all
 * over the large one, whose files are no longer in the processor's caches. Prints medians. Never fails on time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "os/clock.h"
#include "os/file.h"
#include "store/store.h"

#define SMALL 100
#define ROUNDS 100
#define PAYLOAD 2048

static struct kiln_digest
key_of(uint64_t number)
{
  return kiln_digest_of(&number, sizeof number);
}

static bool
publish(struct kiln_store *store, const char *file, uint64_t number)
{
  struct kiln_buf entry;
  struct kiln_digest key = key_of(number);
  char hex[KILN_DIGEST_HEX], manifest[128], payload[PAYLOAD];
  bool lost;
  kiln_digest_hex(&key, hex);
  int len = snprintf(manifest, sizeof manifest, "{\"key\":\"%s\",\"name\":\"bench\"}", hex);
  memset(payload, (int)(number & 127), sizeof payload);
  kiln_buf_init(&entry);
  kiln_buf_append(&entry, payload, sizeof payload);
  bool good = kiln_entry_seal(&entry, &key, manifest, (size_t)len, NULL) == KILN_OK &&
              kiln_file_write(file, entry.data, entry.len, NULL) == KILN_OK &&
              kiln_store_publish(store, &key, file, &lost, NULL) == KILN_OK;
  kiln_buf_release(&entry);
  return good;
}

static struct kiln_store *
fill(const char *folder, const char *name, uint64_t count)
{
  struct kiln_buf path, file;
  struct kiln_store *store = NULL;
  kiln_buf_init(&path);
  kiln_buf_init(&file);
  struct kiln_store_options options = {.folder = kiln_text_join(&path, folder, name)};
  kiln_text_join(&file, folder, "new");
  bool good = kiln_store_open(&options, &store, NULL) == KILN_OK;
  for (uint64_t i = 0; i < count && good; i++)
    good = publish(store, file.data, i);
  if (!good) {
    kiln_store_close(store);
    store = NULL;
  }
  kiln_buf_release(&path);
  kiln_buf_release(&file);
  return store;
}

static int
compare_times(const void *left, const void *right)
{
  const uint64_t *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

static double
median_us(uint64_t *times, size_t count)
{
  qsort(times, count, sizeof *times, compare_times);
  return (double)times[count / 2] / 1e3;
}

static bool
look_up(struct kiln_store *store, const struct kiln_digest *key, struct kiln_buf *buf)
{
  struct kiln_found found;
  (void)buf;
  bool hit = kiln_store_find(store, key, &found, NULL) == KILN_OK;
  kiln_found_release(&found);
  return hit;
}

/* open + fstat + read + checksum + close, into a buffer that is kept. */
static bool
read_by_hand(struct kiln_store *store, const struct kiln_digest *key, struct kiln_buf *buf)
{
  char hex[KILN_DIGEST_HEX], relative[128];
  struct kiln_buf path;
  struct kiln_file_info info;
  kiln_buf_init(&path);
  kiln_buf_clear(buf);
  kiln_digest_hex(key, hex);
  snprintf(relative, sizeof relative, "entries/%.2s/%s", hex, hex);
  int fd = kiln_fd_open(kiln_store_path(store, relative, &path), KILN_OPEN_READ);
  bool good = fd >= 0 && kiln_fd_info(fd, &info) && kiln_buf_reserve(buf, (size_t)info.size) &&
              kiln_fd_read(fd, buf->data, (size_t)info.size) == (long)info.size;
  struct kiln_checksum sum = kiln_checksum_of(buf->data, good ? (size_t)info.size : 0);
  kiln_fd_close(fd);
  kiln_buf_release(&path);
  return good && sum.bytes[0] + sum.bytes[1] + sum.bytes[2] >= 0;
}

/* Median of SMALL × ROUNDS calls; keys are 0, step, 2 step …; negative when one failed. */
static double
measure(struct kiln_store *store, uint64_t count, uint64_t step,
    bool (*call)(struct kiln_store *, const struct kiln_digest *, struct kiln_buf *))
{
  static uint64_t times[SMALL * ROUNDS];
  struct kiln_buf buf;
  bool good = true;
  kiln_buf_init(&buf);
  for (uint64_t i = 0; i < SMALL * ROUNDS && good; i++) {
    struct kiln_digest key = key_of(i * step % count);
    uint64_t begun = kiln_clock_now();
    good = call(store, &key, &buf);
    times[i] = kiln_clock_now() - begun;
  }
  kiln_buf_release(&buf);
  return good ? median_us(times, SMALL * ROUNDS) : -1;
}

static int
compare(struct kiln_store *small, struct kiln_store *large, uint64_t count)
{
  double warm_up = measure(small, SMALL, 1, look_up) + measure(large, SMALL, 1, look_up);
  double few = measure(small, SMALL, 1, look_up), many = measure(large, SMALL, 1, look_up);
  double floor_us = measure(small, SMALL, 1, read_by_hand);
  double spread = measure(large, count, 7919, look_up), spread_floor = measure(large, count, 7919, read_by_hand);
  if (warm_up < 0 || few < 0 || many < 0 || floor_us <= 0 || spread < 0 || spread_floor < 0) {
    fprintf(stderr, "a lookup failed\n");
    return 1;
  }
  printf("by hand, %d keys:               %6.2f us\n", SMALL, floor_us);
  printf("of %6d entries, %d keys:      %6.2f us   %.2f of by hand\n", SMALL, SMALL, few, few / floor_us);
  printf("of %6" PRIu64 " entries, %d keys:      %6.2f us   %.2f of by hand\n", count, SMALL, many, many / floor_us);
  printf("ratio of the two:                %6.2f\n", many / few);
  printf("of %6" PRIu64 " entries, spread keys:  %6.2f us   by hand %.2f us\n", count, spread, spread_floor);
  return 0;
}

int
main(int argc, char **argv)
{
  struct kiln_buf folder;
  uint64_t count = 100000;
  if (argc > 2 || (argc == 2 && !kiln_text_parse_uint(argv[1], &count)) || count < SMALL || count > 10000000) {
    fprintf(stderr, "usage: %s [ENTRIES]   at least %d\n", argv[0], SMALL);
    return 2;
  }
  kiln_buf_init(&folder);
  int code = 1;
  if (kiln_folder_make_private(kiln_folder_temporary(), "kiln-bench-", &folder, NULL) == KILN_OK) {
    struct kiln_store *small = fill(folder.data, "small", SMALL), *large = fill(folder.data, "large", count);
    if (small && large)
      code = compare(small, large, count);
    else
      fprintf(stderr, "the stores in '%s' could not be filled\n", folder.data);
    kiln_store_close(small);
    kiln_store_close(large);
    (void)kiln_folder_remove(folder.data, NULL);
  }
  kiln_buf_release(&folder);
  return code;
}
