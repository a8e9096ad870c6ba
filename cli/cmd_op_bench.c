#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd_op.h"
#include "kiln/op.h"
#include "op.h"
#include "op/tool/page.h"
#include "op_bench_result.h"

enum { OPTION_ROUNDS = KILN_CLI_OP_OWN, OPTION_VS, OPTION_ALL };

static const struct kiln_cli_option options[] = {
    KILN_CLI_OP_OPTIONS,
    [OPTION_ROUNDS] = {"rounds", 0, "N", "timed rounds, 3 to 101 (default: 31)"},
    [OPTION_VS] = {"vs", 0, "torch", "the same calls by PyTorch beside it (KILN_BENCH_PYTHON, else python3)"},
    [OPTION_ALL] = {"all", 0, NULL, "every op, instead of one that is named"},
};

struct request {
  struct kiln_cli_op op;
  uint64_t rounds;
  bool torch, all;
  struct kiln_bench_row *rows;
  unsigned count;
  struct kiln_calls calls; /* of the rows that are right */
  char version[64];        /* of torch */
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
  if (option == OPTION_ALL) {
    request->all = true;
    return 0;
  }
  request->torch = kiln_text_equal(value, "torch");
  return request->torch ? 0 : kiln_cli_usage("--vs is torch, not '%s'.", value);
}

/* ---- kiln's own ---- */

static struct kiln_bench_row *
new_row(struct request *request, const struct kiln_trial *trial)
{
  struct kiln_bench_row *rows = realloc(request->rows, (request->count + 1) * sizeof *rows);
  if (!rows) {
    return NULL;
  }
  request->rows = rows;
  struct kiln_bench_row *row = &rows[request->count];
  *row = (struct kiln_bench_row){.op = trial->op};
  snprintf(
      row->device, sizeof row->device, trial->device.type == KILN_DEVICE_CPU ? "cpu" : "cuda:%d", trial->device.id);
  kiln_buf_init(&row->what);
  kiln_matrix_describe(trial, &row->what);
  return row;
}

/* All of them take minutes: a word on each, and what is known of it should the rest never come. */
static void
say_progress(const struct request *request, const struct kiln_bench_row *row)
{
  if (request->all) {
    fprintf(stderr, "kiln: %s %s: %.2f us, a copy %.2f us\n", row->op->name, kiln_buf_text(&row->what),
        kiln_series_quantile(&row->bench.call, 0.5) * 1e6, kiln_series_quantile(&row->bench.copy, 0.5) * 1e6);
  }
}

/* The row becomes one of the request's when the trial could be timed. */
static enum kiln_status
fill_row(struct request *request, struct kiln_trial *trial, struct kiln_bench_row *row, struct kiln_error *error)
{
  const enum kiln_status status = kiln_bench_trial(trial, (unsigned)request->rounds, &row->bench, error);
  if (status == KILN_OK) {
    request->count++;
    say_progress(request, row);
    row->compared = request->torch && row->bench.run.result.ok;
    if (row->compared) {
      kiln_calls_add(&request->calls, trial, row->bench.sets);
    }
  } else {
    kiln_buf_release(&row->what);
  }
  kiln_trial_release(trial);
  return status;
}

static int
bench_one(struct request *request, struct kiln_trial *trial)
{
  struct kiln_error error = {0};
  struct kiln_bench_row *row = new_row(request, trial);
  if (!row) {
    kiln_error_set(&error, KILN_ERROR_MEMORY, "memory is short for one more row behind %u", request->count);
    return kiln_cli_complain(&error);
  }
  return fill_row(request, trial, row, &error) == KILN_OK ? 0 : kiln_cli_op_complain(&error);
}

/* One shape from the command line, or all of the table's. */
static int
bench_op(struct request *request, const struct kiln_op *op)
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
    if (kiln_form_is_far(trial.form)) {
      return kiln_cli_usage(
          "--form %s is for 'kiln op run': many sets of such tensors fill any memory.", kiln_form_name(trial.form));
    }
    code = bench_one(request, &trial);
  }
  return code;
}

static int
bench_all(struct request *request)
{
  const struct kiln_op *op;
  int code = 0;
  size_t i;
  for (i = 0; code == 0 && (op = kiln_op_at(i)) != NULL; i++) {
    code = bench_op(request, op);
  }
  return code;
}

/* ---- PyTorch's ---- */

