/*
 * What the supervisor tells its owner: one JSON object a line.
 *
 *   {"ev":"started","pid":P,"t":"T"}          the command runs; T is the time just before the fork
 *   {"ev":"not_started","errno":E,"t":"T"}    exec was refused
 *   {"ev":"failed","what":"…","errno":E}      the supervisor cannot work; nothing follows
 *   {"ev":"ready","t":"T"}                    a line of the command's output matched; at most once, also after "exited"
 *   {"ev":"exited","pid":P,"code":C,"signal":S,"killed":B,"stopped":B,"t":"T"}   the command was reaped; signal 0: it
 *                                             exited; killed: the supervisor had begun to kill before; stopped: it had
 *                                             been asked to end before
 *   {"ev":"done","reaped":N,"killed":N,"survivors":B,"stdout":N,"stderr":N,"cut":B,"lost":B,"usage":{…}}   the end
 *
 * Times are CLOCK_MONOTONIC nanoseconds, written as strings: after 104 days of uptime they no longer fit a double.
 * Every function returns false when the owner no longer reads. Not thread safe.
 */
#ifndef KILN_LIBEXEC_STATUS_H
#define KILN_LIBEXEC_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "libexec/stream.h"
#include "os/supervise.h"

/* What the supervisor has counted. */
struct kiln_supervisor_tally {
  struct kiln_usage usage; /* of everything that was reaped; the largest max_rss_bytes, the sum of the others */
  int reaped, killed;
  bool survivors; /* the patience of killing was over before the last descendant */
};

bool kiln_status_started(int fd, int pid, uint64_t t);
bool kiln_status_not_started(int fd, int sys_errno, uint64_t t);
bool kiln_status_failed(int fd, const char *what, int sys_errno);
bool kiln_status_ready(int fd, uint64_t t);
bool kiln_status_exited(int fd, const struct kiln_reaped *command, bool killed, bool stopped);
bool kiln_status_done(
    int fd, const struct kiln_supervisor_tally *tally, const struct kiln_stream *out, const struct kiln_stream *err);

#endif
