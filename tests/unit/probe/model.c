#include "unit/probe/events.h"

static void
names_of_phases_and_results(void **state)
{
  (void)state;
  assert_string_equal(kiln_phase_name(KILN_PHASE_INTERPRETER_START), "interpreter_start");
  assert_string_equal(kiln_phase_name(KILN_PHASE_REST), "rest");
  assert_string_equal(kiln_build_result_name(KILN_BUILD_COMPILED), "compiled");
  for (int i = 0; i < KILN_PHASE_COUNT; i++)
    for (int j = 0; j < i; j++)
      assert_string_not_equal(kiln_phase_name((enum kiln_phase)i), kiln_phase_name((enum kiln_phase)j));
  assert_string_equal(kiln_phase_name(KILN_PHASE_COUNT), "unknown");
}

static void
empty_run_has_no_principal(void **state)
{
  struct events *events = *state;
  kiln_folder_remove(events->folder.data, NULL);
  struct kiln_model *model = finish(events);
  assert_null(kiln_model_principal(model));
  assert_int_equal(model->events, 0);
  assert_int_equal(model->counts.processes, 0);
  assert_true(model->overlap == 0);
}

static void
principal_is_the_python_process_with_most_work(void **state)
{
  struct events *events = *state;
  add(events, 1, 1, 10, "'ev':'process','what':'start','argv':['sh']");
  add_span(events, 1, 1, 20, 9000, "'ev':'compile','step':'native'"); /* not Python */
  flush(events, "1.10.jsonl");
  add(events, 2, 2, 30, "'ev':'mark','name':'boot','python':'3.11.2'");
  add_span(events, 2, 2, 40, 5000, "'ev':'import','name':'numpy'"); /* no JIT work */
  flush(events, "2.30.jsonl");
  add(events, 3, 3, 50, "'ev':'mark','name':'boot','python':'3.11.2'");
  add_span(events, 3, 4, 60, 100, "'ev':'load','module':'m'"); /* any thread */
  flush(events, "3.50.jsonl");
  assert_int_equal(kiln_model_principal(finish(events))->pid, 3);
}

static void
principal_of_equals_is_the_earliest(void **state)
{
  struct events *events = *state;
  add(events, 9, 9, 100, "'ev':'mark','name':'boot','python':'3.11.2'");
  flush(events, "1.1.jsonl");
  add(events, 8, 8, 50, "'ev':'mark','name':'boot','python':'3.11.2'");
  flush(events, "2.1.jsonl");
  assert_int_equal(kiln_model_principal(finish(events))->pid, 8);
}

static void
finished_model_takes_no_more(void **state)
{
  struct events *events = *state;
  struct kiln_error error = {0};
  finish(events);
  assert_int_equal(kiln_model_read(events->model, events->folder.data, &error), KILN_ERROR_ARGUMENT);
  assert_int_equal(kiln_model_finish(events->model, NULL), KILN_OK);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_of_phases_and_results),
      EVENTS_TEST(empty_run_has_no_principal),
      EVENTS_TEST(principal_is_the_python_process_with_most_work),
      EVENTS_TEST(principal_of_equals_is_the_earliest),
      EVENTS_TEST(finished_model_takes_no_more),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
