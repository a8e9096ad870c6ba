/* The runner against supervisors that lie, and against the real one. What processes do is in tests/proc. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "os/file.h"
#include "os/process.h"
#include "os/runner.h"

#define SPAWN KILN_BINARY_DIR "/bin/kiln-spawn"

struct place {
  char folder[64], supervisor[96], out[96], err[96];
  struct kiln_run_options options;
  struct kiln_run_result result;
  struct kiln_error error;
};

static char *const environment[] = {"PATH=/usr/bin:/bin", "LD_PRELOAD=", "COLOUR=blue", NULL};

static int
set_up(void **state)
{
  struct place *place = calloc(1, sizeof *place);
  assert_non_null(place);
  struct kiln_buf folder;
  kiln_buf_init(&folder);
  assert_int_equal(kiln_folder_make_private("/tmp", "kiln-runner-", &folder, NULL), KILN_OK);
  snprintf(place->folder, sizeof place->folder, "%s", kiln_buf_text(&folder));
  kiln_buf_release(&folder);
  snprintf(place->supervisor, sizeof place->supervisor, "%s/supervisor", place->folder);
  snprintf(place->out, sizeof place->out, "%s/out", place->folder);
  snprintf(place->err, sizeof place->err, "%s/err", place->folder);
  static char *const command[] = {"true", NULL};
  place->options = (struct kiln_run_options){.supervisor = SPAWN,
      .command = command,
      .environment = environment,
      .stdout_path = place->out,
      .stderr_path = place->err};
  *state = place;
  return 0;
}

static int
tear_down(void **state)
{
  struct place *place = *state;
  kiln_folder_remove(place->folder, NULL);
  free(place);
  return 0;
}

/* A supervisor written in shell: $status is the descriptor for lines, $owner the one for orders. */
static void
fake(struct place *place, const char *body)
{
  FILE *file = fopen(place->supervisor, "w");
  assert_non_null(file);
  fprintf(file, "#!/bin/sh\nowner=$2 status=$4\n%s\n", body);
  fclose(file);
  assert_int_equal(chmod(place->supervisor, 0700), 0);
  place->options.supervisor = place->supervisor;
}

static enum kiln_status
run(struct place *place)
{
  return kiln_run(&place->options, &place->result, &place->error);
}

static void
expect_content(const char *path, const char *expected)
{
  struct kiln_buf buf;
  kiln_buf_init(&buf);
  assert_int_equal(kiln_file_read(path, 65536, &buf, NULL), KILN_OK);
  assert_string_equal(kiln_buf_text(&buf), expected);
  kiln_buf_release(&buf);
}

static void
test_a_command_ends_by_itself(void **state)
{
  struct place *place = *state;
  place->options.command = (char *const[]){"sh", "-c", "echo out; echo err >&2; exit 7", NULL};
  assert_int_equal(run(place), KILN_OK);
  assert_int_equal(place->result.end, KILN_RUN_ENDED);
  assert_int_equal(place->result.exit_code, 7);
  assert_int_equal(place->result.signal, 0);
  assert_true(place->result.pid > 0);
  assert_true(place->result.end_ns > place->result.begin_ns);
  assert_int_equal(place->result.reaped, 1);
  assert_int_equal(place->result.killed, 0);
  assert_true(place->result.usage.max_rss_bytes > 0);
  assert_int_equal(place->result.stdout_bytes, 4);
  assert_int_equal(place->result.stderr_bytes, 4);
  assert_false(place->result.output_cut || place->result.output_lost || place->result.survivors);
  expect_content(place->out, "out\n");
  expect_content(place->err, "err\n");
}

static void
test_a_command_that_is_not_there(void **state)
{
  struct place *place = *state;
  place->options.command = (char *const[]){"kiln-no-such-command", NULL};
  assert_int_equal(run(place), KILN_OK);
  assert_int_equal(place->result.end, KILN_RUN_NOT_STARTED);
  assert_int_equal(place->result.start_errno, ENOENT);
}

