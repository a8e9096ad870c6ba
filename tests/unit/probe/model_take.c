#include "unit/probe/events.h"

#include "probe/model_state.h"

static void
process_events_and_marks(void **state)
{
  struct events *events = *state;
  add(events, 100, 100, 10, "'ev':'process','what':'start','argv':['python3','-c','x y'],'ppid':7,'exe':'/bin/p'");
  add(events, 100, 100, 20, "'ev':'mark','name':'boot','python':'3.12.1'");
  add(events, 100, 100, 30, "'ev':'mark','name':'main'");
  add(events, 100, 100, 31, "'ev':'mark','name':'main'"); /* the first one counts */
  add(events, 100, 100, 40, "'ev':'mark','name':'framework','framework':'warp','version':'1.19.0'");
  add(events, 100, 100, 45, "'ev':'mark','name':'begin','what':'compile','module':'m'");
  add(events, 100, 100, 50, "'ev':'mark','name':'exit'");
  add(events, 100, 100, 60, "'ev':'process','what':'end','process_cpu':99");
  const struct kiln_model *model = finish_one(events);
  const struct kiln_model_process *process = &model->processes[0];
  assert_int_equal(model->process_count, 1);
  assert_int_equal(process->pid, 100);
  assert_int_equal(process->ppid, 7);
  assert_string_equal(process->command, "python3 -c x y");
  assert_string_equal(process->python, "3.12.1");
  assert_string_equal(process->framework_version, "warp 1.19.0");
  assert_false(process->forked);
  assert_true(process->ended);
  assert_int_equal(process->start_ns, 10);
  assert_int_equal(process->main_ns, 30);
  assert_int_equal(process->main_cpu_ns, 15);
  assert_int_equal(process->exit_ns, 50);
  assert_int_equal(process->exit_cpu_ns, 25);
  assert_int_equal(process->end_ns, 60);
  assert_int_equal(process->end_cpu_ns, 30);
}

static void
image_that_calls_exec_is_two_images_of_one_process(void **state)
{
  struct events *events = *state;
  add(events, 100, 100, 10, "'ev':'process','what':'start','argv':['sh']");
  flush(events, "100.10.jsonl");
  add(events, 100, 100, 20, "'ev':'process','what':'start','argv':['python3']");
  flush(events, "100.20.jsonl");
  const struct kiln_model *model = finish(events);
  assert_int_equal(model->process_count, 2);
  assert_int_equal(model->counts.processes, 1);
  assert_string_equal(model->processes[1].command, "python3");
}

static void
marks_of_other_threads_give_no_cpu(void **state)
{
  struct events *events = *state;
  add(events, 100, 101, 10, "'ev':'mark','name':'main'");
  add(events, 100, 101, 20, "'ev':'mark','name':'exit'");
  add(events, 100, 101, 30, "'ev':'process','what':'end'");
  const struct kiln_model_process *process = &finish_one(events)->processes[0];
  assert_int_equal(process->main_ns, 10);
  assert_int_equal(process->main_cpu_ns, 0);
  assert_int_equal(process->exit_cpu_ns, 0);
  assert_int_equal(process->end_cpu_ns, 0);
}

static void
strings_are_cut_between_characters(void **state)
{
  struct events *events = *state;
  struct kiln_buf fields;
  kiln_buf_init(&fields);
  kiln_buf_text_append(&fields, "'ev':'mark','name':'boot','python':'x");
  for (int i = 0; i < 20000; i++)
    kiln_buf_text_append(&fields, "\u20ac"); /* 3 bytes */
  kiln_buf_text_append(&fields, "'");
  add(events, 100, 100, 10, fields.data);
  kiln_buf_release(&fields);
  const char *python = finish_one(events)->processes[0].python;
  assert_int_equal(strlen(python), KILN_MODEL_TEXT - (KILN_MODEL_TEXT - 1) % 3);
  assert_string_equal(python + strlen(python) - 3, "\u20ac");
}

static void
events_without_a_process_are_bad_lines(void **state)
{
  struct events *events = *state;
  add(events, 0, 0, 10, "'ev':'load','module':'m'");
  add(events, -5, 1, 10, "'ev':'load','module':'m'");
  const struct kiln_model *model = finish_one(events);
  assert_int_equal(model->process_count, 0);
  assert_int_equal(model->load_count, 0);
  assert_int_equal(model->bad_lines, 2);
}

static void
long_command_is_cut(void **state)
{
  struct events *events = *state;
  struct kiln_buf fields;
  kiln_buf_init(&fields);
  kiln_buf_text_append(&fields, "'ev':'process','what':'start','argv':[7");
  for (int i = 0; i < 5000; i++)
    kiln_buf_text_append(&fields, ",'word'");
  kiln_buf_text_append(&fields, "]");
  add(events, 100, 100, 10, fields.data);
  kiln_buf_release(&fields);
  const char *command = finish_one(events)->processes[0].command;
  assert_int_equal(strlen(command), KILN_MODEL_TEXT);
  assert_memory_equal(command, "? word word", 11);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      EVENTS_TEST(process_events_and_marks),
      EVENTS_TEST(image_that_calls_exec_is_two_images_of_one_process),
      EVENTS_TEST(marks_of_other_threads_give_no_cpu),
      EVENTS_TEST(strings_are_cut_between_characters),
      EVENTS_TEST(events_without_a_process_are_bad_lines),
      EVENTS_TEST(long_command_is_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
