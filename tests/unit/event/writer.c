#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/json_read.h"
#include "event/writer.h"
#include "os/file.h"
#include "tests/unit/os/scratch.h"

#define COMMON "{\"v\":1,\"t\":5,\"cpu\":7,\"pid\":"

static void
write_event(struct kiln_event_writer *writer, const char *key, const char *value)
{
  struct kiln_event_line line;
  if (!kiln_event_begin(writer, &line, KILN_EVENT_CACHE, 5, 7))
    return;
  kiln_json_key(&line.json, key);
  kiln_json_string(&line.json, value);
  kiln_event_end(writer, &line);
}

/* Content of the file of process pid; the folder holds one file of it. */
static void
read_events(const struct kiln_event_writer *writer, struct kiln_buf *text)
{
  char path[3000];
  snprintf(path, sizeof path, "%s/%d.%" PRIu64 ".jsonl", writer->folder, (int)getpid(), writer->start_ns);
  kiln_buf_init(text);
  assert_int_equal(kiln_file_read(path, 1 << 20, text, NULL), KILN_OK);
}

static struct kiln_event_writer *
open_writer(void **state)
{
  static struct kiln_event_writer writer;
  struct scratch *scratch = *state;
  assert_true(kiln_event_writer_open(&writer, scratch->folder.data));
  return &writer;
}

static size_t
count_lines(const struct kiln_buf *text)
{
  size_t lines = 0;
  for (size_t i = 0; i < text->len; i++)
    lines += text->data[i] == '\n';
  return lines;
}

static void
test_common_fields_come_first(void **state)
{
  struct kiln_event_writer *writer = open_writer(state);
  struct kiln_buf text;
  char expected[300];
  write_event(writer, "what", "clear");
  read_events(writer, &text);
  snprintf(expected, sizeof expected, COMMON "%d,\"tid\":%d,\"ev\":\"cache\",\"what\":\"clear\"}\n", (int)getpid(),
      (int)getpid());
  assert_string_equal(text.data, expected);
  assert_int_equal(writer->start_ns, 5); /* the time of the first event */
  kiln_buf_release(&text);
  kiln_event_writer_close(writer);
}

static void
test_span_has_id_and_length(void **state)
{
  struct kiln_event_writer *writer = open_writer(state);
  struct kiln_event_line line;
  struct kiln_buf text;
  for (int i = 0; i < 2; i++) {
    assert_true(kiln_event_begin(writer, &line, KILN_EVENT_LOAD, 5, 7));
    kiln_event_span_of(writer, &line, 30, 20);
    kiln_event_end(writer, &line);
  }
  read_events(writer, &text);
  assert_non_null(strstr(text.data, "\"id\":1,\"dur\":30,\"dcpu\":20}"));
  assert_non_null(strstr(text.data, "\"id\":2,\"dur\":30,\"dcpu\":20}"));
  kiln_buf_release(&text);
  kiln_event_writer_close(writer);
}

static void
test_closed_writer_writes_nothing(void **state)
{
  (void)state;
  struct kiln_event_writer writer;
  struct kiln_event_line line;
  char *longest = test_malloc(5000);
  memset(longest, 'x', 4999);
  longest[4999] = '\0';
  assert_false(kiln_event_writer_open(&writer, ""));
  assert_false(kiln_event_begin(&writer, &line, KILN_EVENT_MARK, 1, 1));
  assert_int_equal(kiln_event_writer_start(&writer), 0);
  assert_false(kiln_event_writer_open(&writer, longest));
  assert_false(kiln_event_begin(&writer, &line, KILN_EVENT_MARK, 1, 1));
  test_free(longest);
}

static void
test_missing_folder_is_made(void **state)
{
  struct kiln_event_writer writer;
  assert_true(kiln_event_writer_open(&writer, scratch_path(*state, "a/b")));
  write_event(&writer, "a", "b");
  assert_int_equal(writer.lost, 0);
  assert_true(writer.fd >= 3);
  kiln_event_writer_close(&writer);
}

static void
test_relative_folder_survives_a_change_of_directory(void **state)
{
  struct scratch *scratch = *state;
  struct kiln_event_writer writer;
  char before[1024];
  assert_non_null(getcwd(before, sizeof before));
  assert_int_equal(chdir(scratch->folder.data), 0);
  assert_true(kiln_event_writer_open(&writer, "here"));
  assert_int_equal(chdir("/"), 0);
  write_event(&writer, "a", "b");
  assert_int_equal(writer.lost, 0);
  assert_true(kiln_file_exists(scratch_path(scratch, "here")));
  assert_int_equal(writer.folder[0], '/');
  kiln_event_writer_close(&writer);
  assert_int_equal(chdir(before), 0);
}

static int
fork_writes(struct kiln_event_writer *writer)
{
  struct kiln_buf text;
  assert_false(kiln_event_writer_is_own(writer));
  write_event(writer, "who", "child");
  read_events(writer, &text);
  bool ok =
      kiln_event_writer_is_own(writer) && count_lines(&text) == 2 &&
      strstr(text.data, "\"ev\":\"process\",\"what\":\"fork\",\"ppid\":") < strstr(text.data, "\"who\":\"child\"");
  kiln_buf_release(&text);
  return ok ? 42 : 1;
}

static void
test_forked_child_has_its_own_file(void **state)
{
  struct kiln_event_writer *writer = open_writer(state);
  struct kiln_buf text;
  int status;
  write_event(writer, "who", "parent");
  pid_t child = fork();
  if (child == 0)
    _exit(fork_writes(writer));
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(WEXITSTATUS(status), 42);
  write_event(writer, "who", "parent again");
  read_events(writer, &text);
  assert_int_equal(count_lines(&text), 2);
  assert_null(strstr(text.data, "child"));
  kiln_buf_release(&text);
  kiln_event_writer_close(writer);
}