static void
test_the_environment_arrives_whole(void **state)
{
  struct place *place = *state;
  char *const environment_here[] = {"PATH=/usr/bin:/bin", "LD_PRELOAD=/nonexistent/lib.so", "COLOUR=blue", NULL};
  place->options.environment = environment_here;
  place->options.command = (char *const[]){"sh", "-c", "echo $COLOUR $LD_PRELOAD", NULL};
  assert_int_equal(run(place), KILN_OK);
  expect_content(place->out, "blue /nonexistent/lib.so\n");
}

/* The observing library is for the command alone. */
static void
test_the_supervisor_preloads_nothing(void **state)
{
  struct place *place = *state;
  char *const environment_here[] = {"LD_PRELOAD=a:b", "COLOUR=blue", NULL};
  place->options.environment = environment_here;
  fake(place, "echo \"[$COLOUR] [$LD_PRELOAD] $*\" >\"$6\"; exit 0");
  assert_int_equal(run(place), KILN_ERROR_ENVIRONMENT);
  struct kiln_buf buf;
  kiln_buf_init(&buf);
  assert_int_equal(kiln_file_read(place->out, 65536, &buf, NULL), KILN_OK);
  assert_non_null(strstr(kiln_buf_text(&buf), "[blue] [] "));
  assert_non_null(strstr(kiln_buf_text(&buf), "--preload a:b -- true"));
  kiln_buf_release(&buf);
}

static void
count_ticks(void *context)
{
  ++*(int *)context;
}

static void
test_ticks_and_time_limit(void **state)
{
  struct place *place = *state;
  int ticks = 0;
  place->options.command = (char *const[]){"sleep", "600", NULL};
  place->options.timeout_s = 0.5;
  place->options.tick = count_ticks;
  place->options.context = &ticks;
  assert_int_equal(run(place), KILN_OK);
  assert_int_equal(place->result.end, KILN_RUN_TIMEOUT);
  assert_int_equal(place->result.signal, SIGKILL);
  assert_true(place->result.end_ns - place->result.begin_ns >= 400000000u);
  /* Late ticks are dropped on a busy machine, but there are never more than one in 100 ms. */
  assert_true(ticks >= 1);
  assert_true((uint64_t)ticks <= (place->result.end_ns - place->result.begin_ns) / 100000000u + 2);
}

static void
test_a_supervisor_that_is_missing(void **state)
{
  struct place *place = *state;
  place->options.supervisor = "/nonexistent/kiln-spawn";
  assert_int_equal(run(place), KILN_ERROR_ENVIRONMENT);
  assert_non_null(strstr(place->error.what, "/nonexistent/kiln-spawn"));
}

static void
test_an_output_file_that_cannot_be_made(void **state)
{
  struct place *place = *state;
  place->options.stdout_path = "/nonexistent/out";
  assert_int_equal(run(place), KILN_ERROR_ENVIRONMENT);
  assert_non_null(strstr(place->error.what, "/nonexistent/out"));
  assert_int_equal(place->error.sys_errno, ENOENT);
}

static void
test_a_supervisor_that_dies(void **state)
{
  struct place *place = *state;
  fake(place, "kill -9 $$");
  assert_int_equal(run(place), KILN_ERROR_ENVIRONMENT);
  assert_non_null(strstr(place->error.what, "signal 9"));
  fake(place, "exit 3");
  assert_int_equal(run(place), KILN_ERROR_ENVIRONMENT);
  assert_non_null(strstr(place->error.what, "status 3"));
  assert_string_not_equal(place->error.remedy, "");
}

static void
test_a_supervisor_that_talks_nonsense(void **state)
{
  struct place *place = *state;
  fake(place, "echo nonsense >&$status");
  assert_int_equal(run(place), KILN_ERROR_ENVIRONMENT);
  assert_non_null(strstr(place->error.what, "protocol"));
  /* An endless line ends at the bound, and the order to stop is given. */
  fake(place, "cat /dev/zero >&$status & head -c 1 <&$owner >\"$6\"; kill $!");
  assert_int_equal(run(place), KILN_ERROR_ENVIRONMENT);
  assert_non_null(strstr(place->error.what, "too long"));
  expect_content(place->out, "K");
}

