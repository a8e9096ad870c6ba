#include <string.h>

#include "base/json_write.h"
#include "base/text.h"
#include "cmd_op.h"
#include "kiln/op.h"
#include "op.h"
#include "op/text.h"
#include "op/tool/ahead.h"

enum { OPTION_AHEAD = 1, OPTION_BUILD };

static const struct kiln_cli_option options[] = {
    {"json", 0, NULL, "as JSON"},
    [OPTION_AHEAD] = {"ahead", 0, "TARGET,…", "the kernels to build ahead for cpu, sm80, sm90a …, instead"},
    [OPTION_BUILD] = {"build", 0, NULL, "build them into the store"},
};

struct request {
  struct kiln_cli_op op;
  const char *ahead;
  bool build;
  /* of a listing */
  struct kiln_buf out;
  struct kiln_json json;
  struct kiln_error error;
};

static int
take(void *context, size_t option, const char *value)
{
  struct request *request = context;
  if (option == OPTION_AHEAD) {
    request->ahead = value;
  } else {
    request->build = true;
  }
  return 0;
}

static void
write_op(struct kiln_json *json, const struct kiln_op *op)
{
  struct kiln_buf variants;
  kiln_buf_init(&variants);
  kiln_text_variants(&variants, op);
  kiln_json_object(json);
  kiln_json_key(json, "op");
  kiln_json_string(json, op->name);
  kiln_json_key(json, "family");
  kiln_json_string(json, op->family);
  kiln_json_key(json, "description");
  kiln_json_string(json, op->doc);
  kiln_json_key(json, "variants");
  kiln_json_string(json, kiln_buf_text(&variants));
  kiln_json_object_end(json);
  kiln_buf_release(&variants);
}

static int
list(bool as_json)
{
  const struct kiln_op *op;
  struct kiln_buf out;
  struct kiln_json json;
  size_t i;
  int code;
  kiln_buf_init(&out);
  kiln_json_init(&json, &out, true);
  if (as_json) {
    kiln_json_array(&json);
  }
  for (i = 0; (op = kiln_op_at(i)) != NULL; i++) {
    if (as_json) {
      write_op(&json, op);
    } else {
      kiln_buf_printf(&out, "%-24s %-10s %s\n", op->name, op->family, op->doc);
    }
  }
  if (as_json) {
    kiln_json_array_end(&json);
    kiln_buf_text_append(&out, "\n");
  }
  code = kiln_cli_print(&out);
  kiln_buf_release(&out);
  return code;
}

/* ---- kernels to build ahead ---- */

static bool
visit(void *context, const struct kiln_ahead *ahead)
{
  struct request *request = context;
  enum kiln_result result = KILN_RESULT_HIT;
  double ms = 0;
  if (request->build && kiln_ahead_build(request->op.kiln, ahead, &result, &ms, &request->error) != KILN_OK) {
    return false;
  }
  if (request->op.json) {
    kiln_json_string(&request->json, ahead->uri);
  } else {
    kiln_buf_printf(&request->out, "%s%s\n", ahead->uri,
        !request->build               ? ""
        : result == KILN_RESULT_BUILT ? "  built"
                                      : "  there");
  }
  return true;
}

static int
list_target(struct request *request, const char *name)
{
  const struct kiln_op *op;
  struct kiln_target target;
  enum kiln_status status = KILN_OK;
  size_t i;
  if (!kiln_target_parse(name, &target)) {
    return kiln_cli_usage("--ahead: '%s' is no target; there are cpu and sm80, sm90a and the like.", name);
  }
  for (i = 0; status == KILN_OK && (op = kiln_op_at(i)) != NULL; i++) {
    if (request->op.word_count == 0 || kiln_text_equal(op->name, request->op.words[0])) {
      status = kiln_ahead_list(op, &target, visit, request, &request->error);
      status = status == KILN_OK ? request->error.status : status;
    }
  }
  return status == KILN_OK ? 0 : kiln_cli_op_complain(&request->error);
}

static int
list_targets(struct request *request)
{
  const char *at = request->ahead;
  char word[32];
  int code = 0;
  while (*at && code == 0) {
    const size_t len = strcspn(at, ",");
    if (len >= sizeof word) {
      return kiln_cli_usage("--ahead: '%s' is no target.", at);
    }
    memcpy(word, at, len);
    word[len] = '\0';
    code = list_target(request, word);
    at += len + (at[len] == ',');
  }
  return code;
}

static int
list_ahead(struct request *request)
{
  int code = KILN_EXIT_ENVIRONMENT, printed;
  if (request->op.word_count > 0 && !kiln_cli_op_find(request->op.words[0])) {
    return KILN_EXIT_USAGE;
  }
  if (kiln_cli_op_open(&request->op, &request->error) != KILN_OK) {
    kiln_cli_op_close(&request->op);
    return kiln_cli_complain(&request->error);
  }
  kiln_buf_init(&request->out);
  kiln_json_init(&request->json, &request->out, true);
  if (request->op.json) {
    kiln_json_array(&request->json);
  }
  code = list_targets(request);
  if (request->op.json) {
    kiln_json_array_end(&request->json);
    kiln_buf_text_append(&request->out, "\n");
  }
  printed = code == KILN_EXIT_USAGE ? 0 : kiln_cli_print(&request->out);
  kiln_buf_release(&request->out);
  kiln_cli_op_close(&request->op);
  return printed ? printed : code;
}

static int
run_list(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct request request = {.op = {.command = command, .most_words = 1}};
  int code;
  if (!kiln_cli_op_parse(&request.op, argc, argv, false, take, &request, &code)) {
    return code;
  }
  if (request.ahead) {
    return list_ahead(&request);
  }
  if (request.build || request.op.word_count > 0) {
    return kiln_cli_usage("An op and --build belong to --ahead, the list of kernels to build for a target.");
  }
  return list(request.op.json);
}

static const char examples[] = "  kiln op list\n"
                               "  kiln op list --json | jq -r '.[].op'\n"
                               "  kiln op list --ahead sm90a rmsnorm\n"
                               "  kiln op list --ahead sm80,sm90a --build\n";

const struct kiln_cli_command kiln_cmd_op_list = {"op list", "the ops of this kiln, and their kernels to build ahead",
    "[options] [OP]", examples, options, sizeof options / sizeof *options, NULL, run_list};
