/*
 * How much reading a run's events costs, beside the floor: parsing every line with the JSON library alone.
 *
 * usage: bench.events [EVENTS]      default 1 000 000 (about 250 MB in the temporary folder, removed afterwards)
 *
 * Prints CPU seconds of both in the same run, their ratio (goal: at most 2.0) and the peak of memory (goal: below
 * 300 MB). Never fails on time.
 */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "event/lines.h"
#include "os/clock.h"
#include "os/file.h"
#include "probe/model.h"

#define MODULES 200
#define DECLARES 50000
#define CHUNK_BYTES ((size_t)131072)

struct generator {
  struct kiln_buf buf;
  int fd;
  bool failed;
  uint64_t t, seed;
};

static unsigned
draw(struct generator *generator, unsigned below)
{
  generator->seed = generator->seed * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(generator->seed >> 33) % below;
}

static void
begin(struct generator *generator, const char *kind, bool span)
{
  generator->t += 2000;
  kiln_buf_printf(&generator->buf,
      "{\"v\":1,\"t\":%" PRIu64 ",\"cpu\":%" PRIu64 ",\"pid\":4242,\"tid\":%d,\"ev\":\"%s\"", generator->t,
      generator->t / 3, 4242 + (int)draw(generator, 4), kind);
  if (span)
    kiln_buf_printf(&generator->buf, ",\"id\":%u,\"dur\":%u,\"dcpu\":%u", draw(generator, 1000000),
        500 + draw(generator, 1400), 300 + draw(generator, 200));
}

static void
module_fields(struct generator *generator, unsigned module)
{
  kiln_buf_printf(&generator->buf,
      ",\"framework\":\"warp\",\"module\":\"newton.solvers.package_%u.kernels_%u\",\"block_dim\":256", module % 17,
      module);
}

static void
identity_fields(struct generator *generator, unsigned module)
{
  module_fields(generator, module);
  kiln_buf_printf(&generator->buf, ",\"identity\":\"%08x%056x\",\"device\":\"cuda:0\"", module * 2654435761u, module);
}

static void
end(struct generator *generator)
{
  kiln_buf_text_append(&generator->buf, "}\n");
  if (generator->buf.len < CHUNK_BYTES)
    return;
  if (!kiln_fd_write(generator->fd, generator->buf.data, generator->buf.len) || generator->buf.failed)
    generator->failed = true;
  kiln_buf_clear(&generator->buf);
}

static void
write_declare(struct generator *generator, unsigned module)
{
  begin(generator, "declare", true);
  module_fields(generator, module);
  kiln_buf_printf(&generator->buf,
      ",\"kernel\":\"integrate_bodies_%u\",\"where\":{\"file\":\"/home/user/project/simulation/solvers/kernels_%u.py\","
      "\"line\":%u},\"loaded\":false",
      draw(generator, DECLARES), module, draw(generator, 2000));
  end(generator);
}

static void
write_build(struct generator *generator, unsigned module)
{
  begin(generator, "compile", true);
  identity_fields(generator, module);
  kiln_buf_printf(&generator->buf,
      ",\"step\":\"module\",\"toolchain\":\"nvrtc\",\"result\":\"%s\",\"bytes\":%u,\"digest\":\"%016x\",\"lto\":0,"
      "\"path\":\"/home/user/.cache/warp/1.19.0/wp_kernels_%u\",\"where\":{\"file\":\"/home/user/project/main.py\","
      "\"line\":%u}",
      draw(generator, 2) ? "compiled" : "cached", draw(generator, 90000), module, module, draw(generator, 900));
  end(generator);
}

static void
write_hash(struct generator *generator, unsigned module, bool with_kernels)
{
  begin(generator, "hash", true);
  identity_fields(generator, module);
  if (with_kernels) {
    kiln_buf_text_append(&generator->buf, ",\"kernels\":{");
    for (unsigned i = 0; i < 8; i++)
      kiln_buf_printf(&generator->buf, "%s\"kernel_%u\":\"%016x\"", i ? "," : "", i, module * 31 + i);
    kiln_buf_text_append(&generator->buf, "},\"options\":{\"mode\":\"release\",\"max_unroll\":\"16\"}");
  }
  end(generator);
}

static void
write_other(struct generator *generator, unsigned module, unsigned kind)
{
  static const char *const kinds[] = {"load", "lookup", "import", "codegen"};
  begin(generator, kinds[kind], true);
  if (kind == 0)
    identity_fields(generator, module);
  else if (kind != 2)
    module_fields(generator, module);
  if (kind == 2)
    kiln_buf_printf(&generator->buf, ",\"depth\":0,\"name\":\"package_%u.subpackage.module_%u\"", module % 9, module);
  else
    kiln_buf_printf(&generator->buf, ",\"result\":\"cached\",\"kernel\":\"integrate_bodies_%u\"", draw(generator, 900));
  end(generator);
}

