/*
 * The user's own check of what a run left: a shell command, run where kiln runs.
 */
#ifndef KILN_PROBE_TRIAL_CHECK_H
#define KILN_PROBE_TRIAL_CHECK_H

#include <stdbool.h>

#include "base/buf.h"
#include "probe/measure.h"

/* Run `sh -c check` under the supervisor and wait for its end, at most ten minutes. It finds what the run printed in
 * the files that KILN_CHECK_STDOUT and KILN_CHECK_STDERR name, and the arm's name in KILN_CHECK_ARM. true: exit code 0.
 * Else the sentence says what it answered, with the last line that it printed. */
bool kiln_check_run(
    const char *check, const char *supervisor, const struct kiln_measure_seen *seen, struct kiln_buf *sentence);

#endif
