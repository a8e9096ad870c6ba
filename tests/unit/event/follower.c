#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "event/reader.h"
#include "os/file.h"

struct fixture {
  struct kiln_buf folder;
  struct kiln_event_follower *follower;
  int seen, last_pid;
};

static bool
take(void *context, const struct kiln_event *event)
{
  struct fixture *fixture = context;
  fixture->seen++;
  fixture->last_pid = event->pid;
  return true;
}

static int
setup(void **state)
{
  struct fixture *fixture = calloc(1, sizeof *fixture);
  *state = fixture;
  if (kiln_folder_make_private(kiln_folder_temporary(), "kiln-test-", &fixture->folder, NULL) != KILN_OK)
    return -1;
  fixture->follower = kiln_event_follower_new(fixture->folder.data);
  return fixture->follower ? 0 : -1;
}

static int
teardown(void **state)
{
  struct fixture *fixture = *state;
  kiln_event_follower_free(fixture->follower);
  kiln_folder_remove(fixture->folder.data, NULL);
  kiln_buf_release(&fixture->folder);
  free(fixture);
  return 0;
}

static void
append(struct fixture *fixture, const char *name, const char *text)
{
  struct kiln_buf path;
  kiln_buf_init(&path);
  kiln_buf_printf(&path, "%s/%s", fixture->folder.data, name);
  int fd = kiln_fd_open(path.data, KILN_OPEN_WRITE | KILN_OPEN_APPEND | KILN_OPEN_CREATE);
  assert_true(fd >= 0);
  assert_true(kiln_fd_write(fd, text, strlen(text)));
  kiln_fd_close(fd);
  kiln_buf_release(&path);
}

/* Events of one poll. */
static int
poll(struct fixture *fixture)
{
  fixture->seen = 0;
  kiln_event_follower_poll(fixture->follower, take, fixture);
  return fixture->seen;
}

static void
files_appear_and_grow(void **state)
{
  struct fixture *fixture = *state;
  assert_int_equal(poll(fixture), 0);
  append(fixture, "5.1.jsonl", "{\"ev\":\"load\",\"pid\":5}\n");
  assert_int_equal(poll(fixture), 1);
  assert_int_equal(fixture->last_pid, 5);
  assert_int_equal(poll(fixture), 0);
  append(fixture, "4.1.jsonl", "{\"ev\":\"load\",\"pid\":4}\n");
  append(fixture, "5.1.jsonl", "{\"ev\":\"load\",\"pid\":5}\n{\"ev\":\"load\",\"pid\":5}\n");
  append(fixture, "5.1.count", "{\"ev\":\"load\",\"pid\":5}\n");
  assert_int_equal(poll(fixture), 3);
  assert_int_equal(poll(fixture), 0);
}

static void
half_a_line_waits_for_its_end(void **state)
{
  struct fixture *fixture = *state;
  append(fixture, "7.1.jsonl", "{\"ev\":\"lo");
  assert_int_equal(poll(fixture), 0);
  append(fixture, "7.1.jsonl", "ad\",\"pid\":7}");
  assert_int_equal(poll(fixture), 0);
  append(fixture, "7.1.jsonl", "\n");
  assert_int_equal(poll(fixture), 1);
  assert_int_equal(fixture->last_pid, 7);
}

static void
many_files_that_end_are_all_seen(void **state)
{
  struct fixture *fixture = *state;
  enum { FILES = 300 }; /* more than are held open at once */
  int total = 0;
  for (int i = 0; i < FILES; i++) {
    char name[32];
    struct kiln_buf buf;
    kiln_buf_init(&buf);
    kiln_buf_printf(&buf, "%d.1.jsonl", i + 1);
    memcpy(name, buf.data, buf.len + 1);
    kiln_buf_release(&buf);
    append(fixture, name, "{\"ev\":\"process\",\"pid\":1,\"what\":\"end\"}\n");
  }
  for (int i = 0; i < 3; i++)
    total += poll(fixture);
  assert_int_equal(total, FILES);
}

static void
missing_folder_is_quiet(void **state)
{
  struct fixture *fixture = *state;
  kiln_folder_remove(fixture->folder.data, NULL);
  assert_int_equal(poll(fixture), 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int
main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(files_appear_and_grow),
      TEST(half_a_line_waits_for_its_end),
      TEST(many_files_that_end_are_all_seen),
      TEST(missing_folder_is_quiet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