static void
test_full_disk_is_counted_and_keeps_errno(void **state)
{
  struct kiln_event_writer *writer = open_writer(state);
  struct rlimit before;
  struct kiln_buf text;
  write_event(writer, "n", "1");
  read_events(writer, &text);
  getrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = {text.len + 10, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  errno = 77;
  write_event(writer, "n", "2"); /* torn */
  write_event(writer, "n", "3"); /* refused */
  int seen = errno;
  setrlimit(RLIMIT_FSIZE, &before);
  assert_int_equal(writer->lost, 2);
  assert_int_equal(seen, 77);
  kiln_buf_release(&text);
  kiln_event_writer_close(writer);
}

/* A program that closes every number and opens files of its own must not find events in them. */
static void
test_number_taken_by_the_program_is_left_alone(void **state)
{
  struct kiln_event_writer *writer = open_writer(state);
  struct kiln_buf text, theirs;
  write_event(writer, "n", "1");
  int old = writer->fd;
  int fd = open(scratch_path(*state, "theirs"), O_RDWR | O_CREAT, 0600);
  assert_int_equal(dup2(fd, old), old);
  write_event(writer, "n", "2");
  read_events(writer, &text);
  assert_int_equal(count_lines(&text), 2);
  kiln_buf_init(&theirs);
  assert_int_equal(kiln_file_read(scratch_path(*state, "theirs"), 4096, &theirs, NULL), KILN_OK);
  assert_int_equal(theirs.len, 0);
  assert_int_equal(writer->lost, 0);
  assert_true(fcntl(old, F_GETFD) >= 0); /* and theirs is still open */
  close(old);
  close(fd);
  kiln_buf_release(&text);
  kiln_buf_release(&theirs);
  kiln_event_writer_close(writer);
}

static void
write_long(struct kiln_event_writer *writer, int items)
{
  struct kiln_event_line line;
  assert_true(kiln_event_begin(writer, &line, KILN_EVENT_HASH, 5, 7));
  kiln_json_key(&line.json, "kernels");
  kiln_json_object(&line.json);
  for (int i = 0; i < items; i++) {
    char name[40];
    snprintf(name, sizeof name, "k\\\"{,[%d", i);
    kiln_json_key(&line.json, name);
    kiln_json_array(&line.json);
    kiln_json_string(&line.json, "0123456789abcdef");
    kiln_json_int(&line.json, i);
    kiln_json_array_end(&line.json);
  }
  kiln_json_object_end(&line.json);
  kiln_json_key(&line.json, "after");
  kiln_json_bool(&line.json, true);
  kiln_event_end(writer, &line);
}

/* Around the limit every length comes out as one line of valid JSON, cut or whole. */
static void
test_long_lines_are_cut_and_stay_json(void **state)
{
  for (int items = 1250; items < 1700; items += 7) {
    struct kiln_event_writer *writer = open_writer(state);
    struct kiln_buf text;
    struct cJSON *tree = NULL;
    write_long(writer, items);
    read_events(writer, &text);
    assert_int_equal(count_lines(&text), 1);
    assert_true(text.len <= KILN_EVENT_MAX_LINE);
    assert_int_equal(kiln_json_parse(text.data, text.len, "event", &tree, NULL), KILN_OK);
    bool whole = kiln_json_get_bool(tree, "after", false), cut = kiln_json_get_bool(tree, "cut", false);
    assert_true(whole != cut);
    assert_true(cut || kiln_json_count(kiln_json_get(tree, "kernels")) == (size_t)items);
    assert_true(kiln_json_count(kiln_json_get(tree, "kernels")) >= 1240);
    kiln_json_free(tree);
    char path[3000];
    snprintf(path, sizeof path, "%s/%d.5.jsonl", writer->folder, (int)getpid());
    unlink(path);
    kiln_buf_release(&text);
    kiln_event_writer_close(writer);
  }
}

static void *
write_thousand(void *writer)
{
  for (int i = 0; i < 1000; i++)
    write_event(writer, "text", "one event is one write, so lines of threads do not mix");
  return NULL;
}

static void
test_threads_do_not_mix_lines(void **state)
{
  struct kiln_event_writer *writer = open_writer(state);
  pthread_t threads[4];
  struct kiln_buf text;
  for (int i = 0; i < 4; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, write_thousand, writer), 0);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  read_events(writer, &text);
  assert_int_equal(writer->lost, 0);
  size_t lines = 0;
  for (char *line = strtok(text.data, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    assert_memory_equal(line, "{\"v\":1,", 7);
    assert_string_equal(line + strlen(line) - 13, " do not mix\"}");
    lines++;
  }
  assert_int_equal(lines, 4000);
  kiln_buf_release(&text);
  kiln_event_writer_close(writer);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

int
main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_common_fields_come_first),
      TEST(test_span_has_id_and_length),
      TEST(test_closed_writer_writes_nothing),
      TEST(test_missing_folder_is_made),
      TEST(test_relative_folder_survives_a_change_of_directory),
      TEST(test_forked_child_has_its_own_file),
      TEST(test_full_disk_is_counted_and_keeps_errno),
      TEST(test_number_taken_by_the_program_is_left_alone),
      TEST(test_long_lines_are_cut_and_stay_json),
      TEST(test_threads_do_not_mix_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
