#include <stdio.h>
#include <string.h>

#include "base/json_write.h"
#include "cmd_op.h"
#include "op.h"
#include "op/call.h"
#include "op/tool/new.h"

static const struct kiln_cli_option options[] = {{"json", 0, NULL, "the files that were written, as JSON"}};

static void
write_json(const struct kiln_buf *files, struct kiln_buf *out)
{
  struct kiln_json json;
  const char *at = kiln_buf_text(files);
  kiln_json_init(&json, out, true);
  kiln_json_array(&json);
  while (*at) {
    const size_t len = strcspn(at, "\n");
    kiln_json_string_n(&json, at, len);
    at += len + (at[len] == '\n');
  }
  kiln_json_array_end(&json);
  kiln_buf_text_append(out, "\n");
}

static enum kiln_status
make(struct kiln_cli_op *op, struct kiln_buf *files, struct kiln_error *error)
{
  struct kiln_ops *ops;
  enum kiln_status status = kiln_cli_op_open(op, error);
  if (status == KILN_OK) {
    status = kiln_ops_of(op->kiln, &ops, error);
  }
  if (status == KILN_OK) {
    status = kiln_op_new(kiln_ops_sources(ops), op->words[0], files, error);
  }
  kiln_cli_op_close(op);
  return status;
}

static int
run_new(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct kiln_cli_op op = {.command = command, .most_words = 1};
  struct kiln_error error = {0};
  struct kiln_buf files, out;
  int code;
  if (!kiln_cli_op_parse(&op, argc, argv, false, NULL, NULL, &code)) {
    return code;
  }
  if (op.word_count == 0) {
    return kiln_cli_usage("'kiln op new' needs <family>/<op>, the place of the new op below kernels/.");
  }
  kiln_buf_init(&files);
  kiln_buf_init(&out);
  if (make(&op, &files, &error) != KILN_OK) {
    code = kiln_cli_complain(&error);
  } else if (op.json) {
    write_json(&files, &out);
    code = kiln_cli_print(&out);
  } else {
    fputs("kiln: Build kiln again (./dev build); then 'kiln op check' and 'kiln op run' know it.\n", stderr);
    code = kiln_cli_print(&files);
  }
  kiln_buf_release(&files);
  kiln_buf_release(&out);
  return code;
}

static const char examples[] = "  kiln op new activation/relu\n";

const struct kiln_cli_command kiln_cmd_op_new = {"op new", "write a working op into the source tree, to be changed",
    "[options] FAMILY/OP", examples, options, sizeof options / sizeof *options, NULL, run_new};
