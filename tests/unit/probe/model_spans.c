#include "unit/probe/events.h"

#include "probe/model_state.h"

#define IMPORT "'ev':'import','name':'a'"
#define DECLARE "'ev':'declare','module':'m','kernel':'k'"
#define NATIVE "'ev':'compile','step':'native','module':'m'"
#define BUILD "'ev':'compile','step':'module','module':'m','result':'compiled'"

static void
assert_span(const struct kiln_model *model, enum kiln_phase phase, uint64_t wall)
{
  assert_int_equal(model->processes[0].spans[phase].wall_ns, wall);
  assert_int_equal(model->processes[0].spans[phase].cpu_ns, wall / 2);
}

static void
inner_spans_are_taken_from_outer_ones(void **state)
{
  struct events *events = *state;
  add_span(events, 100, 100, 1200, 1300, DECLARE);
  add_span(events, 100, 100, 1300, 1400, DECLARE);
  add_span(events, 100, 100, 1100, 1500, "'ev':'import','name':'inner'");
  add_span(events, 100, 100, 1600, 1700, DECLARE);
  add_span(events, 100, 100, 1000, 2000, "'ev':'import','name':'outer'");
  add_span(events, 100, 100, 2000, 2100, DECLARE); /* begins where the import ended: outside */
  struct kiln_model *model = finish_one(events);
  assert_span(model, KILN_PHASE_DECLARATION, 400);
  assert_span(model, KILN_PHASE_IMPORTS, 700);
}

static void
equal_begin_is_nested(void **state)
{
  struct events *events = *state;
  add_span(events, 100, 100, 1000, 1100, DECLARE);
  add_span(events, 100, 100, 1000, 1400, IMPORT);
  struct kiln_model *model = finish_one(events);
  assert_span(model, KILN_PHASE_IMPORTS, 300);
}

static void
threads_do_not_nest_in_each_other(void **state)
{
  struct events *events = *state;
  add_span(events, 100, 101, 1200, 1400, DECLARE);
  add_span(events, 100, 100, 1000, 2000, IMPORT);
  struct kiln_model *model = finish_one(events);
  assert_span(model, KILN_PHASE_IMPORTS, 1000);
  assert_span(model, KILN_PHASE_DECLARATION, 200);
  assert_int_equal(model->processes[0].phase[KILN_PHASE_DECLARATION].wall_ns, 0);
  assert_int_equal(model->processes[0].phase[KILN_PHASE_IMPORTS].wall_ns, 1000);
}

static void
children_longer_than_the_parent_leave_nothing_negative(void **state)
{
  struct events *events = *state;
  add_span(events, 100, 100, 1200, 9000, DECLARE);
  add_span(events, 100, 100, 1000, 2000, IMPORT);
  struct kiln_model *model = finish_one(events);
  assert_span(model, KILN_PHASE_IMPORTS, 0);
}

static void
spans_before_main_and_after_exit_are_no_phases(void **state)
{
  struct events *events = *state;
  add_span(events, 100, 100, 100, 200, IMPORT);
  add(events, 100, 100, 1000, "'ev':'mark','name':'main'");
  add_span(events, 100, 100, 900, 1200, IMPORT); /* 200 of it after main */
  add(events, 100, 100, 2000, "'ev':'mark','name':'exit'");
  add_span(events, 100, 100, 1900, 2100, NATIVE); /* 100 of it before exit */
  add_span(events, 100, 100, 1800, 2200, BUILD);  /* 100 of its own */
  struct kiln_model *model = finish_one(events);
  const struct kiln_span_time *phase = model->processes[0].phase;
  assert_int_equal(phase[KILN_PHASE_IMPORTS].wall_ns, 200);
  assert_int_equal(phase[KILN_PHASE_IMPORTS].cpu_ns, 100);
  assert_int_equal(phase[KILN_PHASE_COMPILE].wall_ns, 200);
  assert_int_equal(phase[KILN_PHASE_COMPILE].cpu_ns, 100);
  assert_span(model, KILN_PHASE_COMPILE, 400);
}

static void
steps_belong_to_the_build_around_them(void **state)
{
  struct events *events = *state;
  add_span(events, 100, 100, 500, 600, NATIVE); /* outside of any build */
  add_span(events, 100, 100, 1100, 1300, "'ev':'codegen','module':'m'");
  add_span(events, 100, 100, 1500, 1600, "'ev':'pch'");
  add_span(events, 100, 100, 1400, 2000, NATIVE);
  add_span(events, 100, 101, 1400, 1900, NATIVE); /* another thread's */
  add_span(events, 100, 100, 1000, 2200, BUILD);
  add_span(events, 100, 100, 3000, 3100, BUILD);
  struct kiln_model *model = finish_one(events);
  assert_int_equal(model->build_count, 2);
  assert_int_equal(model->builds[0].codegen.wall_ns, 200);
  assert_int_equal(model->builds[0].pch.wall_ns, 100);
  assert_int_equal(model->builds[0].native.wall_ns, 500);
  assert_int_equal(model->builds[0].native.cpu_ns, 250);
  assert_int_equal(model->builds[0].wall_ns, 1200);
  assert_int_equal(model->builds[1].native.wall_ns, 0);
  assert_int_equal(model->builds[1].codegen.wall_ns, 0);
}

