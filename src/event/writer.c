#include "event/writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "os/clock.h"
#include "os/file.h"
#include "os/path.h"
#include "os/process.h"

/* Descriptors of the agent start here. */
#define HIGH_FD 400

/* Room for the folder, '/', two numbers and the suffix. */
#define PATH_SIZE (sizeof((struct kiln_event_writer *)0)->folder + 64)

static void
writer_lose(struct kiln_event_writer *writer)
{
  __atomic_fetch_add(&writer->lost, 1, __ATOMIC_RELAXED);
}

static void
writer_write(struct kiln_event_writer *writer, const char *line, size_t len)
{
  long written = writer->fd < 0 ? -1 : kiln_fd_write_once(writer->fd, line, len);
  if (written == (long)len)
    return;
  writer_lose(writer);
  if (written > 0) /* end the torn line, so that the next event does not share its fate */
    (void)kiln_fd_write_once(writer->fd, "\n", 1);
}

/* Only async-signal-safe work: the first launch of a forked child may happen in a signal handler. */
static void
writer_write_fork(struct kiln_event_writer *writer, int pid)
{
  char line[256];
  int len = snprintf(line, sizeof line,
      "{\"v\":%d,\"t\":%" PRIu64 ",\"cpu\":%" PRIu64
      ",\"pid\":%d,\"tid\":%d,\"ev\":\"process\",\"what\":\"fork\",\"ppid\":%d}\n",
      KILN_EVENT_VERSION, writer->start_ns, kiln_clock_thread_cpu(), pid, kiln_thread_id(), kiln_process_parent_id());
  if (len > 0 && (size_t)len < sizeof line)
    writer_write(writer, line, (size_t)len);
}

/* Far from the numbers that programs count on; a low limit on descriptors leaves the numbers behind the streams. */
static int
writer_raise(int fd)
{
  int raised = kiln_fd_raise(fd, HIGH_FD);
  if (raised < 0)
    raised = kiln_fd_raise(fd, 3);
  if (raised < 0)
    kiln_fd_close(fd);
  return raised;
}

static void
writer_create(struct kiln_event_writer *writer, int pid, bool make_folder)
{
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/%d.%" PRIu64 ".jsonl", writer->folder, pid, writer->start_ns);
  const int flags = KILN_OPEN_WRITE | KILN_OPEN_APPEND | KILN_OPEN_CREATE;
  int fd = kiln_fd_open(path, flags);
  if (fd < 0 && make_folder && kiln_folder_make(writer->folder, NULL) == KILN_OK)
    fd = kiln_fd_open(path, flags);
  writer->fd = fd < 0 ? -1 : writer_raise(fd);
  if (writer->fd >= 0)
    (void)kiln_fd_identity(writer->fd, &writer->device, &writer->inode);
}

static bool
writer_fd_is_ours(const struct kiln_event_writer *writer)
{
  uint64_t device, inode;
  return kiln_fd_identity(writer->fd, &device, &inode) && device == writer->device && inode == writer->inode;
}

/* The descriptor belongs to the parent (or to nobody yet): open this process's own file. t: its first event. */
static void
writer_adopt(struct kiln_event_writer *writer, int pid, bool forked, uint64_t t)
{
  if (writer->fd >= 0 && writer_fd_is_ours(writer))
    kiln_fd_close(writer->fd);
  writer->start_ns = forked ? kiln_clock_now() : t;
  writer_create(writer, pid, !forked);
  if (forked)
    writer_write_fork(writer, pid);
}