static int
compare(struct request *request)
{
  struct kiln_error error = {0};
  struct kiln_other *others = calloc(request->calls.count + 1, sizeof *others);
  enum kiln_status status = KILN_ERROR_MEMORY;
  unsigned i, call = 0;
  if (request->all) {
    fprintf(stderr, "kiln: %u calls of PyTorch\n", request->calls.count);
  }
  if (!others) {
    kiln_error_set(&error, status, "memory is short for %u comparisons", request->calls.count);
    return kiln_cli_complain(&error);
  }
  status = kiln_other_torch(request->op.kiln, &request->calls, request->rows[0].device, (unsigned)request->rounds,
      others, request->version, &error);
  for (i = 0; i < request->count; i++) {
    if (request->rows[i].compared) {
      request->rows[i].other = others[call++];
    }
  }
  free(others);
  return status == KILN_OK ? 0 : kiln_cli_op_complain(&error);
}

/* ---- the command ---- */

static int
print(const struct request *request)
{
  struct kiln_buf out;
  struct kiln_json json;
  unsigned i;
  int code;
  kiln_buf_init(&out);
  kiln_json_init(&json, &out, true);
  if (request->op.json) {
    kiln_json_array(&json);
  }
  for (i = 0; i < request->count; i++) {
    if (request->op.json) {
      kiln_bench_row_json(&request->rows[i], request->torch ? request->version : NULL, &json);
    } else {
      kiln_bench_row_text(&request->rows[i], &out);
    }
  }
  if (request->op.json) {
    kiln_json_array_end(&json);
    kiln_buf_text_append(&out, "\n");
  } else if (*request->version) {
    kiln_buf_printf(&out, "torch is %s\n", request->version);
  }
  code = kiln_cli_print(&out);
  kiln_buf_release(&out);
  return code;
}

/* A wrong result of kiln weighs more than a comparison that could not be made. */
static int
verdict(const struct request *request)
{
  int code = 0;
  unsigned i;
  for (i = 0; i < request->count; i++) {
    if (!request->rows[i].bench.run.result.ok) {
      return KILN_EXIT_NO;
    }
    if (*request->rows[i].other.says) {
      code = KILN_EXIT_INVALID;
    }
  }
  return code;
}

/* What was measured is printed, whatever ended the rest. */
static int
finish(struct request *request, int code)
{
  int printed = 0;
  unsigned i;
  if (request->calls.count > 0) {
    const int compared = compare(request);
    code = code ? code : compared;
  }
  if (code != KILN_EXIT_USAGE) {
    printed = print(request);
  }
  code = code ? code : verdict(request);
  for (i = 0; i < request->count; i++) {
    kiln_buf_release(&request->rows[i].what);
  }
  return printed ? printed : code;
}

static int
run(struct request *request)
{
  const struct kiln_op *op;
  int code = KILN_EXIT_USAGE;
  kiln_calls_init(&request->calls);
  if (request->all) {
    code = finish(request, bench_all(request));
  } else if ((op = kiln_cli_op_find(request->op.words[0])) != NULL) {
    code = finish(request, bench_op(request, op));
  }
  free(request->rows);
  kiln_calls_release(&request->calls);
  return code;
}

/* What says something of one op is not said of all. */
static int
check_words(const struct request *request)
{
  const struct kiln_cli_op *op = &request->op;
  if (op->in_place) {
    return kiln_cli_usage("--in-place is for 'kiln op run': a benchmark needs its inputs again.");
  }
  if (!request->all) {
    return op->word_count ? 0 : kiln_cli_usage("'kiln op bench' needs the name of an op; 'kiln op list' lists them.");
  }
  if (op->word_count) {
    return kiln_cli_usage("--all is every op; '%s' names one of them.", op->words[0]);
  }
  return op->shape || op->axis_count || op->dtype || op->set_count || op->give
             ? kiln_cli_usage("--all takes sizes, dtypes and numbers from the tables; name an op to set them.")
             : 0;
}

static int
run_bench(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct request request = {.op = {.command = command, .most_words = 1}, .rounds = 31};
  struct kiln_error error = {0};
  enum kiln_status status;
  int code;
  if (!kiln_cli_op_parse(&request.op, argc, argv, true, take, &request, &code)) {
    return code;
  }
  code = check_words(&request);
  if (code) {
    return code;
  }
  status = kiln_cli_op_open(&request.op, &error);
  if (status == KILN_OK && request.torch) {
    status = kiln_other_ready(request.op.kiln, &error);
  }
  code = status == KILN_OK ? run(&request) : kiln_cli_complain(&error);
  kiln_cli_op_close(&request.op);
  return code;
}

static const char examples[] = "  kiln op bench rmsnorm --device cuda\n"
                               "  kiln op bench rmsnorm --device cuda --vs torch --json > rmsnorm.json\n"
                               "  kiln op bench rmsnorm --shape 64,4096 --dtype f32\n"
                               "  kiln op bench --all --device cuda --vs torch\n";

const struct kiln_cli_command kiln_cmd_op_bench = {"op bench", "how long an op takes, checked in the same run",
    "[options] OP", examples, options, sizeof options / sizeof *options, NULL, run_bench};