static void
write_event(struct generator *generator, long i)
{
  unsigned module = draw(generator, MODULES), choice = draw(generator, 100);
  if (i < MODULES)
    write_hash(generator, (unsigned)i, true);
  else if (draw(generator, 1000) < 50) /* 5 %: 50 000 of a million */
    write_declare(generator, module);
  else if (choice < 2)
    write_build(generator, module);
  else if (choice < 25)
    write_hash(generator, module, false);
  else
    write_other(generator, module, choice % 4);
}

static bool
generate(const char *path, long events)
{
  struct generator generator = {.fd = kiln_fd_open(path, KILN_OPEN_WRITE | KILN_OPEN_NEW), .t = 1000000, .seed = 42};
  if (generator.fd < 0)
    return false;
  for (long i = 0; i < events; i++)
    write_event(&generator, i);
  if (!kiln_fd_write(generator.fd, kiln_buf_text(&generator.buf), generator.buf.len))
    generator.failed = true;
  kiln_fd_close(generator.fd);
  kiln_buf_release(&generator.buf);
  return !generator.failed;
}

static bool
parse_line(void *context, const char *line, size_t len)
{
  uint64_t *parsed = context;
  cJSON *tree = cJSON_ParseWithLength(line, len);
  *parsed += tree != NULL;
  cJSON_Delete(tree);
  return true;
}

/* CPU seconds of the floor; negative when the file cannot be read. */
static double
parse_all(const char *path)
{
  uint64_t begun = kiln_clock_process_cpu(), parsed = 0;
  struct kiln_lines lines;
  int fd = kiln_fd_open(path, KILN_OPEN_READ);
  char *chunk = malloc(CHUNK_BYTES);
  long got = -1;
  kiln_lines_init(&lines);
  while (fd >= 0 && chunk && (got = kiln_fd_read(fd, chunk, CHUNK_BYTES)) > 0)
    kiln_lines_feed(&lines, chunk, (size_t)got, parse_line, &parsed);
  kiln_lines_release(&lines);
  free(chunk);
  kiln_fd_close(fd);
  printf("lines parsed:         %" PRIu64 "\n", parsed);
  return got < 0 ? -1 : (double)(kiln_clock_process_cpu() - begun) / 1e9;
}

static double
read_model(const char *folder)
{
  struct kiln_error error = {0};
  uint64_t begun = kiln_clock_process_cpu();
  struct kiln_model *model = kiln_model_new();
  if (!model || kiln_model_read(model, folder, &error) != KILN_OK || kiln_model_finish(model, &error) != KILN_OK) {
    fprintf(stderr, "%s\n", error.what);
    kiln_model_free(model);
    return -1;
  }
  double cpu = (double)(kiln_clock_process_cpu() - begun) / 1e9;
  printf("events in the model:  %" PRIu64 " (%.0f MB), %zu builds, %zu loads, %zu declarations, %" PRIu64 " bad\n",
      model->events, (double)model->event_bytes / 1e6, model->build_count, model->load_count, model->declaration_count,
      model->bad_lines);
  kiln_model_free(model);
  return cpu;
}

/* VmHWM in MB; 0 where the system does not tell. */
static double
peak_memory(void)
{
  struct kiln_buf buf;
  double peak = 0;
  kiln_buf_init(&buf);
  if (kiln_file_read("/proc/self/status", 1 << 20, &buf, NULL) == KILN_OK) {
    const char *line = strstr(kiln_buf_text(&buf), "VmHWM:");
    peak = line ? strtod(line + 6, NULL) / 1000 : 0;
  }
  kiln_buf_release(&buf);
  return peak;
}

static int
run(const char *folder, long events)
{
  struct kiln_buf path;
  kiln_buf_init(&path);
  bool ready = generate(kiln_text_join(&path, folder, "4242.1.jsonl"), events);
  double floor_cpu = ready ? parse_all(path.data) : -1;
  double model_cpu = floor_cpu >= 0 ? read_model(folder) : -1;
  kiln_buf_release(&path);
  if (model_cpu < 0) {
    fprintf(stderr, "the benchmark could not run in '%s'\n", folder);
    return 1;
  }
  printf("parsing alone:        %.2f s CPU\n", floor_cpu);
  printf("model:                %.2f s CPU\n", model_cpu);
  printf("ratio:                %.2f (goal: at most 2.0)\n", floor_cpu > 0 ? model_cpu / floor_cpu : 0);
  printf("peak memory:          %.0f MB (goal: below 300)\n", peak_memory());
  return 0;
}

int
main(int argc, char **argv)
{
  struct kiln_error error = {0};
  struct kiln_buf folder;
  uint64_t events = 1000000;
  if (argc > 2 || (argc == 2 && !kiln_text_parse_uint(argv[1], &events)) || events > 100000000) {
    fprintf(stderr, "usage: %s [EVENTS]\n", argv[0]);
    return 2;
  }
  kiln_buf_init(&folder);
  int code = 1;
  if (kiln_folder_make_private(kiln_folder_temporary(), "kiln-bench-", &folder, &error) == KILN_OK) {
    code = run(folder.data, (long)events);
    kiln_folder_remove(folder.data, NULL);
  } else {
    fprintf(stderr, "%s\n", error.what);
  }
  kiln_buf_release(&folder);
  return code;
}
