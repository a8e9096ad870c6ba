#include "unit/probe/events.h"

static struct kiln_counters counters;

static void
reset(int pid)
{
  memset(&counters, 0, sizeof counters);
  memcpy(counters.magic, KILN_COUNTERS_MAGIC, 8);
  counters.pid = (uint32_t)pid;
  counters.slots = KILN_COUNTERS_SLOTS;
}

static void
slot(size_t at, uint32_t signature, uint64_t dim, uint64_t count)
{
  counters.slot[at] = (struct kiln_counter_slot){.count = count, .key = 1 + at, .dim = dim, .signature = signature};
}

static void
name(uint32_t id, const char *json)
{
  struct kiln_counter_name record = {id, (uint32_t)strlen(json)};
  memcpy(counters.names + counters.names_used, &record, sizeof record);
  char *text = counters.names + counters.names_used + sizeof record;
  memcpy(text, json, record.length);
  for (uint32_t i = 0; i < record.length; i++)
    if (text[i] == '\'')
      text[i] = '"';
  counters.names_used += (uint32_t)(sizeof record + record.length + 7) & ~7u;
}

static void
launches_carry_their_signature(void **state)
{
  struct events *events = *state;
  reset(100);
  name(0, "{'framework':'warp','module':'m','identity':'i','kernel':'k','device':'cuda:0','block_dim':256,"
          "'direction':'forward'}");
  slot(0, 0, 1024, 5);
  slot(1, 0, KILN_COUNTERS_OTHER_DIM, 7);
  slot(2, 0, 9, 0); /* made, never counted */
  write_file(events, "100.1.count", &counters, sizeof counters);
  const struct kiln_model *model = finish(events);
  assert_int_equal(model->launch_count, 2);
  const struct kiln_model_launch *launch = &model->launches[0];
  assert_string_equal(launch->kernel, "k");
  assert_string_equal(launch->module, "m");
  assert_string_equal(launch->identity, "i");
  assert_string_equal(launch->framework, "warp");
  assert_string_equal(launch->device, "cuda:0");
  assert_string_equal(launch->direction, "forward");
  assert_int_equal(launch->block_dim, 256);
  assert_int_equal(launch->pid, 100);
  assert_int_equal(launch->dim, 1024);
  assert_int_equal(launch->count, 5);
  assert_true(model->launches[1].dim == UINT64_MAX);
  assert_int_equal(model->counts.launches, 12);
}

static void
missing_name_is_found_in_the_events(void **state)
{
  struct events *events = *state;
  add(events, 100, 100, 10, "'ev':'signature','id':3,'module':'m','kernel':'k<f32>'");
  add(events, 101, 101, 10, "'ev':'signature','id':3,'module':'m','kernel':'other'");
  add(events, 100, 100, 20, "'ev':'signature','id':3,'module':'m','kernel':'k<f64>'"); /* the later one */
  flush(events, "100.1.jsonl");
  reset(100);
  slot(0, 3, 1, 1);
  slot(1, 4, 2, 1);
  name(4, "rubbish");
  write_file(events, "100.1.count", &counters, sizeof counters);
  const struct kiln_model *model = finish(events);
  assert_int_equal(model->launch_count, 2);
  assert_null(model->launches[0].kernel);
  assert_string_equal(model->launches[1].kernel, "k<f64>");
}

static void
launches_without_a_slot_are_counted(void **state)
{
  struct events *events = *state;
  reset(100);
  slot(0, 0, 1, UINT64_MAX - 2);
  counters.overflow = 10;
  write_file(events, "100.1.count", &counters, sizeof counters);
  const struct kiln_model *model = finish(events);
  assert_int_equal(model->launch_overflow, 10);
  assert_true(model->counts.launches == UINT64_MAX); /* no wrap */
}

static void
rubbish_is_a_bad_line(void **state)
{
  struct events *events = *state;
  reset(100);
  counters.slots = 1;
  write_file(events, "100.1.count", &counters, sizeof counters);
  reset(101);
  slot(0, 77, 1, 2);
  counters.names_used = UINT32_MAX;
  memset(counters.names, 0xff, sizeof counters.names);
  write_file(events, "101.1.count", &counters, sizeof counters);
  const struct kiln_model *model = finish(events);
  assert_int_equal(model->bad_lines, 1);
  assert_int_equal(model->counts.launches, 2);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      EVENTS_TEST(launches_carry_their_signature),
      EVENTS_TEST(missing_name_is_found_in_the_events),
      EVENTS_TEST(launches_without_a_slot_are_counted),
      EVENTS_TEST(rubbish_is_a_bad_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