/* It asks to kill; the fake then reports an end that came first, so the run has ended by itself. */
static void
test_an_end_before_the_kill_is_an_end(void **state)
{
  struct place *place = *state;
  fake(place, "printf '{\"ev\":\"started\",\"pid\":7,\"t\":\"5\"}\\n' >&$status\nhead -c 1 <&$owner >\"$6\"\n"
              "printf '{\"ev\":\"exited\",\"pid\":7,\"code\":0,\"signal\":0,\"killed\":false,\"t\":\"6\"}\\n"
              "{\"ev\":\"done\",\"reaped\":1,\"killed\":0,\"stdout\":0,\"stderr\":0,\"usage\":{\"user_ns\":1,"
              "\"system_ns\":1,\"max_rss_bytes\":1,\"minor_faults\":1,\"major_faults\":1,\"voluntary_switches\":1,"
              "\"involuntary_switches\":1}}\\n' >&$status");
  place->options.timeout_s = 0.01;
  assert_int_equal(run(place), KILN_OK);
  expect_content(place->out, "K");
  assert_int_equal(place->result.end, KILN_RUN_ENDED);
}

static bool
is_there(void *context)
{
  return access(context, F_OK) == 0;
}

/* A line makes it ready; what it does when it is asked to end is its own affair. */
static void
test_ready_by_a_line(void **state)
{
  struct place *place = *state;
  const struct kiln_run_ready ready = {.output = "^up [0-9]$"};
  place->options.ready = &ready;
  place->options.command =
      (char *const[]){"sh", "-c", "trap 'exit 5' TERM; echo up; echo up 7 >&2; while :; do sleep 0.05; done", NULL};
  assert_int_equal(run(place), KILN_OK);
  assert_int_equal(place->result.end, KILN_RUN_READY);
  assert_true(place->result.ready);
  assert_int_equal(place->result.exit_code, 5);
  assert_true(place->result.ready_ns > place->result.begin_ns && place->result.ready_ns < place->result.end_ns);
  assert_true(place->result.ready_cpu_ns <= place->result.usage.user_ns + place->result.usage.system_ns);
}

static void
test_ready_by_a_question(void **state)
{
  struct place *place = *state;
  const struct kiln_run_ready ready = {.reached = is_there, .context = place->supervisor};
  place->options.ready = &ready;
  place->options.command = (char *const[]){"sh", "-c", "sleep 0.1; : >\"$0\"; exec sleep 600", place->supervisor, NULL};
  assert_int_equal(run(place), KILN_OK);
  assert_int_equal(place->result.end, KILN_RUN_READY);
  assert_int_equal(place->result.signal, SIGTERM);
}

/* Between two looks: the last one is after the end. */
static void
test_ready_and_gone(void **state)
{
  struct place *place = *state;
  const struct kiln_run_ready ready = {.reached = is_there, .context = place->supervisor};
  place->options.ready = &ready;
  place->options.command = (char *const[]){"sh", "-c", ": >\"$0\"; exit 3", place->supervisor, NULL};
  assert_int_equal(run(place), KILN_OK);
  assert_int_equal(place->result.end, KILN_RUN_ENDED);
  assert_true(place->result.ready);
  assert_int_equal(place->result.exit_code, 3);
  const struct kiln_run_ready line = {.output = "gone"};
  place->options.ready = &line;
  place->options.command = (char *const[]){"sh", "-c", "printf gone; exit 4", NULL};
  assert_int_equal(run(place), KILN_OK);
  assert_int_equal(place->result.end, KILN_RUN_ENDED);
  assert_true(place->result.ready && place->result.ready_ns <= place->result.end_ns);
  assert_int_equal(place->result.exit_code, 4);
}

static void
test_never_ready(void **state)
{
  struct place *place = *state;
  const struct kiln_run_ready ready = {.output = "^never$"};
  place->options.ready = &ready;
  place->options.timeout_s = 0.3;
  place->options.command = (char *const[]){"sleep", "600", NULL};
  assert_int_equal(run(place), KILN_OK);
  assert_int_equal(place->result.end, KILN_RUN_TIMEOUT);
  assert_false(place->result.ready);
  place->options.command = (char *const[]){"true", NULL};
  assert_int_equal(run(place), KILN_OK);
  assert_int_equal(place->result.end, KILN_RUN_ENDED);
  assert_false(place->result.ready);
}

