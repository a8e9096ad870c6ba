/* The counting itself, without assembly: thunk code is played by an array, launches by calls of the slow way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "agents/preload/agent.c"
#include "agents/preload/count.c"
#include "tests/unit/os/scratch.h"

static char code[KILN_THUNKS + 1][16];

void *
kiln_thunk_code(uint32_t index)
{
  return code[index];
}

static void
write_name(char *name, size_t size, int number)
{
  snprintf(name, size, "{\"kernel\":\"k%d\"}", number);
}

static struct kiln_count_answer
add(uint64_t address, int number, bool expected)
{
  char name[64];
  struct kiln_count_answer answer = {0};
  write_name(name, sizeof name, number);
  struct kiln_count_request request = {address, KILN_THUNK_POINTER, 8, name, strlen(name)};
  assert_int_equal(kiln_count_thunk(&request, &answer), expected);
  return answer;
}

static void
launch(const struct kiln_count_answer *answer, uint64_t dim)
{
  uint64_t bounds[2] = {0, dim};
  uint64_t index = (answer->address - (uint64_t)(uintptr_t)code) / sizeof code[0];
  kiln_thunk_count(&kiln_thunk_table[index], bounds, NULL);
}

static uint64_t
counted(uint32_t signature, uint64_t dim)
{
  uint64_t sum = 0;
  for (int i = 0; i < KILN_COUNTERS_SLOTS; i++) {
    const struct kiln_counter_slot *slot = &counters->slot[i];
    if (slot->key != 0 && slot->signature == signature && (dim == 0 || slot->dim == dim))
      sum += slot->count;
  }
  return sum;
}

/* Each test runs in a process of its own: the agent's state is global. */
static void
in_child(void **state, void (*body)(void))
{
  struct scratch *scratch = *state;
  int status;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    if (!kiln_event_writer_open(&kiln_agent.writer, scratch->folder.data))
      _exit(9);
    kiln_agent_mark("boot");
    body();
    _exit(0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

static void
signatures_are_kept_once_body(void)
{
  struct kiln_count_answer first = add(1000, 1, true), same = add(1000, 1, true), moved = add(2000, 1, true);
  struct kiln_count_answer other = add(1000, 2, true);
  assert_true(first.is_new && !same.is_new && !moved.is_new && other.is_new);
  assert_true(first.address == same.address && first.address != moved.address && first.address != other.address);
  assert_true(first.signature == moved.signature && first.signature != other.signature);
  launch(&first, 16);
  launch(&moved, 16);
  launch(&other, 16);
  launch(&first, 8);
  assert_int_equal(counted(first.signature, 16), 2);
  assert_int_equal(counted(first.signature, 8), 1);
  assert_int_equal(counted(other.signature, 0), 1);
  assert_int_equal(counters->names_used % 8, 0);
}

static void
full_pool_calls_the_kernel_itself_body(void)
{
  struct kiln_count_answer last = {0};
  for (uint64_t i = 1; i <= KILN_THUNKS; i++)
    last = add(i * 64, 1, true);
  struct kiln_count_answer one_more = add(99, 1, false);
  assert_int_equal(one_more.address, 99);
  assert_int_equal(counters->overflow, 1);
  kiln_count_release(last.address);
  kiln_count_release(12345); /* no thunk */
  struct kiln_count_answer again = add(99, 1, true);
  assert_int_equal(again.address, last.address);
}

static void
many_dims_are_counted_together_body(void)
{
  struct kiln_count_answer answer = add(1000, 1, true);
  for (uint64_t dim = 1; dim <= 3 * KILN_COUNTERS_SLOTS; dim++)
    launch(&answer, dim);
  assert_int_equal(counted(answer.signature, 0) + counters->overflow, 3 * KILN_COUNTERS_SLOTS);
  assert_true(counted(answer.signature, KILN_COUNTERS_OTHER_DIM) + counters->overflow > KILN_COUNTERS_SLOTS);
}

static void
full_names_are_said_body(void)
{
  struct kiln_count_answer answer = {0};
  static char name[200000];
  memset(name, 'x', sizeof name - 1);
  assert_true(kiln_count_signature(name, sizeof name - 1, &answer));
  name[0] = 'y';
  assert_false(kiln_count_signature(name, sizeof name - 1, &answer));
  assert_int_equal(counters->overflow, 1);
  assert_true(counters->names_used <= KILN_COUNTERS_NAMES);
  add(1000, 1, true); /* a short one still fits */
}

static void
child_counts_for_itself_body(void)
{
  struct kiln_count_answer answer = add(1000, 1, true);
  int status;
  launch(&answer, 16);
  pid_t child = fork();
  if (child == 0) {
    launch(&answer, 16);
    launch(&answer, 16);
    struct kiln_count_answer second = add(3000, 2, true);
    launch(&second, 4);
    bool ok = counters->pid == (uint32_t)getpid() && counted(answer.signature, 16) == 2 &&
              counted(second.signature, 4) == 1 && memcmp(counters->names + 8, "{\"kernel\":\"k1\"}", 15) == 0 &&
              counters->names_used == name_bytes;
    _exit(ok ? 0 : 1);
  }
  waitpid(child, &status, 0);
  assert_int_equal(status, 0);
  assert_int_equal(counted(answer.signature, 16), 1);
  assert_int_equal(counters->pid, getpid());
}

static void
graphs_count_many_at_once_body(void)
{
  struct kiln_count_answer one = {0}, two = {0};
  kiln_count_launch(0, 64, 3); /* nothing is open, nothing happens */
  assert_true(kiln_count_signature("{\"kernel\":\"a\"}", 14, &one) && one.is_new);
  assert_true(kiln_count_signature("{\"kernel\":\"b\"}", 14, &two) && two.is_new);
  kiln_count_launch(one.signature, 64, 1);
  kiln_count_launch(one.signature, 64, 10);
  kiln_count_launch(two.signature, 64, 5);
  kiln_count_launch(two.signature + 1, 64, 7); /* never given out */
  assert_int_equal(counted(one.signature, 64), 11);
  assert_int_equal(counted(two.signature, 0), 5);
  for (uint64_t dim = 1; dim <= 3 * KILN_COUNTERS_SLOTS; dim++)
    kiln_count_launch(one.signature, dim * 1000, 2);
  assert_int_equal(counted(one.signature, 0) + counters->overflow, 11 + 6 * KILN_COUNTERS_SLOTS);
}

static int
lines_with(const char *text)
{
  char path[4096], line[4096];
  int count = 0;
  snprintf(path, sizeof path, "%s/%d.%llu.jsonl", kiln_agent.writer.folder, (int)getpid(),
      (unsigned long long)kiln_event_writer_start(&kiln_agent.writer));
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  while (fgets(line, sizeof line, file) != NULL)
    count += strstr(line, text) != NULL;
  fclose(file);
  return count;
}

static void
hook_errors_are_told_once_body(void)
{
  char name[32];
  for (int i = 0; i < 3; i++)
    kiln_agent_hook_error("one", "broken");
  kiln_agent_hook_error("one", "broken otherwise");
  kiln_agent_hook_error("two", "broken");
  kiln_agent_hook_error("onebr", "oken"); /* the border between the two texts counts */
  assert_int_equal(lines_with("\"ev\":\"error\""), 4);
  for (int i = 0; i < 100; i++) {
    snprintf(name, sizeof name, "hook%d", i);
    kiln_agent_hook_error(name, "broken");
  }
  assert_int_equal(lines_with("\"ev\":\"error\""), KILN_AGENT_HOOK_ERRORS);
}

#define TEST(name)                                                                                                     \
  static void test_##name(void **state)                                                                                \
  {                                                                                                                    \
    in_child(state, name##_body);                                                                                      \
  }
TEST(signatures_are_kept_once)
TEST(full_pool_calls_the_kernel_itself)
TEST(many_dims_are_counted_together)
TEST(full_names_are_said)
TEST(child_counts_for_itself)
TEST(graphs_count_many_at_once)
TEST(hook_errors_are_told_once)
#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, scratch_make, scratch_remove)

int
main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(signatures_are_kept_once),
      TEST(full_pool_calls_the_kernel_itself),
      TEST(many_dims_are_counted_together),
      TEST(full_names_are_said),
      TEST(child_counts_for_itself),
      TEST(graphs_count_many_at_once),
      TEST(hook_errors_are_told_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
