#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "os/run_status.h"

#define STARTED "{\"ev\":\"started\",\"pid\":7,\"t\":\"100\"}\n"
#define READY "{\"ev\":\"ready\",\"t\":\"150\"}\n"
#define EXITED "{\"ev\":\"exited\",\"pid\":7,\"code\":3,\"signal\":0,\"killed\":false,\"t\":\"9007199254740995\"}\n"
#define USAGE                                                                                                          \
  "\"usage\":{\"user_ns\":1,\"system_ns\":2,\"max_rss_bytes\":3,\"minor_faults\":4,\"major_faults\":5,"                \
  "\"voluntary_switches\":6,\"involuntary_switches\":7}"
#define DONE                                                                                                           \
  "{\"ev\":\"done\",\"reaped\":2,\"killed\":1,\"survivors\":false,\"stdout\":10,\"stderr\":20,\"cut\":true,"           \
  "\"lost\":false," USAGE "}\n"

struct reading {
  struct kiln_run_status status;
  struct kiln_run_result result;
  struct kiln_error error;
};

static enum kiln_status
read_all(struct reading *reading, const char *text)
{
  memset(reading, 0, sizeof *reading);
  kiln_run_status_init(&reading->status);
  return kiln_run_status_take(&reading->status, text, strlen(text), &reading->result, &reading->error);
}

static void
test_whole_run(void **state)
{
  (void)state;
  struct reading reading;
  assert_int_equal(read_all(&reading, STARTED EXITED DONE), KILN_OK);
  assert_true(reading.status.started && reading.status.exited && reading.status.done);
  assert_int_equal(reading.result.pid, 7);
  assert_int_equal(reading.result.exit_code, 3);
  assert_int_equal(reading.result.begin_ns, 100);
  /* 2^53 + 3 is no double. */
  assert_true(reading.result.end_ns == UINT64_C(9007199254740995));
  assert_int_equal(reading.result.usage.involuntary_switches, 7);
  assert_int_equal(reading.result.stderr_bytes, 20);
  assert_true(reading.result.output_cut);
  assert_false(reading.result.output_lost);
}

/* The line may have lain in the pipe while the command was reaped. */
static void
test_ready_before_and_behind_the_end(void **state)
{
  (void)state;
  static const char *const texts[] = {STARTED READY EXITED DONE, STARTED EXITED READY DONE};
  struct reading reading;
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(read_all(&reading, texts[i]), KILN_OK);
    assert_true(reading.result.ready);
    assert_int_equal(reading.result.ready_ns, 150);
  }
  assert_int_equal(read_all(&reading, STARTED EXITED DONE), KILN_OK);
  assert_false(reading.result.ready);
}

static void
test_bytes_may_come_one_by_one(void **state)
{
  (void)state;
  const char *text = STARTED EXITED DONE;
  struct reading reading;
  assert_int_equal(read_all(&reading, ""), KILN_OK);
  for (size_t i = 0; text[i] != '\0'; i++) {
    assert_false(reading.status.done);
    assert_int_equal(kiln_run_status_take(&reading.status, text + i, 1, &reading.result, &reading.error), KILN_OK);
  }
  assert_true(reading.status.done);
  assert_int_equal(reading.result.killed, 1);
}

static void
test_not_started(void **state)
{
  (void)state;
  struct reading reading;
  assert_int_equal(read_all(&reading, "{\"ev\":\"not_started\",\"errno\":2,\"t\":\"5\"}\n" DONE), KILN_OK);
  assert_int_equal(reading.result.end, KILN_RUN_NOT_STARTED);
  assert_int_equal(reading.result.start_errno, 2);
  assert_true(reading.status.done);
}

