#include <stdio.h>
#include <string.h>

#include "base/json_write.h"
#include "cmd_op.h"
#include "op.h"
#include "op/tool/check.h"
#include "registry/op.h"

enum { OPTION_UPDATE = 1 };

static const struct kiln_cli_option options[] = {
    {"json", 0, NULL, "as JSON"},
    [OPTION_UPDATE] = {"update", 0, NULL, "write header, page and definition anew where they are behind"},
};

struct request {
  struct kiln_cli_op op;
  bool update;
};

static int
take(void *context, size_t option, const char *value)
{
  (void)option;
  (void)value;
  ((struct request *)context)->update = true;
  return 0;
}

/* The ops that are named, or all and the registry. */
static enum kiln_status
check(const struct request *request, struct kiln_op_checking *checking, struct kiln_error *error)
{
  const struct kiln_op *op;
  enum kiln_status status = KILN_OK;
  size_t i;
  for (i = 0; i < request->op.word_count && status == KILN_OK; i++) {
    status = kiln_op_check_layers(checking, kiln_op_find(request->op.words[i]), error);
  }
  if (request->op.word_count > 0) {
    return status;
  }
  for (i = 0; status == KILN_OK && (op = kiln_op_at(i)) != NULL; i++) {
    status = kiln_op_check_layers(checking, op, error);
  }
  return status == KILN_OK ? kiln_op_check_registry(checking, error) : status;
}

static void
write_json(const struct kiln_op_checking *checking, const struct kiln_buf *lines, struct kiln_buf *out)
{
  struct kiln_json json;
  const char *at = kiln_buf_text(lines);
  kiln_json_init(&json, out, true);
  kiln_json_object(&json);
  kiln_json_key(&json, "ok");
  kiln_json_bool(&json, checking->found == 0);
  kiln_json_key(&json, "disagreements");
  kiln_json_array(&json);
  while (*at) {
    const size_t len = strcspn(at, "\n");
    kiln_json_string_n(&json, at, len);
    at += len + (at[len] == '\n');
  }
  kiln_json_array_end(&json);
  kiln_json_key(&json, "files_written");
  kiln_json_uint(&json, checking->written);
  kiln_json_key(&json, "not_checked");
  kiln_json_string(&json, checking->notes.len ? kiln_buf_text(&checking->notes) : NULL);
  kiln_json_object_end(&json);
  kiln_buf_text_append(out, "\n");
}

static int
report(const struct request *request, struct kiln_op_checking *checking)
{
  struct kiln_buf out;
  int code;
  kiln_buf_init(&out);
  if (request->op.json) {
    write_json(checking, checking->out, &out);
  } else {
    kiln_buf_append(&out, kiln_buf_text(checking->out), checking->out->len);
    if (checking->written) {
      kiln_buf_printf(&out, "%u files written\n", checking->written);
    }
    kiln_buf_printf(&out, checking->found ? "%u disagreements\n" : "every layer agrees\n", checking->found);
    fputs(kiln_buf_text(&checking->notes), stderr);
  }
  code = kiln_cli_print(&out);
  kiln_buf_release(&out);
  return code ? code : checking->found ? KILN_EXIT_NO : KILN_EXIT_YES;
}

static int
run_check(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct request request = {.op = {.command = command, .most_words = 8}};
  struct kiln_op_checking checking = {.out = NULL};
  struct kiln_error error = {0};
  struct kiln_buf lines;
  unsigned i;
  int code;
  if (!kiln_cli_op_parse(&request.op, argc, argv, false, take, &request, &code)) {
    return code;
  }
  for (i = 0; i < request.op.word_count; i++) {
    if (!kiln_cli_op_find(request.op.words[i])) {
      return KILN_EXIT_USAGE;
    }
  }
  if (kiln_cli_op_open(&request.op, &error) != KILN_OK) {
    kiln_cli_op_close(&request.op);
    return kiln_cli_complain(&error);
  }
  kiln_buf_init(&lines);
  kiln_buf_init(&checking.notes);
  checking.kiln = request.op.kiln;
  checking.update = request.update;
  checking.out = &lines;
  code = check(&request, &checking, &error) == KILN_OK ? report(&request, &checking) : kiln_cli_complain(&error);
  kiln_buf_release(&lines);
  kiln_buf_release(&checking.notes);
  kiln_cli_op_close(&request.op);
  return code;
}

static const char examples[] = "  kiln op check\n"
                               "  kiln op check rmsnorm --update\n";

const struct kiln_cli_command kiln_cmd_op_check = {"op check", "does every layer of an op say the same?",
    "[options] [OP…]", examples, options, sizeof options / sizeof *options, NULL, run_check};
