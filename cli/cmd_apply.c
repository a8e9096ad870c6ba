#include <stdio.h>

#include "base/text.h"
#include "cli.h"
#include "kiln/context.h"
#include "os/stand_in.h"
#include "parts.h"
#include "probe/apply.h"

enum { OPTION_QUIET };

static const struct kiln_cli_option options[] = {
    [OPTION_QUIET] = {"quiet", 'q', NULL, "do not say what was applied"},
};

struct apply_request {
  struct kiln_apply apply;
  const char *ledger;
  char *const *command;
  bool quiet;
};

/* kiln's cache folder as everything else finds it; NULL when there is none. */
static const char *
cache_folder(const struct kiln *kiln)
{
  const struct kiln_setting *setting;
  for (size_t i = 0; (setting = kiln_setting_at(kiln, i)) != NULL; i++) {
    if (kiln_text_equal(setting->name, "cache_folder")) {
      return *setting->value ? setting->value : NULL;
    }
  }
  return NULL;
}

static enum kiln_status
place(struct apply_request *request, struct kiln_error *error)
{
  struct kiln *kiln;
  enum kiln_status status = kiln_new(NULL, &kiln, error);
  if (status == KILN_OK) {
    status = kiln_apply_place(&request->apply, cache_folder(kiln), error);
    kiln_free(kiln);
  }
  return status;
}

static void
conclude(struct apply_request *request)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_apply_read(&request->apply);
  kiln_apply_sentence(&request->apply, &text);
  if (!request->quiet) {
    fprintf(stderr, "kiln: %s.\n", kiln_buf_text(&text));
  }
  kiln_buf_release(&text);
}

/* The program's end is this process's end. */
static enum kiln_status
run_command(struct apply_request *request, const char *preload, struct kiln_exit *result, struct kiln_error *error)
{
  struct kiln_environment env;
  kiln_environment_init(&env);
  enum kiln_status status = kiln_apply_environment(&request->apply, preload, &env, error);
  if (status == KILN_OK) {
    status = kiln_stand_in(request->command, env.entries, result, error);
  }
  kiln_environment_release(&env);
  if (status == KILN_OK) {
    conclude(request);
  }
  return status;
}

static int
run_request(struct apply_request *request)
{
  struct kiln_cli_parts parts;
  struct kiln_error error = {0};
  struct kiln_exit result = {0, 0};
  enum kiln_status status;
  kiln_apply_init(&request->apply);
  status = kiln_apply_load(&request->apply, request->ledger, &error);
  if (status == KILN_OK) {
    status = kiln_cli_parts_find(&parts, &error);
    if (status == KILN_OK) {
      status = place(request, &error);
    }
    if (status == KILN_OK) {
      status = run_command(request, kiln_buf_text(&parts.preload), &result, &error);
    }
    kiln_cli_parts_release(&parts);
  }
  kiln_apply_release(&request->apply);
  if (status != KILN_OK) {
    return kiln_cli_complain(&error);
  }
  fflush(NULL);
  kiln_stand_in_end(&result);
}

static int
run_apply(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct kiln_cli_parser parser = {command, argc, argv, 1, NULL};
  struct apply_request request = {0};
  enum kiln_cli_step step;
  size_t option;
  while ((step = kiln_cli_next(&parser, &option)) == KILN_CLI_OPTION) {
    request.quiet = true;
  }
  if (step != KILN_CLI_END) {
    return kiln_cli_step_exit(command, step);
  }
  if (parser.at >= argc) {
    return kiln_cli_usage("'kiln apply' needs a ledger and a command, as in: kiln apply ledger.json -- python sim.py");
  }
  request.ledger = argv[parser.at++];
  if (parser.at < argc && kiln_text_equal(argv[parser.at], "--")) {
    parser.at++;
  }
  if (parser.at >= argc) {
    return kiln_cli_usage("'kiln apply %s' needs a command to run, as in: kiln apply %s -- python sim.py",
        request.ledger, request.ledger);
  }
  request.command = argv + parser.at;
  return run_request(&request);
}

static const char examples[] = "  kiln try -o ledger.json -- python sim.py\n"
                               "  kiln apply ledger.json -- python sim.py\n"
                               "  kiln apply --quiet ledger.json -- torchrun --nproc-per-node 8 train.py\n";

const struct kiln_cli_command kiln_cmd_apply = {"apply", "run a program with the levers that a ledger accepted",
    "[options] LEDGER [--] COMMAND [ARGUMENT…]", examples, options, sizeof options / sizeof *options, NULL, run_apply};
