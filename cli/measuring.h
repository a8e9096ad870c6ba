/*
 * What every command shares that measures a command: its options, and the measurement with its live view.
 *
 * Order: init; set for each option; take; run; release. Options of the report are those of outputs.h.
 */
#ifndef KILN_CLI_MEASURING_H
#define KILN_CLI_MEASURING_H

#include <stdbool.h>

#include "arms.h"
#include "cli.h"
#include "outputs.h"
#include "probe/measure.h"

/* Rows of an option table, in this order. */
enum kiln_cli_measuring_option {
  KILN_CLI_MEASURING_SAMPLES,
  KILN_CLI_MEASURING_ARM,
  KILN_CLI_MEASURING_SERIAL,
  KILN_CLI_MEASURING_MAX_PAIRS,
  KILN_CLI_MEASURING_MAX_TIME,
  KILN_CLI_MEASURING_RESOLUTION,
  KILN_CLI_MEASURING_WARMUP,
  KILN_CLI_MEASURING_TIMEOUT,
  KILN_CLI_MEASURING_UNTIL_OUTPUT,
  KILN_CLI_MEASURING_UNTIL_PORT,
  KILN_CLI_MEASURING_UNTIL_LAUNCHES,
  KILN_CLI_MEASURING_IGNORE_FAILURE,
  KILN_CLI_MEASURING_TTY,
  KILN_CLI_MEASURING_COUNT
};

/* The rows; `first` is the index of the first of them. */
#define KILN_CLI_MEASURING_ROWS(first)                                                                                 \
  [(first) +                                                                                                           \
      KILN_CLI_MEASURING_SAMPLES] = {"samples", 0, "N", "samples, each a cold and a warm run (default: 3)"},           \
      [(first) + KILN_CLI_MEASURING_ARM] = {"arm", 0, "NAME=COMMAND",                                                  \
          "compare commands in pairs; the first arm is the baseline"},                                                 \
      [(first) +                                                                                                       \
          KILN_CLI_MEASURING_SERIAL] = {"serial", 0, NULL, "pairs one after the other (default: side by side)"},       \
      [(first) + KILN_CLI_MEASURING_MAX_PAIRS] = {"max-pairs", 0, "N", "pairs of arms at most (default: 181)"},        \
      [(first) + KILN_CLI_MEASURING_MAX_TIME] = {"max-time", 0, "SECONDS", "begin no pair later than this"},           \
      [(first) + KILN_CLI_MEASURING_RESOLUTION] = {"resolution", 0, "PERCENT",                                         \
          "SAME excludes such a change of time (default: 5)"},                                                         \
      [(first) + KILN_CLI_MEASURING_WARMUP] = {"warmup", 0, "0|1", "unmeasured samples first (default: 1)"},           \
      [(first) + KILN_CLI_MEASURING_TIMEOUT] = {"timeout", 0, "SECONDS",                                               \
          "end a run after this time; the measurement is then invalid"},                                               \
      [(first) + KILN_CLI_MEASURING_UNTIL_OUTPUT] = {"until-output", 0, "RE",                                          \
          "ready when a line it prints matches; the run ends then"},                                                   \
      [(first) +                                                                                                       \
          KILN_CLI_MEASURING_UNTIL_PORT] = {"until-port", 0, "PORT", "ready when something listens on this TCP port"}, \
      [(first) +                                                                                                       \
          KILN_CLI_MEASURING_UNTIL_LAUNCHES] = {"until-launches", 0, "N", "ready when N kernels were launched"},       \
      [(first) + KILN_CLI_MEASURING_IGNORE_FAILURE] = {"ignore-failure", 0, NULL,                                      \
          "a non-zero exit of the command is no failure"},                                                             \
      [(first) + KILN_CLI_MEASURING_TTY] = {"tty", 0, NULL, "the command reads this terminal (default: /dev/null)"}

struct kiln_cli_measuring {
  struct kiln_measure_options measure;
  struct kiln_cli_arms arms;
  bool samples_given;
};

/* Three samples and a warm-up. */
void kiln_cli_measuring_init(struct kiln_cli_measuring *measuring);
/* One option was read. Exit code; 0 when the value is good. */
int kiln_cli_measuring_set(
    struct kiln_cli_measuring *measuring, enum kiln_cli_measuring_option option, const char *value);
/* The words behind the options are the command, unless there are arms. Refuses what does not go together. Exit code. */
int kiln_cli_measuring_take(
    struct kiln_cli_measuring *measuring, const struct kiln_cli_command *command, int argc, char **argv);
/* Check the files of outputs, then measure; talk goes to stderr. *report is the caller's; also on a code other than 0
 * it may be there, and is NULL when nothing was measured. The code is that of what hindered the measurement: what the
 * measurement itself says is in report->state and kiln_report_exit. */
int kiln_cli_measuring_run(
    struct kiln_cli_measuring *measuring, const struct kiln_cli_outputs *outputs, struct kiln_report **report);
/* Has the report a run? A page of one without says nothing. */
bool kiln_cli_measuring_has_runs(const struct kiln_report *report);
void kiln_cli_measuring_release(struct kiln_cli_measuring *measuring);

#endif
