#include <stdio.h>
#include <string.h>

#include "base/json_write.h"
#include "base/text.h"
#include "cmd_op.h"
#include "kiln/op.h"
#include "op.h"
#include "op/tool/calls.h"
#include "os/file.h"

enum { OPTION_CALLS = KILN_CLI_OP_OWN, OPTION_MATRIX, OPTION_ALL, OPTION_SAVE };

static const struct kiln_cli_option options[] = {
    KILN_CLI_OP_OPTIONS,
    [OPTION_CALLS] = {"calls", 0, "N", "calls that are timed behind the first (default: 20)"},
    [OPTION_MATRIX] = {"matrix", 0, NULL, "every shape, dtype, stride form and layout of the op's table"},
    [OPTION_ALL] = {"all", 0, NULL, "the same for every op"},
    [OPTION_SAVE] = {"save", 0, "FOLDER", "what each call is given, as files for other programs (docs/ops.md)"},
};

struct request {
  struct kiln_cli_op op;
  uint64_t calls;
  bool matrix, all;
  unsigned passed, failed, unsupported, too_large;
  const char *save; /* a folder, or NULL */
  struct kiln_calls saved;
  struct kiln_buf out;
  struct kiln_json json;
};

static int
take(void *context, size_t option, const char *value)
{
  struct request *request = context;
  if (option == OPTION_CALLS) {
    return kiln_text_parse_uint(value, &request->calls) && request->calls <= 1000000
               ? 0
               : kiln_cli_usage("--calls is a number up to 1000000, not '%s'.", value);
  }
  if (option == OPTION_SAVE) {
    request->save = value;
    return *value ? 0 : kiln_cli_usage("--save needs the name of a folder, not ''.");
  }
  request->matrix = true;
  request->all = request->all || option == OPTION_ALL;
  return 0;
}

/* ---- results ---- */

static void
write_json(struct request *request, const char *what, const struct kiln_trial *trial, const struct kiln_run *run,
    const char *why)
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
  kiln_json_string(json, *run->variant ? run->variant : NULL);
  kiln_json_key(json, "max_abs_err");
  kiln_json_double(json, run->result.max_abs_err);
  kiln_json_key(json, "max_rel_err");
  kiln_json_double(json, run->result.max_rel_err);
  kiln_json_key(json, "ok");
  kiln_json_bool(json, run->result.ok);
  kiln_json_key(json, "first_call_ms");
  kiln_json_double(json, run->first_call_ms);
  kiln_json_key(json, "call_us");
  kiln_json_double(json, run->call_us);
  kiln_json_key(json, "seed");
  kiln_json_uint(json, trial->seed);
  kiln_json_key(json, "why");
  kiln_json_string(json, why);
  kiln_json_object_end(json);
}

static void
write_text(struct request *request, const char *what, const struct kiln_trial *trial, const struct kiln_run *run,
    const char *why)
{
  struct kiln_buf *out = &request->out;
  kiln_buf_printf(out, "%s %s: %s\n", run->result.ok ? "ok  " : "FAIL", trial->op->name, what);
  if (*run->variant && (!request->matrix || !run->result.ok)) {
    kiln_buf_printf(out, "  variant     %s\n  largest error  %.3g absolute, %.3g relative\n", run->variant,
        run->result.max_abs_err, run->result.max_rel_err);
    kiln_buf_printf(out, "  first call  %.2f ms\n  call        %.2f us\n  seed        %llu\n", run->first_call_ms,
        run->call_us, (unsigned long long)trial->seed);
  }
  if (!run->result.ok) {
    kiln_buf_printf(out, "  %s\n", why ? why : "");
  }
}

/* ---- saving ---- */

/* The data again, from the same seed: what the call below does to it is not to be seen. Nobody wants gigabytes of room
 * in another program. */
static enum kiln_status
save_call(struct request *request, const struct kiln_trial *trial, struct kiln_error *error)
{
  struct kiln_trial own = *trial;
  enum kiln_status status;
  if (!request->save || kiln_form_is_far(trial->form)) {
    return KILN_OK;
  }
  status = kiln_trial_make(&own, error);
  if (status == KILN_OK) {
    kiln_calls_add(&request->saved, &own, 0);
  }
  kiln_trial_release(&own);
  return status;
}

static int
write_saved(struct request *request, int code)
{
  struct kiln_error error = {0};
  enum kiln_status status = KILN_OK;
  if (request->save && code == 0) {
    status = kiln_folder_make(request->save, &error);
    if (status == KILN_OK) {
      status = kiln_calls_write(&request->saved, request->save, &error);
    }
  }
  kiln_calls_release(&request->saved);
  return status == KILN_OK ? code : kiln_cli_complain(&error);
}

/* ---- running ---- */

