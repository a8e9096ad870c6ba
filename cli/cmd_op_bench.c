#include <stdio.h>
#include <string.h>

#include "base/json_write.h"
#include "base/text.h"
#include "cmd_op.h"
#include "kiln/op.h"
#include "op.h"
#include "op/tool/page.h"
#include "op_other.h"

enum { OPTION_ROUNDS = KILN_CLI_OP_OWN, OPTION_VS };

static const struct kiln_cli_option options[] = {
    KILN_CLI_OP_OPTIONS,
    [OPTION_ROUNDS] = {"rounds", 0, "N", "timed rounds, 3 to 101 (default: 31)"},
    [OPTION_VS] = {"vs", 0, "torch", "the same op of PyTorch beside it (KILN_BENCH_PYTHON, else python3)"},
};

struct request {
  struct kiln_cli_op op;
  uint64_t rounds;
  bool torch;
  struct kiln_buf out;
  struct kiln_json json;
  unsigned wrong;
};

static int
take(void *context, size_t option, const char *value)
{
  struct request *request = context;
  if (option == OPTION_ROUNDS) {
    return kiln_text_parse_uint(value, &request->rounds) && request->rounds >= 3 && request->rounds <= KILN_BENCH_MOST
               ? 0
               : kiln_cli_usage("--rounds is a number from 3 to %d, not '%s'.", KILN_BENCH_MOST, value);
  }
  request->torch = kiln_text_equal(value, "torch");
  return request->torch ? 0 : kiln_cli_usage("--vs is torch, not '%s'.", value);
}

/* ---- results ---- */

static void
series_json(struct kiln_json *json, const char *name, const struct kiln_series *series, uint64_t bytes)
{
  const double median = kiln_series_quantile(series, 0.5);
  kiln_json_key(json, name);
  if (series->count == 0) {
    kiln_json_null(json);
    return;
  }
  kiln_json_object(json);
  kiln_json_key(json, "median_us");
  kiln_json_double(json, median * 1e6);
  kiln_json_key(json, "p10_us");
  kiln_json_double(json, kiln_series_quantile(series, 0.1) * 1e6);
  kiln_json_key(json, "p90_us");
  kiln_json_double(json, kiln_series_quantile(series, 0.9) * 1e6);
  kiln_json_key(json, "n");
  kiln_json_uint(json, series->count);
  kiln_json_key(json, "gb_per_s");
  kiln_json_double(json, median > 0 ? (double)bytes / median / 1e9 : 0);
  kiln_json_object_end(json);
}

static void
write_json(struct request *request, const struct kiln_trial *trial, const char *what, const struct kiln_bench *bench,
    const struct kiln_other *other)
{
  struct kiln_json *json = &request->json;
  char device[32];
  snprintf(device, sizeof device, trial->device.type == KILN_DEVICE_CPU ? "cpu" : "cuda:%d", trial->device.id);
  kiln_json_object(json);
  kiln_json_key(json, "op");
  kiln_json_string(json, trial->op->name);
  kiln_json_key(json, "device");
  kiln_json_string(json, device);
  kiln_json_key(json, "case");
  kiln_json_string(json, what);
  kiln_json_key(json, "variant");
  kiln_json_string(json, bench->run.variant);
  kiln_json_key(json, "ok");
  kiln_json_bool(json, bench->run.result.ok);
  kiln_json_key(json, "max_abs_err");
  kiln_json_double(json, bench->run.result.max_abs_err);
  kiln_json_key(json, "timer");
  kiln_json_string(json, bench->timer);
  kiln_json_key(json, "bytes");
  kiln_json_uint(json, bench->bytes);
  kiln_json_key(json, "buffer_sets");
  kiln_json_uint(json, bench->sets);
  series_json(json, "kiln", &bench->call, bench->bytes);
  series_json(json, "copy", &bench->copy, bench->bytes);
  if (request->torch) {
    series_json(json, "torch", &other->series, bench->bytes);
    kiln_json_key(json, "torch_version");
    kiln_json_string(json, *other->version ? other->version : NULL);
  }
  kiln_json_object_end(json);
}

static void
line(struct kiln_buf *out, const char *name, const struct kiln_series *series, uint64_t bytes)
{
  const double median = kiln_series_quantile(series, 0.5);
  if (series->count > 0) {
    kiln_buf_printf(out, "  %-6s %10.2f us  (%.2f … %.2f, n %u)  %8.1f GB/s\n", name, median * 1e6,
        kiln_series_quantile(series, 0.1) * 1e6, kiln_series_quantile(series, 0.9) * 1e6, series->count,
        median > 0 ? (double)bytes / median / 1e9 : 0);
  }
}

