#include "base/json_write.h"
#include "base/text.h"
#include "cmd_op.h"
#include "kiln/op.h"
#include "op.h"
#include "op/text.h"

static const struct kiln_cli_option options[] = {{"json", 0, NULL, "as JSON"}};

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

static int
run_list(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct kiln_cli_op op = {.command = command};
  int code;
  return kiln_cli_op_parse(&op, argc, argv, false, NULL, NULL, &code) ? list(op.json) : code;
}

static const char examples[] = "  kiln op list\n"
                               "  kiln op list --json | jq -r '.[].op'\n";

const struct kiln_cli_command kiln_cmd_op_list = {"op list", "the ops of this kiln", "[options]", examples, options,
    sizeof options / sizeof *options, NULL, run_list};
