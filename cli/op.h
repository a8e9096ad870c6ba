/*
 * What the commands of `kiln op` share: words and options in any order, the op that is named, what is to be tried.
 *
 * Order: kiln_cli_op_parse; then for commands that run something kiln_cli_op_open, …, kiln_cli_op_close.
 */
#ifndef KILN_CLI_OP_H
#define KILN_CLI_OP_H

#include "cli.h"
#include "op/tool/run.h"

/* The head of each table of options that runs something; own ones begin at KILN_CLI_OP_OWN. */
#define KILN_CLI_OP_OPTIONS                                                                                            \
  {"json", 0, NULL, "as JSON"}, {"device", 0, "cpu|cuda", "where it runs; cuda:N is the N-th GPU (default: cpu)"},     \
      {"shape", 0, "N,N…", "sizes of the op's axes, in order (kiln op show lists them)"},                              \
      {"axis", 0, "NAME=N", "one of them by name; may be repeated"},                                                   \
      {"dtype", 0, "DTYPE", "dtype of all type variables; T=DTYPE,… of each"},                                         \
      {"set", 0, "NAME=VALUE", "a number, a bool or a name; may be repeated"},                                         \
      {"give", 0, "NAME,…", "optional tensors that are given"},                                                        \
      {"form", 0, "FORM", "how rows lie: compact (default), odd, aligned, far, far-1, far-2"},                         \
      {"in-place", 0, NULL, "the result is written over the input, where the op allows it"},                           \
  {                                                                                                                    \
    "seed", 0, "N", "seed of the data (default: fresh, printed)"                                                       \
  }
enum { KILN_CLI_OP_OWN = 10 };

struct kiln_cli_op {
  const struct kiln_cli_command *command;
  bool json;
  const char *device, *shape, *dtype, *form, *seed, *give;
  const char *axes[32], *sets[32]; /* NAME=VALUE */
  unsigned axis_count, set_count;
  bool in_place;
  const char *words[8];
  unsigned word_count, most_words;
  struct kiln *kiln;
};

/* An option of the command's own: its index and value. Returns 0, or an exit code after a sentence. */
typedef int kiln_cli_op_take(void *context, size_t option, const char *value);
/* Everything on the command line; false: *code is what to return. shared: the table begins with KILN_CLI_OP_OPTIONS,
 * else only "json" is taken here. take may be NULL. */
bool kiln_cli_op_parse(
    struct kiln_cli_op *op, int argc, char **argv, bool shared, kiln_cli_op_take *take, void *context, int *code);
/* The op of this name; NULL after a sentence that says the nearest. */
const struct kiln_op *kiln_cli_op_find(const char *name);
/* A kiln that warns on standard error and knows where kernels are read from. */
enum kiln_status kiln_cli_op_open(struct kiln_cli_op *op, struct kiln_error *error);
/* As kiln_cli_complain, for what went wrong afterwards: what is not found then is a compiler, or an entry that may not
 * be built, and that is the environment's. */
int kiln_cli_op_complain(const struct kiln_error *error);
void kiln_cli_op_close(struct kiln_cli_op *op);
/* Device and seed of every trial. false: *code. */
bool kiln_cli_op_place(const struct kiln_cli_op *op, struct kiln_trial *trial, int *code);
/* What --shape, --axis, --dtype, --set, --give, --form and --in-place say, over what the trial has. false: *code. */
bool kiln_cli_op_apply(const struct kiln_cli_op *op, struct kiln_trial *trial, int *code);

#endif
