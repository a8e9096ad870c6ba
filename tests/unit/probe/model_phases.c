#include "unit/probe/events.h"

#define DECLARE "'ev':'declare','module':'m','kernel':'k'"
#define BUILD "'ev':'compile','step':'module','module':'m','result':'compiled'"

static struct kiln_span_time phase[KILN_PHASE_COUNT];

static void
split(struct events *events, int root, uint64_t begin, uint64_t end, uint64_t cpu)
{
  kiln_model_phases(events->model, root, begin, end, cpu, phase);
  struct kiln_span_time sum = {0, 0};
  for (int i = 0; i < KILN_PHASE_COUNT; i++) {
    sum.wall_ns += phase[i].wall_ns;
    sum.cpu_ns += phase[i].cpu_ns;
  }
  assert_int_equal(sum.wall_ns, end - begin);
  assert_int_equal(sum.cpu_ns, cpu);
}

/* Python from 1000 to 10000, main at 2000, exit at 9000. */
static void
write_run(struct events *events, int pid)
{
  add(events, pid, pid, 1000, "'ev':'process','what':'start','argv':['python3','a b.py'],'ppid':7");
  add(events, pid, pid, 1100, "'ev':'mark','name':'boot','python':'3.11.2'");
  add_span(events, pid, pid, 1200, 1400, "'ev':'import','name':'site'");
  add(events, pid, pid, 2000, "'ev':'mark','name':'main'");
  add_span(events, pid, pid, 2200, 2300, DECLARE);
  add_span(events, pid, pid, 2100, 3000, "'ev':'import','name':'warp'");
  add_span(events, pid, pid, 3000, 3100, "'ev':'mark','name':'init'");
  add_span(events, pid, pid, 3100, 3150, "'ev':'hash','module':'m'");
  add_span(events, pid, pid, 3210, 3250, "'ev':'codegen','module':'m'");
  add_span(events, pid, pid, 3300, 3320, "'ev':'pch'");
  add_span(events, pid, pid, 3290, 3700, "'ev':'compile','step':'native'");
  add_span(events, pid, pid, 3750, 3780, "'ev':'link','result':'compiled'");
  add_span(events, pid, pid, 3200, 4000, BUILD);
  add_span(events, pid, pid, 4000, 4060, "'ev':'load','module':'m','result':'compiled'");
  add_span(events, pid, pid, 4060, 4070, "'ev':'lookup','module':'m','kernel':'k'");
  add(events, pid, pid, 9000, "'ev':'mark','name':'exit'");
  add(events, pid, pid, 10000, "'ev':'process','what':'end'");
}

static void
phases_are_disjoint_and_add_up(void **state)
{
  struct events *events = *state;
  write_run(events, 100);
  finish_one(events);
  split(events, 100, 500, 10500, 6000);
  static const uint64_t wall[KILN_PHASE_COUNT] = {1500, 800, 100, 100, 50, 40, 20, 710, 30, 60, 10, 5080, 1500, 0};
  for (int i = 0; i < KILN_PHASE_COUNT; i++)
    assert_int_equal(phase[i].wall_ns, wall[i]);
  assert_int_equal(phase[KILN_PHASE_INTERPRETER_START].cpu_ns, 1000); /* from the birth of the thread */
  assert_int_equal(phase[KILN_PHASE_IMPORTS].cpu_ns, 400);
  assert_int_equal(phase[KILN_PHASE_COMPILE].cpu_ns, 355);
  assert_int_equal(phase[KILN_PHASE_PROGRAM].cpu_ns, 2540);
  assert_int_equal(phase[KILN_PHASE_INTERPRETER_EXIT].cpu_ns, 500);
  assert_int_equal(phase[KILN_PHASE_REST].cpu_ns, 1000);
}

