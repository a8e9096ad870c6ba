/*
 * `--arm NAME='command line'` and the options that only arms have.
 */
#ifndef KILN_CLI_ARMS_H
#define KILN_CLI_ARMS_H

#include <stddef.h>

#include "probe/measure.h"

#define KILN_CLI_ARMS 8

struct kiln_cli_arms {
  struct kiln_measure_arm arms[KILN_CLI_ARMS];
  void *blocks[2 * KILN_CLI_ARMS]; /* names and words */
  size_t count;
};

/* A sentence on stderr and the exit code of a usage error, or 0. */
int kiln_cli_arms_add(struct kiln_cli_arms *arms, const char *value);
int kiln_cli_arms_max_pairs(struct kiln_measure_options *options, const char *value);
int kiln_cli_arms_max_time(struct kiln_measure_options *options, const char *value);
int kiln_cli_arms_resolution(struct kiln_measure_options *options, const char *value);
/* Hand the arms to the options, or refuse what does not go together. extra: arguments that are no option. */
int kiln_cli_arms_take(
    const struct kiln_cli_arms *arms, struct kiln_measure_options *options, bool samples_given, int extra);
void kiln_cli_arms_release(struct kiln_cli_arms *arms);

#endif
