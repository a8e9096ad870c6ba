/*
 * What a warm load costs, beside the floor: open, read, checksum and dlopen by hand on the same bytes.
 *
 * usage: bench.load [ENTRIES]      default 100000, in a store in the temporary folder that is removed afterwards
 *
 * Prints, measured in turns in the same run: the median of a warm kiln_module_load and of the floor, their ratio (goal:
 * at most 1.5); the same as the first thing that a kiln does; a second lookup in the process (goal: at most 200 ns);
 * and the first again with ENTRIES entries more in the store (goal: no slower). Needs a host compiler. Never fails on
 * time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "kiln/context.h"
#include "kiln/module.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/module.h"
#include "store/digest.h"

#define KERNELS 64
#define LOOKUPS 200000
#define PADDING 6000 /* bytes of constants that bring an entry near the 30 KB of a real kernel */
#define MAX_BYTES ((size_t)1 << 24)

struct bench {
  struct kiln_buf store, copies;
  struct kiln_spec *specs[KERNELS];
  char *entry_paths[KERNELS];
  struct kiln_error error;
};

static bool
complain(const struct bench *bench, const char *what)
{
  fprintf(stderr, "bench.load: %s: %s %s\n", what, bench->error.what, bench->error.remedy);
  return false;
}

static struct kiln_spec *
make_spec(int number, struct kiln_error *error)
{
  struct kiln_spec *spec = NULL;
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_buf_printf(&text,
      "const double table[%d] = {%d};\n"
      "void kernel(const float *x, float *y, int n) { for (int i = 0; i < n; i++) y[i] = x[i] * %d.0f; }\n",
      PADDING / 8, number + 1, number);
  bool good = !text.failed && kiln_spec_new("bench", "hostcc", &spec, error) == KILN_OK &&
              kiln_spec_add_source(spec, "kernel.c", text.data, text.len, error) == KILN_OK &&
              kiln_spec_add_entry_point(spec, "kernel", error) == KILN_OK;
  kiln_buf_release(&text);
  if (good)
    return spec;
  kiln_spec_free(spec);
  return NULL;
}

static struct kiln *
make_kiln(struct bench *bench)
{
  struct kiln_options options;
  kiln_options_init(&options);
  options.cache_folder = bench->store.data;
  struct kiln *kiln = NULL;
  return kiln_new(&options, &kiln, &bench->error) == KILN_OK ? kiln : NULL;
}

static bool
copy_file(struct bench *bench, const char *path, int number)
{
  struct kiln_buf data, name;
  kiln_buf_init(&data);
  kiln_buf_init(&name);
  kiln_buf_printf(&name, "%s/%d", bench->copies.data, number);
  bool good = kiln_file_read(path, MAX_BYTES, &data, &bench->error) == KILN_OK &&
              kiln_file_write(name.data, data.data, data.len, &bench->error) == KILN_OK;
  kiln_buf_release(&data);
  kiln_buf_release(&name);
  return good;
}

/* Build all kernels, and copy each entry for the floor. */
static bool
prepare(struct bench *bench)
{
  struct kiln *kiln = make_kiln(bench);
  if (!kiln)
    return complain(bench, "no kiln");
  bool good = true;
  for (int i = 0; good && i < KERNELS; i++) {
    struct kiln_module *module = NULL;
    struct kiln_module_info info = {0};
    bench->specs[i] = make_spec(i, &bench->error);
    good = bench->specs[i] && kiln_module_load(kiln, bench->specs[i], &module, &bench->error) == KILN_OK;
    if (good)
      kiln_module_info(module, &info);
    good = good && info.path && copy_file(bench, info.path, i);
    kiln_module_release(module);
  }
  kiln_free(kiln);
  return good || complain(bench, "building");
}

static uint64_t
floor_of(struct bench *bench, int number, struct kiln_native **native)
{
  struct kiln_buf name, data;
  kiln_buf_init(&name);
  kiln_buf_init(&data);
  kiln_buf_printf(&name, "%s/%d", bench->copies.data, number);
  uint64_t begin = kiln_clock_now();
  int fd = kiln_fd_open(name.data, KILN_OPEN_READ);
  kiln_buf_reserve(&data, 1 << 16);
  long got, sum = 0;
  while ((got = kiln_fd_read(fd, data.data + data.len, data.capacity - data.len)) > 0) {
    data.len += (size_t)got;
    if (data.len == data.capacity)
      kiln_buf_reserve(&data, data.capacity);
  }
  sum += kiln_checksum_of(data.data, data.len).bytes[0];
  bool noexec;
  kiln_native_open_fd(fd, native, &noexec, NULL);
  uint64_t took = kiln_clock_now() - begin;
  kiln_fd_close(fd);
  kiln_buf_release(&name);
  kiln_buf_release(&data);
  return sum >= 0 ? took : 0;
}

