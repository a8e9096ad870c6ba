#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "os/file.h"
#include "probe/record_file.h"

static int
make_folder(void **state)
{
  static struct kiln_buf folder;
  kiln_buf_init(&folder);
  assert_int_equal(kiln_folder_make_private("/tmp", "kiln-record-", &folder, NULL), KILN_OK);
  *state = folder.data;
  return 0;
}

static int
remove_folder(void **state)
{
  kiln_folder_remove(*state, NULL);
  free(*state);
  return 0;
}

static void
write_text(const char *folder, const char *name, const char *text)
{
  char path[160];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  assert_int_equal(kiln_file_write(path, text, strlen(text), NULL), KILN_OK);
}

#define EVENT(pid, t, rest) "{\"v\":1,\"t\":" t ",\"cpu\":5000000,\"pid\":" pid ",\"tid\":" pid "," rest "}\n"
#define START(pid, t, command)                                                                                         \
  EVENT(pid, t, "\"ev\":\"process\",\"what\":\"start\",\"ppid\":1,\"argv\":[\"" command "\"]")
#define END(pid, t) EVENT(pid, t, "\"ev\":\"process\",\"what\":\"end\",\"process_cpu\":2000000000")

/* Two processes, one of them without an end. */
static void
test_events_alone_are_a_record(void **state)
{
  const char *folder = *state;
  struct kiln_report *report;
  write_text(folder, "7.1.jsonl", START("7", "1000000000", "first") END("7", "4000000000"));
  write_text(folder, "8.2.jsonl", START("8", "2000000000", "second"));
  assert_int_equal(kiln_record_read(folder, &report, NULL), KILN_OK);
  assert_true(report->recorded);
  assert_true(report->unfinished);
  assert_int_equal(report->state, KILN_REPORT_COMPLETE);
  assert_int_equal(report->command_count, 1);
  assert_string_equal(report->command[0], "first");
  const struct kiln_report_run *run = &report->arms[0].samples[0].cold;
  assert_true(run->elapsed_s > 2.999 && run->elapsed_s < 3.001);
  assert_true(run->cpu_s > 2.004 && run->cpu_s < 2.006);
  assert_int_equal(report->warning_count, 1);
  kiln_report_free(report);
}

static void
test_a_folder_without_events_is_none(void **state)
{
  const char *folder = *state;
  struct kiln_report *report;
  struct kiln_error error;
  assert_int_equal(kiln_record_read(folder, &report, &error), KILN_ERROR_FORMAT);
  assert_non_null(strstr(error.what, folder));
  assert_null(report);
}

static const struct kiln_run_result result = {.end = KILN_RUN_TIMEOUT,
    .pid = 7,
    .signal = 9,
    .begin_ns = 9007199254740993U, /* no double */
    .end_ns = 9007201254740993U,
    .usage = {.user_ns = 3, .system_ns = 4, .max_rss_bytes = 5},
    .killed = 6};

static void
test_the_file_comes_back(void **state)
{
  const char *folder = *state;
  const struct kiln_record_options options = {
      .command = (char *const[]){"cmd", "a b", NULL}, .folder = folder, .timeout_s = 2};
  struct kiln_record_file file;
  struct kiln_arena arena;
  kiln_arena_init(&arena);
  assert_int_equal(kiln_record_file_read(folder, &arena, &file, NULL), KILN_OK);
  assert_false(file.present);
  assert_int_equal(kiln_record_file_write(&options, NULL, NULL), KILN_OK);
  assert_int_equal(kiln_record_file_read(folder, &arena, &file, NULL), KILN_OK);
  assert_true(file.present);
  assert_false(file.finished);
  assert_int_equal(kiln_record_file_write(&options, &result, NULL), KILN_OK);
  assert_int_equal(kiln_record_file_read(folder, &arena, &file, NULL), KILN_OK);
  assert_true(file.finished);
  assert_int_equal(file.command_count, 2);
  assert_string_equal(file.command[1], "a b");
  assert_true(file.timeout_s == 2);
  assert_true(file.result.begin_ns == result.begin_ns && file.result.end_ns == result.end_ns);
  assert_int_equal(file.result.end, KILN_RUN_TIMEOUT);
  assert_int_equal(file.result.signal, 9);
  assert_int_equal(file.result.usage.system_ns, 4);
  assert_int_equal(file.result.killed, 6);
  assert_true(file.host.cores > 0);
  kiln_arena_release(&arena);
}

static void
test_broken_files_are_refused(void **state)
{
  static const char *const texts[] = {"", "[]", "{}", "{\"schema\":\"kiln-record-1\"}",
      "{\"schema\":\"kiln-record-2\",\"command\":[\"x\"]}", "{\"schema\":\"kiln-record-1\",\"command\":[]}",
      "{\"schema\":\"kiln-record-1\",\"command\":[\"x\"],\"run\":{}}",
      "{\"schema\":\"kiln-record-1\",\"command\":[\"x\"],\"run\":{\"end\":\"ended\",\"begin_ns\":\"5\",\"end_ns\":"
      "\"4\"}}",
      "{\"schema\":\"kiln-record-1\",\"command\":[\"x\"],\"run\":{\"end\":\"odd\",\"begin_ns\":\"5\",\"end_ns\":\"6\"}"
      "}"};
  struct kiln_record_file file;
  struct kiln_arena arena;
  kiln_arena_init(&arena);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    write_text(*state, KILN_RECORD_FILE, texts[i]);
    if (kiln_record_file_read(*state, &arena, &file, NULL) == KILN_OK)
      fail_msg("accepted: %s", texts[i]);
  }
  write_text(*state, KILN_RECORD_FILE, "{\"schema\":\"kiln-record-1\",\"command\":[7]}");
  assert_int_equal(kiln_record_file_read(*state, &arena, &file, NULL), KILN_OK);
  assert_string_equal(file.command[0], "");
  kiln_arena_release(&arena);
}

/* The result is kiln's, the events are the processes'. */
static void
test_a_finished_run(void **state)
{
  const char *folder = *state;
  const struct kiln_record_options options = {
      .command = (char *const[]){"cmd", NULL}, .folder = folder, .timeout_s = 2};
  struct kiln_report *report;
  write_text(folder, "7.1.jsonl", START("7", "1000000000", "first") END("7", "4000000000"));
  assert_int_equal(kiln_record_file_write(&options, &result, NULL), KILN_OK);
  assert_int_equal(kiln_record_read(folder, &report, NULL), KILN_OK);
  assert_string_equal(report->command[0], "cmd");
  assert_int_equal(report->state, KILN_REPORT_INVALID);
  assert_non_null(strstr(report->failure, "time limit of 2 s"));
  assert_true(report->arms[0].samples[0].valid);
  assert_true(report->arms[0].samples[0].cold.elapsed_s > 1.99 && report->arms[0].samples[0].cold.elapsed_s < 2.01);
  assert_int_equal(report->warning_count, 1); /* of the six that were killed */
  kiln_report_free(report);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int
main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_events_alone_are_a_record),
      TEST(test_a_folder_without_events_is_none),
      TEST(test_the_file_comes_back),
      TEST(test_broken_files_are_refused),
      TEST(test_a_finished_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
