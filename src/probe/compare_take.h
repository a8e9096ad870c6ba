/*
 * An arm of a report in memory, as a comparison sees a report file.
 */
#ifndef KILN_PROBE_COMPARE_TAKE_H
#define KILN_PROBE_COMPARE_TAKE_H

#include "kiln/error.h"
#include "probe/compare.h"
#include "probe/report.h"

/* The valid samples of this arm, named by the arm; its strings stay those of the report. KILN_ERROR_INVALID when there
 * is none. Free with kiln_loaded_report_free. */
enum kiln_status kiln_loaded_report_take(
    const struct kiln_report_arm *arm, struct kiln_loaded_report **loaded, struct kiln_error *error);

#endif