static int
compare(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static double
median_us(uint64_t *values, int count)
{
  qsort(values, (size_t)count, sizeof *values, compare);
  return (double)values[count / 2] / 1e3;
}

/* One kiln for all kernels, or a new one for each (`fresh`); floor and load in turns. */
static bool
measure(struct bench *bench, bool fresh, const char *what)
{
  uint64_t loads[KERNELS], floors[KERNELS];
  struct kiln_native *natives[KERNELS] = {0};
  struct kiln_module *modules[KERNELS] = {0};
  struct kiln *kilns[KERNELS] = {0};
  bool good = true;
  for (int i = 0; good && i < KERNELS; i++) {
    kilns[i] = fresh || i == 0 ? make_kiln(bench) : NULL;
    struct kiln *kiln = kilns[i] ? kilns[i] : kilns[0];
    floors[i] = floor_of(bench, i, &natives[i]);
    uint64_t begin = kiln_clock_now();
    good = kiln && kiln_module_load(kiln, bench->specs[i], &modules[i], &bench->error) == KILN_OK;
    loads[i] = kiln_clock_now() - begin;
  }
  struct kiln_module_info info = {0};
  if (good)
    kiln_module_info(modules[KERNELS - 1], &info);
  for (int i = KERNELS - 1; i >= 0; i--) {
    kiln_module_release(modules[i]);
    kiln_native_close(natives[i]);
    kiln_free(kilns[i]);
  }
  if (!good || info.result != KILN_RESULT_HIT)
    return complain(bench, "a warm load");
  double load = median_us(loads, KERNELS), floor = median_us(floors, KERNELS);
  printf("%-44s %7.1f us, by hand %6.1f us, ratio %.2f\n", what, load, floor, load / floor);
  return true;
}

static bool
measure_second(struct bench *bench)
{
  struct kiln *kiln = make_kiln(bench);
  struct kiln_module *first = NULL, *again;
  if (!kiln || kiln_module_load(kiln, bench->specs[0], &first, &bench->error) != KILN_OK)
    return complain(bench, "a load");
  uint64_t best = UINT64_MAX;
  bool good = true;
  for (int round = 0; round < 5; round++) {
    uint64_t begin = kiln_clock_now();
    for (int i = 0; i < LOOKUPS; i++) {
      good = good && kiln_module_load(kiln, bench->specs[0], &again, &bench->error) == KILN_OK && again == first;
      kiln_module_release(again);
    }
    uint64_t took = kiln_clock_now() - begin;
    best = took < best ? took : best;
  }
  kiln_module_release(first);
  kiln_free(kiln);
  if (!good)
    return complain(bench, "a second lookup");
  printf("%-44s %7.1f ns (goal: at most 200)\n", "second lookup in the process", (double)best / LOOKUPS);
  return true;
}

/* Fill one kind of the store's folders with `count` names. */
static bool
fill(struct bench *bench, const char *kind, int count)
{
  struct kiln_buf path;
  kiln_buf_init(&path);
  bool good = true;
  for (int i = 0; good && i < count; i++) {
    kiln_buf_clear(&path);
    kiln_buf_printf(&path, "%s/v1/%s/%02x", bench->store.data, kind, (unsigned)i % 256);
    if (i < 256)
      good = kiln_folder_make(path.data, &bench->error) == KILN_OK;
    kiln_buf_printf(&path, "/%02x%062x", (unsigned)i % 256, (unsigned)i);
    int fd = kiln_fd_open(path.data, KILN_OPEN_WRITE | KILN_OPEN_CREATE);
    good = good && fd >= 0;
    kiln_fd_close(fd);
  }
  kiln_buf_release(&path);
  return good || complain(bench, "filling the store");
}

static bool
make_folders(struct bench *bench, struct kiln_buf *root)
{
  if (kiln_folder_make_private(kiln_folder_temporary(), "kiln-bench-load.", root, &bench->error) != KILN_OK)
    return complain(bench, "no folder");
  kiln_buf_printf(&bench->store, "%s/store", root->data);
  kiln_buf_printf(&bench->copies, "%s/copies", root->data);
  return kiln_folder_make(bench->copies.data, &bench->error) == KILN_OK || complain(bench, "no folder");
}

int
main(int argc, char **argv)
{
  int entries = argc > 1 ? atoi(argv[1]) : 100000;
  static struct bench bench;
  struct kiln_buf root;
  char what[64];
  kiln_buf_init(&root);
  kiln_buf_init(&bench.store);
  kiln_buf_init(&bench.copies);
  snprintf(what, sizeof what, "warm load, %d more entries", entries);
  bool good = make_folders(&bench, &root) && prepare(&bench) && measure(&bench, false, "warm load (goal: ratio 1.5)") &&
              measure(&bench, false, "warm load") && measure(&bench, true, "warm load, first of a kiln") &&
              measure_second(&bench) && fill(&bench, "entries", entries) && fill(&bench, "requests", entries) &&
              measure(&bench, false, what) && measure(&bench, false, what);
  for (int i = 0; i < KERNELS; i++)
    kiln_spec_free(bench.specs[i]);
  if (root.len > 0)
    kiln_folder_remove(root.data, NULL);
  kiln_buf_release(&bench.store);
  kiln_buf_release(&bench.copies);
  kiln_buf_release(&root);
  return good ? 0 : 1;
}