/* The program has closed our number, and may use it for a file of its own: that one is left alone. */
static void
writer_open_again(struct kiln_event_writer *writer, int own)
{
  int seen = own;
  if (!__atomic_compare_exchange_n(&writer->pid, &seen, -own, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return; /* another thread is at it */
  if (!writer_fd_is_ours(writer))
    writer_create(writer, own, false);
  __atomic_store_n(&writer->pid, own, __ATOMIC_RELEASE);
}

/* pid is negative while a thread opens the file of process -pid. A child may inherit that state from a thread that does
 * not exist in it, so only the own number makes a thread wait. */
static void
writer_enter(struct kiln_event_writer *writer, uint64_t t)
{
  int own = kiln_process_id();
  int seen = __atomic_load_n(&writer->pid, __ATOMIC_ACQUIRE);
  if (seen == own && writer->fd >= 0 && !writer_fd_is_ours(writer)) {
    writer_open_again(writer, own);
    seen = __atomic_load_n(&writer->pid, __ATOMIC_ACQUIRE);
  }
  while (seen != own) {
    if (seen == -own) {
      kiln_clock_sleep(1000);
      seen = __atomic_load_n(&writer->pid, __ATOMIC_ACQUIRE);
    } else if (__atomic_compare_exchange_n(&writer->pid, &seen, -own, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      writer_adopt(writer, own, seen != 0, t);
      __atomic_store_n(&writer->pid, own, __ATOMIC_RELEASE);
      return;
    }
  }
}

/* A relative folder is taken from here, once: the program may change its working directory. */
static bool
writer_set_folder(struct kiln_event_writer *writer, const char *folder)
{
  struct kiln_buf absolute;
  kiln_buf_init(&absolute);
  if (folder[0] != '/' && kiln_folder_make(folder, NULL) == KILN_OK && kiln_path_resolve(folder, &absolute))
    folder = absolute.data;
  size_t len = strlen(folder);
  bool fits = len > 0 && len < sizeof writer->folder;
  if (fits)
    memcpy(writer->folder, folder, len + 1);
  kiln_buf_release(&absolute);
  return fits;
}

bool
kiln_event_writer_open(struct kiln_event_writer *writer, const char *folder)
{
  int saved = errno;
  memset(writer, 0, sizeof *writer);
  writer->fd = -1;
  if (folder == NULL)
    folder = kiln_environment_current(KILN_EVENT_VARIABLE);
  bool open = folder != NULL && folder[0] != '\0' && writer_set_folder(writer, folder);
  errno = saved;
  return open;
}

void
kiln_event_writer_close(struct kiln_event_writer *writer)
{
  int saved = errno;
  writer->folder[0] = '\0';
  if (writer->fd >= 0 && writer_fd_is_ours(writer))
    kiln_fd_close(writer->fd);
  writer->fd = -1;
  errno = saved;
}

uint64_t
kiln_event_writer_start(struct kiln_event_writer *writer)
{
  if (writer->folder[0] == '\0')
    return 0;
  int saved = errno;
  writer_enter(writer, kiln_clock_now());
  errno = saved;
  return writer->start_ns;
}

bool
kiln_event_writer_is_own(const struct kiln_event_writer *writer)
{
  return writer->folder[0] != '\0' && __atomic_load_n(&writer->pid, __ATOMIC_ACQUIRE) == kiln_process_id();
}

static void
line_number(struct kiln_event_line *line, const char *key, uint64_t value)
{
  kiln_json_key(&line->json, key);
  kiln_json_uint(&line->json, value);
}

bool
kiln_event_begin(
    struct kiln_event_writer *writer, struct kiln_event_line *line, enum kiln_event_kind kind, uint64_t t, uint64_t cpu)
{
  const char *name = kiln_event_kind_name(kind);
  if (name == NULL || writer->folder[0] == '\0')
    return false;
  int saved = errno;
  writer_enter(writer, t);
  kiln_buf_init(&line->buf);
  kiln_json_init(&line->json, &line->buf, false);
  kiln_json_object(&line->json);
  line_number(line, "v", KILN_EVENT_VERSION);
  line_number(line, "t", t);
  line_number(line, "cpu", cpu);
  line_number(line, "pid", (uint64_t)kiln_process_id());
  line_number(line, "tid", (uint64_t)kiln_thread_id());
  kiln_json_key(&line->json, "ev");
  kiln_json_string(&line->json, name);
  bool ok = !line->buf.failed;
  if (!ok) {
    writer_lose(writer);
    kiln_buf_release(&line->buf);
  }
  errno = saved;
  return ok;
}

void
kiln_event_span_of(struct kiln_event_writer *writer, struct kiln_event_line *line, uint64_t dur, uint64_t dcpu)
{
  line_number(line, "id", __atomic_add_fetch(&writer->next_span_id, 1, __ATOMIC_RELAXED));
  line_number(line, "dur", dur);
  line_number(line, "dcpu", dcpu);
}

void
kiln_event_span(struct kiln_event_writer *writer, struct kiln_event_line *line, uint64_t t, uint64_t cpu)
{
  uint64_t now = kiln_clock_now(), now_cpu = kiln_clock_thread_cpu();
  kiln_event_span_of(writer, line, now > t ? now - t : 0, now_cpu > cpu ? now_cpu - cpu : 0);
}

/* Where a line may be cut: behind a complete element, with what has to be closed there. */
struct cut_point {
  size_t at;
  int depth;
  char closers[KILN_JSON_MAX_DEPTH + 1];
};

#define CUT_MARK ",\"cut\":true}"

/* Last comma at which everything opened before can still be closed within the limit. The text was written by
 * json_write, so it is well formed. */
static struct cut_point
line_find_cut(const char *text, size_t len)
{
  struct cut_point now = {0}, best = {0};
  bool in_string = false;
  for (size_t i = 0; i < len && i + sizeof CUT_MARK + (size_t)now.depth < KILN_EVENT_MAX_LINE; i++) {
    char c = text[i];
    if (in_string) {
      if (c == '\\')
        i++;
      else if (c == '"')
        in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if ((c == '{' || c == '[') && now.depth < KILN_JSON_MAX_DEPTH) {
      now.closers[now.depth++] = c == '{' ? '}' : ']';
    } else if ((c == '}' || c == ']') && now.depth > 0) {
      now.depth--;
    } else if (c == ',') {
      best = now;
      best.at = i;
    }
  }
  return best;
}

static void
line_cut(struct kiln_buf *buf)
{
  struct cut_point cut = line_find_cut(buf->data, buf->len);
  buf->len = cut.at;
  buf->data[buf->len] = '\0';
  for (int depth = cut.depth - 1; depth > 0; depth--)
    kiln_buf_append(buf, &cut.closers[depth], 1);
  kiln_buf_text_append(buf, CUT_MARK);
}

void
kiln_event_end(struct kiln_event_writer *writer, struct kiln_event_line *line)
{
  int saved = errno;
  kiln_json_object_end(&line->json);
  if (!line->buf.failed && line->buf.len + 1 > KILN_EVENT_MAX_LINE)
    line_cut(&line->buf);
  kiln_buf_append(&line->buf, "\n", 1);
  if (line->buf.failed)
    writer_lose(writer);
  else
    writer_write(writer, line->buf.data, line->buf.len);
  kiln_buf_release(&line->buf);
  errno = saved;
}
