/*
 * What every command shares that shows a report: its options, the files it writes (JSON, HTML page, trace), and what
 * it prints.
 *
 * Order: init; set for each option; check before anything runs; deliver.
 */
#ifndef KILN_CLI_OUTPUTS_H
#define KILN_CLI_OUTPUTS_H

#include <stdbool.h>

#include "probe/report.h"

/* Rows of an option table, in this order. */
enum kiln_cli_output_option {
  KILN_CLI_OUTPUT_FILE,
  KILN_CLI_OUTPUT_HTML,
  KILN_CLI_OUTPUT_TRACE,
  KILN_CLI_OUTPUT_AGAINST,
  KILN_CLI_OUTPUT_ANONYMISE,
  KILN_CLI_OUTPUT_JSON,
  KILN_CLI_OUTPUT_MARKDOWN,
  KILN_CLI_OUTPUT_QUIET,
  KILN_CLI_OUTPUT_COLOR,
  KILN_CLI_OUTPUT_COUNT
};

/* The rows; `first` is the index of the first of them, and all behind it belong to outputs. */
#define KILN_CLI_OUTPUT_ROWS(first)                                                                                    \
  [(first) + KILN_CLI_OUTPUT_FILE] = {"output", 'o', "FILE", "write the report as JSON to FILE"},                      \
             [(first) + KILN_CLI_OUTPUT_HTML] = {"html", 0, "FILE", "write the report as one HTML page to FILE"},      \
             [(first) + KILN_CLI_OUTPUT_TRACE] = {"trace", 0, "FILE", "write a trace for Perfetto to FILE"},           \
             [(first) + KILN_CLI_OUTPUT_AGAINST] = {"against", 0, "FILE|DIR",                                          \
                 "say why modules compile anew since this report"},                                                    \
             [(first) + KILN_CLI_OUTPUT_ANONYMISE] = {"anonymise", 0, NULL,                                            \
                 "paths and names become pseudonyms in every output"},                                                 \
             [(first) + KILN_CLI_OUTPUT_JSON] = {"json", 0, NULL, "the report on standard output as JSON"},            \
             [(first) + KILN_CLI_OUTPUT_MARKDOWN] = {"markdown", 0, NULL,                                              \
                 "the report as Markdown for an issue or a pull request"},                                             \
             [(first) + KILN_CLI_OUTPUT_QUIET] = {"quiet", 0, NULL, "no progress and no notes on standard error"},     \
             [(first) + KILN_CLI_OUTPUT_COLOR] = {                                                                     \
                 "color", 0, "auto|always|never", "colour on standard output (default: auto)"}

struct kiln_cli_outputs {
  const char *json, *html, *trace; /* paths; NULL: not asked for */
  const char *against;             /* path of an earlier report or record; NULL: not asked for */
  bool anonymise, quiet;
  bool print_json, print_markdown; /* on standard output, in place of the page */
  bool color;
};

/* A report file, or the folder of a record. *report is NULL on an error. Free with kiln_report_free. */
enum kiln_status kiln_cli_report_read(const char *path, struct kiln_report **report, struct kiln_error *error);

void kiln_cli_outputs_init(struct kiln_cli_outputs *outputs);
/* One option was read. Exit code; 0 when the value is good. */
int kiln_cli_outputs_set(struct kiln_cli_outputs *outputs, enum kiln_cli_output_option option, const char *value);
/* Before anything runs: a report that cannot be kept is not worth the wait. Exit code, 0 when all can be written. */
int kiln_cli_outputs_check(const struct kiln_cli_outputs *outputs);
/* Find out why modules compile anew, then replace names, if that was asked for: what is printed afterwards has none
 * either. Exit code; when it is not 0 nothing of the report may be shown. */
int kiln_cli_outputs_prepare(const struct kiln_cli_outputs *outputs, struct kiln_report *report);
/* Write every file that was asked for, also after one of them failed. Exit code. */
int kiln_cli_outputs_write(const struct kiln_cli_outputs *outputs, const struct kiln_report *report);
/* The same, then print. With page false, only JSON and Markdown are
 * printed: a page of a report without any run says nothing. Exit code. */
int kiln_cli_outputs_deliver(const struct kiln_cli_outputs *outputs, const struct kiln_report *report, bool page);

#endif
