#include "base/text.h"
#include "cmd_op.h"
#include "op.h"
#include "op/tool/export.h"
#include "op/tool/page.h"
#include "registry/op.h"

enum { OPTION_WHAT = KILN_CLI_OP_OWN };

static const struct kiln_cli_option options[] = {
    KILN_CLI_OP_OPTIONS,
    [OPTION_WHAT] = {"what", 0, "page|header|definition", "what is shown (default: page)"},
};

struct show {
  struct kiln_cli_op op;
  const char *what;
};

static int
take(void *context, size_t option, const char *value)
{
  (void)option;
  ((struct show *)context)->what = value;
  return 0;
}

/* The definition for the sizes on the command line. */
static enum kiln_status
write_definition(struct show *show, const struct kiln_op *op, struct kiln_buf *out, int *code, struct kiln_error *error)
{
  struct kiln_trial trial;
  struct kiln_ops *ops;
  struct kiln_buf path, reference;
  enum kiln_status status;
  unsigned i;
  kiln_definition_trial(op, &trial);
  if (!kiln_cli_op_apply(&show->op, &trial, code)) {
    return KILN_OK;
  }
  for (i = 1; i < op->naxes; i++) {
    if (op->axes[i].kind == KILN_AXIS_DERIVED) {
      kiln_op_derive(op, i, trial.axis);
    }
  }
  kiln_buf_init(&path);
  kiln_buf_init(&reference);
  kiln_buf_printf(&path, "%s/%s/reference.py", op->family, op->name);
  status = kiln_cli_op_open(&show->op, error);
  if (status == KILN_OK) {
    status = kiln_ops_of(show->op.kiln, &ops, error);
  }
  if (status == KILN_OK) {
    status = kiln_sources_read(kiln_ops_sources(ops), kiln_buf_text(&path), &reference, error);
  }
  if (status == KILN_OK) {
    kiln_definition_write(&trial, kiln_buf_text(&reference), out);
  }
  kiln_buf_release(&path);
  kiln_buf_release(&reference);
  return status;
}

static int
show_op(struct show *show, const struct kiln_op *op)
{
  struct kiln_error error = {0};
  struct kiln_buf out;
  enum kiln_status status = KILN_OK;
  int code = 0;
  kiln_buf_init(&out);
  if (kiln_text_equal(show->what, "page")) {
    kiln_page_write(op, &out);
  } else if (kiln_text_equal(show->what, "header")) {
    kiln_export_header(op, &out);
  } else if (kiln_text_equal(show->what, "definition")) {
    status = write_definition(show, op, &out, &code, &error);
  } else {
    code = kiln_cli_usage("--what is page, header or definition, not '%s'.", show->what);
  }
  if (status != KILN_OK) {
    code = kiln_cli_complain(&error);
  } else if (code == 0) {
    code = kiln_cli_print(&out);
  }
  kiln_buf_release(&out);
  kiln_cli_op_close(&show->op);
  return code;
}

static int
run_show(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct show show = {.op = {.command = command, .most_words = 1}, .what = "page"};
  const struct kiln_op *op;
  int code;
  if (!kiln_cli_op_parse(&show.op, argc, argv, true, take, &show, &code)) {
    return code;
  }
  if (show.op.json) {
    show.what = "definition";
  }
  if (show.op.word_count == 0) {
    return kiln_cli_usage("'kiln op show' needs the name of an op; 'kiln op list' lists them.");
  }
  op = kiln_cli_op_find(show.op.words[0]);
  return op ? show_op(&show, op) : KILN_EXIT_USAGE;
}

static const char examples[] = "  kiln op show rmsnorm\n"
                               "  kiln op show rmsnorm --what header\n"
                               "  kiln op show rmsnorm --json --axis hidden_size=7168 > rmsnorm_h7168.json\n";

const struct kiln_cli_command kiln_cmd_op_show = {"op show",
    "arguments, sizes and kernels of an op; its trace definition", "[options] OP", examples, options,
    sizeof options / sizeof *options, NULL, run_show};
