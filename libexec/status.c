#include "libexec/status.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/json_write.h"
#include "os/file.h"

struct line {
  struct kiln_buf buf;
  struct kiln_json json;
};

static void
line_begin(struct line *line, const char *event)
{
  kiln_buf_init(&line->buf);
  kiln_json_init(&line->json, &line->buf, false);
  kiln_json_object(&line->json);
  kiln_json_key(&line->json, "ev");
  kiln_json_string(&line->json, event);
}

static void
line_int(struct line *line, const char *key, int64_t value)
{
  kiln_json_key(&line->json, key);
  kiln_json_int(&line->json, value);
}

static void
line_uint(struct line *line, const char *key, uint64_t value)
{
  kiln_json_key(&line->json, key);
  kiln_json_uint(&line->json, value);
}

static void
line_bool(struct line *line, const char *key, bool value)
{
  kiln_json_key(&line->json, key);
  kiln_json_bool(&line->json, value);
}

static void
line_time(struct line *line, uint64_t t)
{
  char text[24];
  snprintf(text, sizeof text, "%" PRIu64, t);
  kiln_json_key(&line->json, "t");
  kiln_json_string(&line->json, text);
}

static bool
line_send(struct line *line, int fd)
{
  kiln_json_object_end(&line->json);
  kiln_buf_text_append(&line->buf, "\n");
  const bool sent = !line->buf.failed && kiln_fd_write(fd, line->buf.data, line->buf.len);
  kiln_buf_release(&line->buf);
  return sent;
}

bool
kiln_status_started(int fd, int pid, uint64_t t)
{
  struct line line;
  line_begin(&line, "started");
  line_int(&line, "pid", pid);
  line_time(&line, t);
  return line_send(&line, fd);
}

bool
kiln_status_not_started(int fd, int sys_errno, uint64_t t)
{
  struct line line;
  line_begin(&line, "not_started");
  line_int(&line, "errno", sys_errno);
  line_time(&line, t);
  return line_send(&line, fd);
}

bool
kiln_status_failed(int fd, const char *what, int sys_errno)
{
  struct line line;
  line_begin(&line, "failed");
  kiln_json_key(&line.json, "what");
  kiln_json_string(&line.json, what);
  line_int(&line, "errno", sys_errno);
  return line_send(&line, fd);
}

bool
kiln_status_ready(int fd, uint64_t t)
{
  struct line line;
  line_begin(&line, "ready");
  line_time(&line, t);
  return line_send(&line, fd);
}

bool
kiln_status_exited(int fd, const struct kiln_reaped *command, bool killed, bool stopped)
{
  struct line line;
  line_begin(&line, "exited");
  line_int(&line, "pid", command->pid);
  line_int(&line, "code", command->code);
  line_int(&line, "signal", command->signal);
  line_bool(&line, "killed", killed);
  line_bool(&line, "stopped", stopped);
  line_time(&line, command->end_ns);
  return line_send(&line, fd);
}

static void
line_usage(struct line *line, const struct kiln_usage *usage)
{
  kiln_json_key(&line->json, "usage");
  kiln_json_object(&line->json);
  line_uint(line, "user_ns", usage->user_ns);
  line_uint(line, "system_ns", usage->system_ns);
  line_uint(line, "max_rss_bytes", usage->max_rss_bytes);
  line_uint(line, "minor_faults", usage->minor_faults);
  line_uint(line, "major_faults", usage->major_faults);
  line_uint(line, "voluntary_switches", usage->voluntary_switches);
  line_uint(line, "involuntary_switches", usage->involuntary_switches);
  kiln_json_object_end(&line->json);
}

bool
kiln_status_done(
    int fd, const struct kiln_supervisor_tally *tally, const struct kiln_stream *out, const struct kiln_stream *err)
{
  struct line line;
  line_begin(&line, "done");
  line_int(&line, "reaped", tally->reaped);
  line_int(&line, "killed", tally->killed);
  line_bool(&line, "survivors", tally->survivors);
  line_uint(&line, "stdout", out->total);
  line_uint(&line, "stderr", err->total);
  line_bool(&line, "cut", kiln_stream_is_cut(out) || kiln_stream_is_cut(err));
  line_bool(&line, "lost", out->lost || err->lost);
  line_usage(&line, &tally->usage);
  return line_send(&line, fd);
}