/* A status that says something about this machine or this call, not about the kernel's result, ends the command. */
static int
run_one(struct request *request, struct kiln_trial *trial)
{
  struct kiln_run run = {0};
  struct kiln_error error = {0};
  struct kiln_buf what;
  enum kiln_status status;
  kiln_buf_init(&what);
  kiln_matrix_describe(trial, &what);
  status = save_call(request, trial, &error);
  if (status == KILN_OK) {
    status = kiln_run_trial(trial, (unsigned)(request->matrix ? 0 : request->calls), &run, &error);
  }
  if (status == KILN_OK) {
    const char *why = run.result.ok ? NULL : run.result.worst;
    (request->op.json ? write_json : write_text)(request, kiln_buf_text(&what), trial, &run, why);
    *(run.result.ok ? &request->passed : &request->failed) += 1;
  }
  if (request->matrix && status == KILN_ERROR_ENVIRONMENT && run.refusal == KILN_REFUSED_ARCH) {
    request->unsupported++; /* declared to be so: no failure of this device, and none of the op */
    status = KILN_OK;
  }
  if (request->matrix && status == KILN_ERROR_MEMORY && kiln_form_is_far(trial->form)) {
    request->too_large++; /* gigabytes of which little is used: not every machine has them */
    status = KILN_OK;
  }
  kiln_buf_release(&what);
  return status == KILN_OK ? 0 : kiln_cli_op_complain(&error);
}

static int
run_matrix(struct request *request, const struct kiln_op *op)
{
  struct kiln_matrix matrix = {.op = op};
  struct kiln_trial trial;
  int code = 0;
  while (code == 0 && kiln_matrix_next(&matrix, request->op.kiln, &trial)) {
    if (kiln_cli_op_place(&request->op, &trial, &code)) {
      code = run_one(request, &trial);
    }
  }
  return code;
}

static int
run_named(struct request *request)
{
  const struct kiln_op *op = kiln_cli_op_find(request->op.words[0]);
  struct kiln_trial trial;
  int code;
  if (!op) {
    return KILN_EXIT_USAGE;
  }
  if (request->matrix) {
    return run_matrix(request, op);
  }
  kiln_trial_init(&trial, request->op.kiln, op, &op->tests[0]);
  if (!kiln_cli_op_place(&request->op, &trial, &code) || !kiln_cli_op_apply(&request->op, &trial, &code)) {
    return code;
  }
  return run_one(request, &trial);
}

static int
run_all(struct request *request)
{
  const struct kiln_op *op;
  int code = 0;
  size_t i;
  for (i = 0; code == 0 && (op = kiln_op_at(i)) != NULL; i++) {
    code = run_matrix(request, op);
  }
  return code;
}

/* Cases that were not run are said where they are looked for. */
static void
say_left_out(struct request *request)
{
  if (!request->op.json) {
    kiln_buf_printf(&request->out, "%u ok, %u failed", request->passed, request->failed);
    if (request->unsupported) {
      kiln_buf_printf(&request->out, ", %u not supported here", request->unsupported);
    }
    if (request->too_large) {
      kiln_buf_printf(&request->out, ", %u left out for want of memory", request->too_large);
    }
    kiln_buf_text_append(&request->out, "\n");
    return;
  }
  if (request->unsupported) {
    fprintf(stderr, "kiln: %u cases are not supported on this device.\n", request->unsupported);
  }
  if (request->too_large) {
    fprintf(stderr, "kiln: %u cases were left out for want of memory.\n", request->too_large);
  }
}

static int
run(struct request *request)
{
  int code, printed;
  kiln_buf_init(&request->out);
  kiln_json_init(&request->json, &request->out, request->matrix);
  if (request->op.json && request->matrix) {
    kiln_json_array(&request->json);
  }
  kiln_calls_init(&request->saved);
  code = write_saved(request, request->all ? run_all(request) : run_named(request));
  if (request->op.json && request->matrix) {
    kiln_json_array_end(&request->json);
  }
  if (request->op.json && request->out.len > 0) {
    kiln_buf_text_append(&request->out, "\n");
  }
  if (request->matrix) {
    say_left_out(request);
  }
  printed = kiln_cli_print(&request->out);
  kiln_buf_release(&request->out);
  if (code == 0 && request->failed) {
    code = KILN_EXIT_NO;
  }
  return printed ? printed : code;
}

static int
run_run(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct request request = {.op = {.command = command, .most_words = 1}, .calls = 20};
  struct kiln_error error = {0};
  int code;
  if (!kiln_cli_op_parse(&request.op, argc, argv, true, take, &request, &code)) {
    return code;
  }
  if (!request.all && request.op.word_count == 0) {
    return kiln_cli_usage("'kiln op run' needs the name of an op; 'kiln op list' lists them.");
  }
  if (kiln_cli_op_open(&request.op, &error) != KILN_OK) {
    kiln_cli_op_close(&request.op);
    return kiln_cli_complain(&error);
  }
  code = run(&request);
  kiln_cli_op_close(&request.op);
  return code;
}

static const char examples[] = "  kiln op run rmsnorm --device cpu --shape 4,4096 --dtype bf16\n"
                               "  kiln op run rmsnorm --set eps=1e-5 --json | jq .max_abs_err\n"
                               "  kiln op run --all --device cuda\n";

const struct kiln_cli_command kiln_cmd_op_run = {"op run",
    "run an op on fresh random data and compare it with its reference", "[options] OP", examples, options,
    sizeof options / sizeof *options, NULL, run_run};