static void
python_below_another_command(void **state)
{
  struct events *events = *state;
  write_run(events, 100);
  finish_one(events);
  split(events, 99, 500, 10500, 6000);
  assert_int_equal(phase[KILN_PHASE_INTERPRETER_START].wall_ns, 1000);
  assert_int_equal(phase[KILN_PHASE_INTERPRETER_START].cpu_ns, 500);
  assert_int_equal(phase[KILN_PHASE_INTERPRETER_EXIT].wall_ns, 1000);
  assert_int_equal(phase[KILN_PHASE_REST].wall_ns, 1000);
}

static void
left_by_exit_without_farewell(void **state)
{
  struct events *events = *state;
  add(events, 100, 100, 1000, "'ev':'mark','name':'boot','python':'3.11.2'");
  add(events, 100, 100, 2000, "'ev':'mark','name':'main'");
  add_span(events, 100, 100, 3000, 4000, BUILD);
  struct kiln_model *model = finish_one(events);
  assert_false(model->processes[0].ended);
  split(events, 100, 500, 9000, 4000);
  assert_int_equal(phase[KILN_PHASE_PROGRAM].wall_ns, 6000);
  assert_int_equal(phase[KILN_PHASE_PROGRAM].cpu_ns, 500); /* known until the last event */
  assert_int_equal(phase[KILN_PHASE_INTERPRETER_EXIT].wall_ns, 0);
  split(events, 1, 500, 9000, 4000); /* a child: ends at its last event */
  assert_int_equal(phase[KILN_PHASE_PROGRAM].wall_ns, 1000);
  assert_int_equal(phase[KILN_PHASE_REST].wall_ns, 9000 - 500 - 3000);
}

static void
without_main_what_no_span_explains_is_rest(void **state)
{
  struct events *events = *state;
  add(events, 100, 100, 1000, "'ev':'mark','name':'boot','python':'3.11.2'");
  add_span(events, 100, 100, 3000, 4000, BUILD);
  finish_one(events);
  split(events, 100, 500, 9000, 4000);
  assert_int_equal(phase[KILN_PHASE_COMPILE].wall_ns, 1000);
  assert_int_equal(phase[KILN_PHASE_PROGRAM].wall_ns, 0);
  assert_int_equal(phase[KILN_PHASE_INTERPRETER_START].wall_ns, 0);
  assert_int_equal(phase[KILN_PHASE_REST].wall_ns, 7500);
}

static void
forked_process_begins_at_its_fork(void **state)
{
  struct events *events = *state;
  add(events, 100, 100, 1000, "'ev':'mark','name':'boot','python':'3.11.2'");
  add(events, 100, 100, 2000, "'ev':'mark','name':'main'");
  flush(events, "100.1000.jsonl");
  add(events, 101, 101, 3000, "'ev':'process','what':'fork','ppid':100");
  add_span(events, 101, 101, 4000, 5000, BUILD);
  add(events, 101, 101, 7000, "'ev':'process','what':'end'");
  flush(events, "101.3000.jsonl");
  finish(events);
  assert_int_equal(kiln_model_principal(events->model)->pid, 101);
  split(events, 100, 500, 9000, 4000);
  assert_int_equal(phase[KILN_PHASE_INTERPRETER_START].wall_ns, 0);
  assert_int_equal(phase[KILN_PHASE_COMPILE].wall_ns, 1000);
  assert_int_equal(phase[KILN_PHASE_PROGRAM].wall_ns, 3000);
  assert_int_equal(phase[KILN_PHASE_PROGRAM].cpu_ns, 1500);
}

/* An interpreter that replaces itself by another: each is its own image, and what the other one took is rest. */
static void
write_images(struct events *events, unsigned long busy_first, unsigned long busy_second)
{
  add(events, 100, 100, 1000, "'ev':'mark','name':'boot','python':'3.11.2'");
  add(events, 100, 100, 2000, "'ev':'mark','name':'main'");
  add_span(events, 100, 100, 2000, 2000 + busy_first, BUILD);
  flush(events, "100.1000.jsonl");
  add(events, 100, 100, 4000, "'ev':'mark','name':'boot','python':'3.11.2'");
  add(events, 100, 100, 5000, "'ev':'mark','name':'main'");
  add_span(events, 100, 100, 5000, 5000 + busy_second, BUILD);
  flush(events, "100.4000.jsonl");
  finish(events);
}