/* The limit is for getting ready: what takes its time to end afterwards is not cut. */
static void
test_who_does_not_obey_is_killed(void **state)
{
  struct place *place = *state;
  const struct kiln_run_ready ready = {.output = "^up$"};
  place->options.ready = &ready;
  place->options.timeout_s = 4;
  place->options.command = (char *const[]){"sh", "-c", "trap '' TERM; echo up; while :; do sleep 0.2; done", NULL};
  assert_int_equal(run(place), KILN_OK);
  assert_int_equal(place->result.end, KILN_RUN_READY);
  assert_int_equal(place->result.signal, SIGKILL);
  assert_true(place->result.end_ns - place->result.ready_ns >= 4500000000u);
}

static void
test_a_wrong_expression_is_refused(void **state)
{
  struct place *place = *state;
  const struct kiln_run_ready ready = {.output = "a("};
  place->options.ready = &ready;
  assert_int_equal(run(place), KILN_ERROR_ENVIRONMENT);
  assert_non_null(strstr(place->error.what, "a("));
}

static void
test_inherited_descriptors(void **state)
{
  struct place *place = *state;
  char script[80];
  const int own = dup(2);
  snprintf(script, sizeof script, "[ -e /proc/$$/fd/%d ]", own);
  place->options.command = (char *const[]){"sh", "-c", script, NULL};
  assert_int_equal(run(place), KILN_OK);
  assert_int_equal(place->result.exit_code, 1);
  place->options.inherit = true;
  assert_int_equal(run(place), KILN_OK);
  assert_int_equal(place->result.exit_code, 0);
  close(own);
}

static void
test_plain_output_makes_no_files(void **state)
{
  struct place *place = *state;
  place->options.plain_output = true;
  place->options.stdout_path = place->options.stderr_path = NULL;
  place->options.command = (char *const[]){"sh", "-c", "exit 6", NULL};
  assert_int_equal(run(place), KILN_OK);
  assert_int_equal(place->result.exit_code, 6);
  assert_int_equal(place->result.stdout_bytes, 0);
}

static void
test_wrong_options(void **state)
{
  struct place *place = *state;
  place->options.timeout_s = -1;
  assert_int_equal(run(place), KILN_ERROR_ARGUMENT);
  assert_non_null(strstr(place->error.what, "-1"));
  place->options.timeout_s = 0;
  place->options.command = (char *const[]){NULL};
  assert_int_equal(run(place), KILN_ERROR_ARGUMENT);
}

/* The flag of an interruption stays set: this test comes last. */
static void
test_an_interruption_kills(void **state)
{
  struct place *place = *state;
  kiln_interrupt_watch();
  assert_int_equal(raise(SIGINT), 0);
  place->options.command = (char *const[]){"sleep", "600", NULL};
  assert_int_equal(run(place), KILN_OK);
  assert_int_equal(place->result.end, KILN_RUN_INTERRUPTED);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_a_command_ends_by_itself),
      TEST(test_a_command_that_is_not_there),
      TEST(test_the_environment_arrives_whole),
      TEST(test_the_supervisor_preloads_nothing),
      TEST(test_ticks_and_time_limit),
      TEST(test_a_supervisor_that_is_missing),
      TEST(test_an_output_file_that_cannot_be_made),
      TEST(test_a_supervisor_that_dies),
      TEST(test_a_supervisor_that_talks_nonsense),
      TEST(test_an_end_before_the_kill_is_an_end),
      TEST(test_ready_by_a_line),
      TEST(test_ready_by_a_question),
      TEST(test_ready_and_gone),
      TEST(test_never_ready),
      TEST(test_who_does_not_obey_is_killed),
      TEST(test_a_wrong_expression_is_refused),
      TEST(test_inherited_descriptors),
      TEST(test_plain_output_makes_no_files),
      TEST(test_wrong_options),
      TEST(test_an_interruption_kills),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
