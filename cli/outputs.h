/*
 * Files that a report is written to: JSON, HTML page, trace.
 */
#ifndef KILN_CLI_OUTPUTS_H
#define KILN_CLI_OUTPUTS_H

#include <stdbool.h>

#include "probe/report.h"

struct kiln_cli_outputs {
  const char *json, *html, *trace; /* paths; NULL: not asked for */
  bool anonymise, quiet;
};

/* Before anything runs: a report that cannot be kept is not worth the wait. Exit code, 0 when all can be written. */
int kiln_cli_outputs_check(const struct kiln_cli_outputs *outputs);
/* Replace names first if that was asked for: what is printed afterwards has none either. Exit code; when it is not 0
 * nothing of the report may be shown. */
int kiln_cli_outputs_prepare(const struct kiln_cli_outputs *outputs, struct kiln_report *report);
/* Write every file that was asked for, also after one of them failed. Exit code. */
int kiln_cli_outputs_write(const struct kiln_cli_outputs *outputs, const struct kiln_report *report);

#endif
