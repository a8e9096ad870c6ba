#include "unit/probe/events.h"

/* The same events in files of other names, hence read in another order, give the same tables. */
static void
write_run(struct events *events, const char *first, const char *second)
{
  add_span(events, 1, 1, 500, 600, "'ev':'load','module':'b','result':'cached'");
  add_span(events, 1, 1, 700, 710, "'ev':'declare','module':'b','kernel':'k2'");
  add_span(events, 1, 1, 700, 710, "'ev':'declare','module':'b','kernel':'k1'");
  add(events, 1, 1, 800, "'ev':'option','changes':{'y':['1','2'],'x':['1','2']}");
  flush(events, first);
  add_span(events, 2, 2, 500, 550, "'ev':'load','module':'a','result':'cached'");
  add_span(events, 2, 2, 100, 900, "'ev':'compile','step':'module','module':'a','result':'compiled'");
  add_span(events, 2, 2, 90, 95, "'ev':'compile','step':'module','module':'z','result':'compiled'");
  add_span(events, 2, 2, 40, 50, "'ev':'hash','module':'a','identity':'i'");
  add(events, 2, 2, 60, "'ev':'cache','what':'root','path':'/c'");
  flush(events, second);
}

static void
check(const struct kiln_model *model)
{
  assert_int_equal(model->processes[0].pid, 1); /* both begin at 500 */
  assert_string_equal(model->builds[0].module, "z");
  assert_string_equal(model->builds[1].module, "a");
  assert_int_equal(model->loads[0].pid, 1);
  assert_int_equal(model->loads[1].pid, 2);
  assert_string_equal(model->declarations[0].kernel, "k1");
  assert_string_equal(model->options[0].name, "x");
}

static void
order_of_files_does_not_matter(void **state)
{
  struct events *events = *state;
  write_run(events, "1.jsonl", "2.jsonl");
  check(finish(events));
}

static void
other_order_gives_the_same(void **state)
{
  struct events *events = *state;
  write_run(events, "2.jsonl", "1.jsonl");
  check(finish(events));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      EVENTS_TEST(order_of_files_does_not_matter),
      EVENTS_TEST(other_order_gives_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