static void
write_text(struct request *request, const struct kiln_trial *trial, const char *what, const struct kiln_bench *bench,
    const struct kiln_other *other)
{
  struct kiln_buf *out = &request->out;
  const double copy = kiln_series_quantile(&bench->copy, 0.5), own = kiln_series_quantile(&bench->call, 0.5);
  if (!bench->run.result.ok) {
    kiln_buf_printf(out, "%s %s: wrong, so not timed: %s\n", trial->op->name, what, bench->run.result.worst);
    return;
  }
  kiln_buf_printf(out, "%s %s\n  %s; %s, %u sets of buffers; checked, largest error %.3g\n", trial->op->name, what,
      bench->run.variant, bench->timer, bench->sets, bench->run.result.max_abs_err);
  line(out, "kiln", &bench->call, bench->bytes);
  line(out, "copy", &bench->copy, bench->bytes);
  line(out, "torch", &other->series, bench->bytes);
  if (own > 0 && copy > 0) {
    kiln_buf_printf(out, "  %.1f %% of the copy's bandwidth\n", copy / own * 100);
  }
}

/* ---- running ---- */

static enum kiln_status
compare(struct request *request, const struct kiln_trial *trial, struct kiln_other *other, struct kiln_error *error)
{
  memset(other, 0, sizeof *other);
  return request->torch ? kiln_other_torch(trial, (unsigned)request->rounds, other, error) : KILN_OK;
}

static int
bench_one(struct request *request, struct kiln_trial *trial)
{
  struct kiln_bench bench;
  struct kiln_other other;
  struct kiln_error error = {0};
  struct kiln_buf what;
  enum kiln_status status;
  kiln_buf_init(&what);
  kiln_matrix_describe(trial, &what);
  status = kiln_bench_trial(trial, (unsigned)request->rounds, &bench, &error);
  if (status == KILN_OK) {
    status = compare(request, trial, &other, &error);
  }
  if (status == KILN_OK) {
    (request->op.json ? write_json : write_text)(request, trial, kiln_buf_text(&what), &bench, &other);
    request->wrong += !bench.run.result.ok;
  }
  kiln_buf_release(&what);
  return status == KILN_OK ? 0 : kiln_cli_op_complain(&error);
}

/* One shape from the command line, or all of the table's. */
static int
bench_all(struct request *request, const struct kiln_op *op)
{
  const bool one = request->op.shape || request->op.axis_count > 0;
  struct kiln_trial trial;
  unsigned i;
  int code = 0;
  for (i = 0; i < (one ? 1u : op->nbenches) && code == 0; i++) {
    kiln_definition_trial(op, &trial);
    const struct kiln_trial types = trial;
    kiln_trial_init(&trial, request->op.kiln, op, &op->benches[i]);
    memcpy(trial.type, types.type, sizeof trial.type);
    if (!kiln_cli_op_place(&request->op, &trial, &code) || !kiln_cli_op_apply(&request->op, &trial, &code)) {
      break;
    }
    code = bench_one(request, &trial);
  }
  return code;
}

static int
run(struct request *request)
{
  const struct kiln_op *op = kiln_cli_op_find(request->op.words[0]);
  int code, printed;
  if (!op) {
    return KILN_EXIT_USAGE;
  }
  kiln_buf_init(&request->out);
  kiln_json_init(&request->json, &request->out, true);
  if (request->op.json) {
    kiln_json_array(&request->json);
  }
  code = bench_all(request, op);
  if (request->op.json) {
    kiln_json_array_end(&request->json);
    kiln_buf_text_append(&request->out, "\n");
  }
  printed = code == KILN_EXIT_USAGE ? 0 : kiln_cli_print(&request->out);
  kiln_buf_release(&request->out);
  if (code == 0 && request->wrong) {
    code = KILN_EXIT_NO;
  }
  return printed ? printed : code;
}

static int
run_bench(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct request request = {.op = {.command = command, .most_words = 1}, .rounds = 31};
  struct kiln_error error = {0};
  int code;
  if (!kiln_cli_op_parse(&request.op, argc, argv, true, take, &request, &code)) {
    return code;
  }
  if (request.op.word_count == 0) {
    return kiln_cli_usage("'kiln op bench' needs the name of an op; 'kiln op list' lists them.");
  }
  if (request.op.in_place) {
    return kiln_cli_usage("--in-place is for 'kiln op run': a benchmark needs its inputs again.");
  }
  if (kiln_cli_op_open(&request.op, &error) != KILN_OK) {
    kiln_cli_op_close(&request.op);
    return kiln_cli_complain(&error);
  }
  code = run(&request);
  kiln_cli_op_close(&request.op);
  return code;
}

static const char examples[] = "  kiln op bench rmsnorm --device cuda\n"
                               "  kiln op bench rmsnorm --device cuda --vs torch --json > rmsnorm.json\n"
                               "  kiln op bench rmsnorm --shape 64,4096 --dtype f32\n";

const struct kiln_cli_command kiln_cmd_op_bench = {"op bench", "how long an op takes, checked in the same run",
    "[options] OP", examples, options, sizeof options / sizeof *options, NULL, run_bench};
