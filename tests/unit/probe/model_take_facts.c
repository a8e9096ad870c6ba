#include "unit/probe/events.h"

#include "base/text.h"

static void
links_and_headers_are_rows(void **state)
{
  struct events *events = *state;
  add_span(events, 100, 100, 20, 60, "'ev':'link','framework':'warp','symbol':'dot','module':'m','result':'compiled'");
  add_span(events, 100, 100, 61, 62, "'ev':'link','framework':'warp','symbol':'dot','module':'m','result':'cached'");
  add_span(events, 100, 101, 10, 15, "'ev':'pch','framework':'warp','path':'/t/h.pch','module':'m'");
  const struct kiln_model *model = finish_one(events);
  assert_int_equal(model->link_count, 2);
  assert_int_equal(model->lto_built, 1);
  assert_string_equal(model->links[0].module, "m");
  assert_int_equal(model->links[0].wall_ns, 40);
  assert_int_equal(model->links[1].result, KILN_BUILD_CACHED);
  assert_int_equal(model->header_count, 1);
  assert_int_equal(model->headers[0].tid, 101);
  assert_string_equal(model->headers[0].path, "/t/h.pch");
}

static void
requests_captures_and_tapes_are_moments_in_time_order(void **state)
{
  struct events *events = *state;
  add(events, 100, 100, 30, "'ev':'capture','framework':'warp','launches':3");
  add(events, 100, 100, 20, "'ev':'request','framework':'warp','what':'capture','where':{'file':'a.py','line':4}");
  add(events, 100, 100, 40,
      "'ev':'request','framework':'warp','what':'force_load','modules':['a','b'],'devices':['cuda:0'],'block_dim':256,"
      "'max_workers':4");
  add(events, 100, 100, 50, "'ev':'tape','framework':'warp','what':'record'");
  add(events, 100, 100, 60, "'ev':'tape','framework':'warp','what':'backward'");
  const struct kiln_model *model = finish_one(events);
  assert_int_equal(model->moment_count, 5);
  assert_int_equal(model->moments[0].where.line, 4);
  assert_string_equal(model->moments[1].kind, "capture");
  assert_null(model->moments[1].what);
  assert_string_equal(model->moments[2].modules, "a, b");
  assert_int_equal(model->moments[2].block_dim, 256);
  assert_int_equal(model->moments[2].workers, 4);
  assert_int_equal(model->tape_recorded, 1);
  assert_int_equal(model->tape_backward, 1);
}

static void
a_build_knows_its_source_and_the_cache(void **state)
{
  struct events *events = *state;
  add_span(events, 100, 100, 20, 60,
      "'ev':'compile','step':'module','framework':'warp','module':'m','identity':'ab','result':'compiled',"
      "'backward_bytes':50,'kernel_count':2,'largest':'k','largest_bytes':70,'unrolled':16,'stale':['a.o'],"
      "'fresh':['b.o','c.o'],'elsewhere':['1.18.0']");
  add_span(events, 100, 100, 70, 80,
      "'ev':'declare','framework':'warp','module':'m','kernel':'k','unique':true,'code':'0123',"
      "'made':{'file':'a.py','line':9}");
  add_span(events, 100, 100, 90, 95, "'ev':'load','framework':'warp','module':'m','result':'cached','jit':true");
  const struct kiln_model *model = finish_one(events);
  assert_int_equal(model->builds[0].backward_bytes, 50);
  assert_int_equal(model->builds[0].kernel_count, 2);
  assert_string_equal(model->builds[0].largest, "k");
  assert_int_equal(model->builds[0].unrolled, 16);
  assert_string_equal(model->builds[0].stale, "a.o");
  assert_string_equal(model->builds[0].fresh, "b.o, c.o");
  assert_string_equal(model->builds[0].elsewhere, "1.18.0");
  assert_true(model->declarations[0].unique);
  assert_string_equal(model->declarations[0].code, "0123");
  assert_int_equal(model->declarations[0].made.line, 9);
  assert_true(model->loads[0].jit);
}

/* What is missing, or of another type, is not known. */
static void
odd_members_are_not_believed(void **state)
{
  struct events *events = *state;
  add_span(events, 100, 100, 20, 60,
      "'ev':'compile','step':'module','framework':'warp','module':'m','result':'compiled','backward_bytes':-3,"
      "'kernel_count':'two','stale':'a.o','fresh':[],'elsewhere':[1]");
  add(events, 100, 100, 70, "'ev':'request','modules':{},'block_dim':-1");
  const struct kiln_model *model = finish_one(events);
  assert_int_equal(model->builds[0].backward_bytes, 0);
  assert_int_equal(model->builds[0].kernel_count, 0);
  assert_null(model->builds[0].stale);
  assert_null(model->builds[0].fresh);
  assert_string_equal(model->builds[0].elsewhere, "?");
  assert_null(model->moments[0].modules);
  assert_int_equal(model->moments[0].block_dim, 0);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {EVENTS_TEST(links_and_headers_are_rows),
      EVENTS_TEST(requests_captures_and_tapes_are_moments_in_time_order),
      EVENTS_TEST(a_build_knows_its_source_and_the_cache), EVENTS_TEST(odd_members_are_not_believed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
