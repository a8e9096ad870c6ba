#include "unit/probe/events.h"

#define COMPILED(module, identity, device, more)                                                                       \
  "'ev':'compile','step':'module','framework':'warp','module':'" module "','identity':'" identity                      \
  "','device':'" device "','result':'compiled','bytes':100" more
#define LOADED(module, identity, device)                                                                               \
  "'ev':'load','framework':'warp','module':'" module "','identity':'" identity "','device':'" device                   \
  "','result':'cached'"

static void
two_processes_that_build_the_same_identity(void **state)
{
  struct events *events = *state;
  add_span(events, 1, 1, 1000, 2000, COMPILED("m", "i", "cpu", ""));
  add_span(events, 1, 1, 2000, 2100, LOADED("m", "i", "cpu"));
  flush(events, "1.1.jsonl");
  add_span(events, 2, 2, 1500, 2500, COMPILED("m", "i", "cpu", ""));
  add_span(events, 2, 2, 2500, 2600, LOADED("m", "i", "cpu"));
  flush(events, "2.1.jsonl");
  const struct kiln_model *model = finish(events);
  assert_int_equal(model->counts.builds, 2);
  assert_int_equal(model->counts.loads, 2);
  assert_int_equal(model->counts.identities, 1);
  assert_int_equal(model->counts.modules, 1);
  assert_int_equal(model->counts.processes, 2);
  assert_int_equal(model->counts.source_bytes, 200);
  assert_true(model->overlap > 1.333 && model->overlap < 1.334); /* 2000 ns in 1500 */
}

static void
what_makes_an_identity(void **state)
{
  struct events *events = *state;
  add_span(events, 1, 1, 10, 20, LOADED("m", "i", "cuda:0"));
  add_span(events, 1, 1, 20, 30, LOADED("m", "i", "cuda:1")); /* the same kind of device */
  add_span(events, 1, 1, 30, 40, LOADED("m", "i", "cpu"));
  add_span(events, 1, 1, 40, 50, LOADED("m", "j", "cpu"));
  add_span(events, 1, 1, 50, 60, LOADED("n", "i", "cpu"));
  add_span(events, 1, 1, 60, 70,
      "'ev':'load','framework':'triton','module':'m','identity':'i','device':'cpu',"
      "'result':'cached'");
  const struct kiln_model *model = finish_one(events);
  assert_int_equal(model->counts.identities, 5);
  assert_int_equal(model->counts.modules, 2);
  assert_int_equal(model->counts.loads, 6);
}

static void
ahead_of_time_builds_count_without_loads(void **state)
{
  struct events *events = *state;
  add_span(events, 1, 1, 10, 20, COMPILED("m", "i", "cuda", ",'aot':true"));
  add_span(events, 1, 1, 20, 30, COMPILED("m", "i", "cuda", ",'aot':true"));
  add_span(events, 1, 1, 30, 40, COMPILED("n", "i", "cuda", ",'aot':true"));
  const struct kiln_model *model = finish_one(events);
  assert_int_equal(model->counts.identities, 2);
  assert_int_equal(model->counts.modules, 2);
  assert_int_equal(model->counts.loads, 0);
  assert_int_equal(model->counts.builds, 3);
}

static void
cached_and_failed_builds_are_no_builds(void **state)
{
  struct events *events = *state;
  add_span(
      events, 1, 1, 10, 20, "'ev':'compile','step':'module','module':'m','identity':'i','result':'cached','bytes':5");
  add_span(
      events, 1, 1, 30, 40, "'ev':'compile','step':'module','module':'n','identity':'i','result':'failed','bytes':5");
  const struct kiln_model *model = finish_one(events);
  assert_int_equal(model->build_count, 2);
  assert_int_equal(model->counts.builds, 0);
  assert_int_equal(model->counts.source_bytes, 0);
  assert_int_equal(model->counts.identities, 1);
  assert_true(model->overlap == 0);
}

static void
builds_one_after_the_other_do_not_overlap(void **state)
{
  struct events *events = *state;
  add_span(events, 1, 1, 1000, 2000, COMPILED("m", "i", "cpu", ""));
  add_span(events, 1, 1, 2000, 2500, COMPILED("n", "i", "cpu", ""));
  add_span(events, 1, 1, 9000, 9100, COMPILED("o", "i", "cpu", ""));
  assert_true(finish_one(events)->overlap == 1);
}

static void
forked_children_run_what_their_parent_runs(void **state)
{
  struct events *events = *state;
  add(events, 3, 3, 300, "'ev':'process','what':'fork','ppid':2");
  flush(events, "0.jsonl"); /* read before its parents */
  add(events, 2, 2, 200, "'ev':'process','what':'fork','ppid':1");
  flush(events, "1.jsonl");
  add(events, 1, 1, 100, "'ev':'process','what':'start','argv':['python3','a.py'],'ppid':9");
  add(events, 1, 1, 110, "'ev':'mark','name':'boot','python':'3.11.2'");
  add(events, 1, 1, 120, "'ev':'mark','name':'framework','framework':'warp','version':'1.19.0'");
  flush(events, "2.jsonl");
  const struct kiln_model *model = finish(events);
  assert_int_equal(model->process_count, 3);
  for (int i = 1; i < 3; i++) {
    const struct kiln_model_process *process = &model->processes[i];
    assert_int_equal(process->pid, i + 1);
    assert_true(process->forked);
    assert_string_equal(process->python, "3.11.2");
    assert_string_equal(process->framework_version, "warp 1.19.0");
    assert_string_equal(process->command, "python3 a.py");
    assert_int_equal(process->main_ns, process->start_ns);
  }
}

static void
fork_of_itself_or_of_nobody(void **state)
{
  struct events *events = *state;
  add(events, 1, 1, 100, "'ev':'process','what':'fork','ppid':1");
  flush(events, "1.jsonl");
  add(events, 2, 2, 100, "'ev':'process','what':'fork','ppid':77");
  flush(events, "2.jsonl");
  assert_null(kiln_model_principal(finish(events)));
}

static void
process_that_was_killed_ends_at_its_last_event(void **state)
{
  struct events *events = *state;
  add(events, 1, 1, 100, "'ev':'mark','name':'boot','python':'3'");
  add_span(events, 1, 1, 200, 900, "'ev':'import','name':'a'");
  add_span(events, 1, 2, 300, 1000, "'ev':'import','name':'b'");
  const struct kiln_model_process *process = &finish_one(events)->processes[0];
  assert_false(process->ended);
  assert_int_equal(process->end_ns, 1000);
  assert_int_equal(process->end_cpu_ns, 450); /* of the main thread */
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      EVENTS_TEST(two_processes_that_build_the_same_identity),
      EVENTS_TEST(what_makes_an_identity),
      EVENTS_TEST(ahead_of_time_builds_count_without_loads),
      EVENTS_TEST(cached_and_failed_builds_are_no_builds),
      EVENTS_TEST(builds_one_after_the_other_do_not_overlap),
      EVENTS_TEST(forked_children_run_what_their_parent_runs),
      EVENTS_TEST(fork_of_itself_or_of_nobody),
      EVENTS_TEST(process_that_was_killed_ends_at_its_last_event),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
