/*
 * A report that may be shown to others: names become pseudonyms, numbers stay.
 *
 * Replaced everywhere in the report and its models: paths, places in files, user names inside of them, words of
 * commands, modules, kernels, overloads, symbols, content hashes, names of arms. Equal names get equal pseudonyms, so
 * that the report still says what belongs together; the pseudonyms are numbered in the order of the report ("module-1",
 * "kernel-2", "file-1.py:12"). Kept: numbers, lines, times, versions, devices, options of the framework, the
 * environment block.
 */
#ifndef KILN_PROBE_REPORT_ANONYMISE_H
#define KILN_PROBE_REPORT_ANONYMISE_H

#include "kiln/error.h"
#include "probe/report.h"

/* Change the report in place; afterwards no rendering of it has the names any more. Errors: memory (the report must
 * then not be shown). */
enum kiln_status kiln_report_anonymise(struct kiln_report *report, struct kiln_error *error);

#endif