static void
many_siblings_stay_bounded_and_exact(void **state)
{
  struct events *events = *state;
  const unsigned long siblings = KILN_MODEL_STACK + 5000;
  struct kiln_model *model = events->model;
  struct kiln_model_state *reading = model->state;
  struct kiln_event event = {.kind = KILN_EVENT_LOOKUP, .is_span = true, .pid = 5, .tid = 5};
  for (unsigned long i = 0; i < siblings; i++) {
    event.t = 1000 + 10 * i;
    event.dur = 4;
    event.dcpu = 2;
    assert_true(kiln_model_take(model, &event));
  }
  assert_true(reading->threads[0].span_count <= KILN_MODEL_STACK);
  event.kind = KILN_EVENT_IMPORT;
  event.t = 1000;
  event.dur = 10 * siblings;
  event.dcpu = event.dur / 2;
  assert_true(kiln_model_take(model, &event));
  assert_span(model, KILN_PHASE_FIRST_LAUNCH, 4 * siblings);
  assert_span(model, KILN_PHASE_IMPORTS, 6 * siblings);
}

static void
steps_without_a_build_stay_bounded(void **state)
{
  struct events *events = *state;
  struct kiln_model_state *reading = events->model->state;
  struct kiln_event event = {.kind = KILN_EVENT_PCH, .is_span = true, .dur = 1, .pid = 5, .tid = 5};
  for (int i = 0; i < 1000; i++) {
    event.t += 10;
    assert_true(kiln_model_take(events->model, &event));
  }
  assert_true(reading->threads[0].step_count <= KILN_MODEL_STEPS);
}

/* What a picture needs; shorter ones are told apart nowhere. */
static void
long_spans_are_kept_with_their_names(void **state)
{
  struct events *events = *state;
  const unsigned long ms = 1000000;
  add_span(events, 100, 101, 2 * ms, 3 * ms - 1, DECLARE); /* too short by one nanosecond */
  add_span(events, 100, 101, 3 * ms, 4 * ms, NATIVE);
  add_span(events, 100, 100, 1 * ms, 9 * ms, "'ev':'import','name':'outer'");
  struct kiln_model *model = finish_one(events);
  assert_int_equal(model->long_count, 2);
  assert_string_equal(model->longs[0].kind, "native");
  assert_string_equal(model->longs[0].name, "m");
  assert_int_equal(model->longs[0].tid, 101);
  assert_int_equal(model->longs[0].phase, KILN_PHASE_COMPILE);
  assert_string_equal(model->longs[1].kind, "import");
  assert_string_equal(model->longs[1].name, "outer");
  assert_int_equal(model->longs[1].start_ns, ms);
  assert_int_equal(model->longs[1].wall_ns, 8 * ms);
  assert_int_equal(model->longs_dropped, 0);
}

static void
long_spans_are_bounded(void **state)
{
  struct events *events = *state;
  const unsigned long ms = 1000000;
  for (unsigned long i = 0; i < KILN_MODEL_LONG_MOST + 3; i++)
    add_span(events, 100, 100, 2 * i * ms, (2 * i + 1) * ms, DECLARE);
  struct kiln_model *model = finish_one(events);
  assert_int_equal(model->long_count, KILN_MODEL_LONG_MOST);
  assert_int_equal(model->longs_dropped, 3);
  assert_int_equal(model->processes[0].spans[KILN_PHASE_DECLARATION].wall_ns, (KILN_MODEL_LONG_MOST + 3) * ms);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      EVENTS_TEST(inner_spans_are_taken_from_outer_ones),
      EVENTS_TEST(equal_begin_is_nested),
      EVENTS_TEST(threads_do_not_nest_in_each_other),
      EVENTS_TEST(children_longer_than_the_parent_leave_nothing_negative),
      EVENTS_TEST(spans_before_main_and_after_exit_are_no_phases),
      EVENTS_TEST(steps_belong_to_the_build_around_them),
      EVENTS_TEST(many_siblings_stay_bounded_and_exact),
      EVENTS_TEST(steps_without_a_build_stay_bounded),
      EVENTS_TEST(long_spans_are_kept_with_their_names),
      EVENTS_TEST(long_spans_are_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