static void
test_failure_of_the_supervisor_is_quoted(void **state)
{
  (void)state;
  struct reading reading;
  assert_int_equal(
      read_all(&reading, "{\"ev\":\"failed\",\"what\":\"no room for 'x'\",\"errno\":28}\n"), KILN_ERROR_ENVIRONMENT);
  assert_non_null(strstr(reading.error.what, "no room for 'x'"));
  assert_int_equal(reading.error.sys_errno, 28);
}

static void
test_unknown_kinds_are_ignored(void **state)
{
  (void)state;
  struct reading reading;
  assert_int_equal(read_all(&reading, "{\"ev\":\"later\",\"x\":[1]}\n" STARTED), KILN_OK);
  assert_true(reading.status.started);
}

static void
test_hostile_lines_are_refused(void **state)
{
  (void)state;
  static const char *const lines[] = {
      "\n",
      "nonsense\n",
      "[]\n",
      "{}\n",
      "{\"ev\":5}\n",
      "{\"ev\":\"started\"}\n",
      "{\"ev\":\"started\",\"pid\":0,\"t\":\"1\"}\n",
      "{\"ev\":\"started\",\"pid\":99999999999,\"t\":\"1\"}\n",
      "{\"ev\":\"started\",\"pid\":7,\"t\":1}\n",
      "{\"ev\":\"started\",\"pid\":7,\"t\":\"-1\"}\n",
      "{\"ev\":\"started\",\"pid\":7,\"t\":\"18446744073709551616\"}\n",
      STARTED STARTED,
      EXITED,
      DONE,
      STARTED EXITED EXITED,
      STARTED DONE DONE,
      READY,
      STARTED READY READY,
      STARTED "{\"ev\":\"ready\",\"t\":\"99\"}\n",
      STARTED "{\"ev\":\"ready\",\"t\":200}\n",
      STARTED "{\"ev\":\"exited\",\"pid\":8,\"code\":0,\"signal\":0,\"t\":\"200\"}\n",
      STARTED "{\"ev\":\"exited\",\"pid\":7,\"code\":0,\"signal\":0,\"t\":\"99\"}\n",
      STARTED "{\"ev\":\"exited\",\"pid\":7,\"code\":-1,\"signal\":0,\"t\":\"200\"}\n",
      STARTED "{\"ev\":\"exited\",\"pid\":7,\"code\":1.5e300,\"signal\":0,\"t\":\"200\"}\n",
      STARTED "{\"ev\":\"done\",\"reaped\":1,\"killed\":0,\"stdout\":0,\"stderr\":0}\n",
      STARTED "{\"ev\":\"done\",\"reaped\":1,\"killed\":0,\"stdout\":-5,\"stderr\":0," USAGE "}\n",
  };
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    struct reading reading;
    if (read_all(&reading, lines[i]) != KILN_ERROR_ENVIRONMENT)
      fail_msg("accepted: %s", lines[i]);
    assert_string_not_equal(reading.error.what, "");
    assert_string_not_equal(reading.error.remedy, "");
  }
}

static void
test_a_line_without_end_is_refused(void **state)
{
  (void)state;
  char noise[KILN_RUN_STATUS_LINE];
  struct reading reading;
  memset(noise, ' ', sizeof noise);
  assert_int_equal(read_all(&reading, ""), KILN_OK);
  assert_int_equal(
      kiln_run_status_take(&reading.status, noise, sizeof noise, &reading.result, &reading.error), KILN_OK);
  assert_int_equal(
      kiln_run_status_take(&reading.status, noise, 1, &reading.result, &reading.error), KILN_ERROR_ENVIRONMENT);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_whole_run),
      cmocka_unit_test(test_ready_before_and_behind_the_end),
      cmocka_unit_test(test_bytes_may_come_one_by_one),
      cmocka_unit_test(test_not_started),
      cmocka_unit_test(test_failure_of_the_supervisor_is_quoted),
      cmocka_unit_test(test_unknown_kinds_are_ignored),
      cmocka_unit_test(test_hostile_lines_are_refused),
      cmocka_unit_test(test_a_line_without_end_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