static void
image_after_another_begins_by_itself(void **state)
{
  struct events *events = *state;
  write_images(events, 10, 500);
  split(events, 100, 500, 9000, 4500);
  assert_int_equal(phase[KILN_PHASE_INTERPRETER_START].wall_ns, 1000);
  assert_int_equal(phase[KILN_PHASE_INTERPRETER_START].cpu_ns, 500);
  assert_int_equal(phase[KILN_PHASE_PROGRAM].wall_ns, 3500);
  assert_int_equal(phase[KILN_PHASE_REST].wall_ns, 3500);
}

static void
image_before_another_ends_by_itself(void **state)
{
  struct events *events = *state;
  write_images(events, 500, 10);
  split(events, 100, 500, 9000, 4500);
  assert_int_equal(phase[KILN_PHASE_INTERPRETER_START].wall_ns, 1500);
  assert_int_equal(phase[KILN_PHASE_COMPILE].wall_ns, 500);
  assert_int_equal(phase[KILN_PHASE_PROGRAM].wall_ns, 0);
  assert_int_equal(phase[KILN_PHASE_REST].wall_ns, 6500);
}

static void
no_python_is_all_rest(void **state)
{
  struct events *events = *state;
  finish_one(events);
  split(events, 100, 500, 9000, 4000);
  assert_int_equal(phase[KILN_PHASE_REST].wall_ns, 8500);
  assert_int_equal(phase[KILN_PHASE_REST].cpu_ns, 4000);
}

static void
more_than_the_whole_gives_way_in_proportion(void **state)
{
  struct events *events = *state;
  write_run(events, 100);
  finish_one(events);
  split(events, 100, 500, 10500, 2500); /* phases say 5000 */
  assert_int_equal(phase[KILN_PHASE_IMPORTS].cpu_ns, 200);
  assert_int_equal(phase[KILN_PHASE_INTERPRETER_START].cpu_ns, 500);
  split(events, 100, 500, 500, 0);
  split(events, 100, 2500, 2600, 1);
  split(events, 100, 20000, 30000, UINT64_MAX);
}

static void
absurd_numbers_still_add_up(void **state)
{
  struct events *events = *state;
  add(events, 100, 100, 1000, "'ev':'mark','name':'boot','python':'3'");
  for (int i = 0; i < 40; i++)
    add_span(events, 100, 100, (unsigned long)i, 1000000000000000000, "'ev':'load','module':'m'");
  add(events, 100, 100, 5, "'ev':'mark','name':'exit'");
  add(events, 100, 100, 900, "'ev':'mark','name':'main'");
  for (int i = 0; i < 40; i++)
    add_span(events, 100, 100, 1000000000000000000 - (unsigned long)i, 2000000000000000000, "'ev':'load'");
  finish_one(events);
  split(events, 100, 0, 10000, 5000);
  split(events, 99, 7, UINT64_MAX, UINT64_MAX);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      EVENTS_TEST(phases_are_disjoint_and_add_up),
      EVENTS_TEST(python_below_another_command),
      EVENTS_TEST(left_by_exit_without_farewell),
      EVENTS_TEST(without_main_what_no_span_explains_is_rest),
      EVENTS_TEST(forked_process_begins_at_its_fork),
      EVENTS_TEST(image_after_another_begins_by_itself),
      EVENTS_TEST(image_before_another_ends_by_itself),
      EVENTS_TEST(no_python_is_all_rest),
      EVENTS_TEST(more_than_the_whole_gives_way_in_proportion),
      EVENTS_TEST(absurd_numbers_still_add_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
