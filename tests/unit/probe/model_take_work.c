#include "unit/probe/events.h"

static void
every_field_of_a_build(void **state)
{
  struct events *events = *state;
  add_span(events, 100, 102, 1000, 3000,
      "'ev':'compile','step':'module','framework':'warp','module':'m','identity':'ab12','device':'cuda:0',"
      "'block_dim':256,'toolchain':'nvrtc','result':'compiled','bytes':4567,'digest':'ff00','lto':2,'path':'/c/m',"
      "'aot':true,'where':{'file':'a.py','line':17}");
  const struct kiln_model *model = finish_one(events);
  const struct kiln_model_build *build = &model->builds[0];
  assert_int_equal(model->build_count, 1);
  assert_string_equal(build->framework, "warp");
  assert_string_equal(build->module, "m");
  assert_string_equal(build->identity, "ab12");
  assert_string_equal(build->device, "cuda:0");
  assert_string_equal(build->toolchain, "nvrtc");
  assert_string_equal(build->path, "/c/m");
  assert_string_equal(build->source_digest, "ff00");
  assert_int_equal(build->block_dim, 256);
  assert_int_equal(build->pid, 100);
  assert_int_equal(build->tid, 102);
  assert_int_equal(build->start_ns, 1000);
  assert_int_equal(build->wall_ns, 2000);
  assert_int_equal(build->cpu_ns, 1000);
  assert_int_equal(build->result, KILN_BUILD_COMPILED);
  assert_int_equal(build->source_bytes, 4567);
  assert_int_equal(build->lto, 2);
  assert_true(build->aot);
  assert_string_equal(build->where.file, "a.py");
  assert_int_equal(build->where.line, 17);
}

static void
declarations_and_loads(void **state)
{
  struct events *events = *state;
  add_span(events, 100, 100, 10, 20,
      "'ev':'declare','framework':'warp','module':'m','kernel':'k','where':{'file':'a.py','line':3},'loaded':true,"
      "'overload':'f32','trigger':{'file':'b.py','line':9}");
  add_span(events, 100, 100, 30, 40, "'ev':'declare','module':'m','kernel':'k'");
  add_span(events, 100, 100, 50, 60, "'ev':'load','module':'m','identity':'i','device':'cpu','result':'cached'");
  add_span(events, 100, 100, 70, 80, "'ev':'load','module':'m','result':'strange'");
  const struct kiln_model *model = finish_one(events);
  assert_int_equal(model->declaration_count, 2);
  assert_string_equal(model->declarations[0].overload, "f32");
  assert_true(model->declarations[0].loaded);
  assert_int_equal(model->declarations[0].where.line, 3);
  assert_string_equal(model->declarations[0].trigger.file, "b.py");
  assert_null(model->declarations[1].overload);
  assert_null(model->declarations[1].where.file);
  assert_ptr_equal(model->declarations[0].module, model->loads[0].module); /* stored once */
  assert_int_equal(model->loads[0].result, KILN_BUILD_CACHED);
  assert_int_equal(model->loads[1].result, KILN_BUILD_FAILED);
}

static void
identities_are_kept_when_they_change(void **state)
{
  struct events *events = *state;
  const char *with = "'ev':'hash','module':'m','identity':'a','block_dim':1,'kernels':{'z':'1','b':'2'},"
                     "'options':{'mode':'release'}";
  add_span(events, 100, 100, 10, 11, with);
  add_span(events, 100, 100, 20, 21, "'ev':'hash','module':'m','identity':'a','block_dim':1");
  add_span(events, 100, 100, 30, 31, "'ev':'hash','module':'m','identity':'b','block_dim':1");
  add_span(events, 100, 100, 40, 41, "'ev':'hash','module':'m','identity':'b','block_dim':2");
  add_span(events, 100, 100, 50, 51, "'ev':'hash','module':'m','identity':'b','block_dim':2");
  const struct kiln_model *model = finish_one(events);
  assert_int_equal(model->hash_count, 3);
  assert_int_equal(model->hashes[0].kernel_count, 2);
  assert_string_equal(model->hashes[0].kernels[0].name, "b");
  assert_string_equal(model->hashes[0].kernels[0].value, "2");
  assert_string_equal(model->hashes[0].kernels[1].name, "z");
  assert_int_equal(model->hashes[0].option_count, 1);
  assert_string_equal(model->hashes[0].options[0].value, "release");
  assert_int_equal(model->hashes[1].t_ns, 30);
  assert_int_equal(model->hashes[2].t_ns, 40);
  assert_int_equal(model->processes[0].spans[KILN_PHASE_HASHING].wall_ns, 5);
}

static void
options_caches_errors_and_counts(void **state)
{
  struct events *events = *state;
  add(events, 1, 1, 10,
      "'ev':'option','module':null,'changes':{'mode':['release','debug'],'x':['1','2']},'loaded':true");
  add(events, 1, 1, 20, "'ev':'cache','what':'root','path':'/c','by':'program','where':{'file':'a.py','line':1}");
  add(events, 1, 1, 30, "'ev':'error','hook':'warp.load','message':'no such name'");
  add(events, 1, 1, 36, "'ev':'lever','id':'pch','state':'applied'");
  add(events, 1, 1, 35, "'ev':'lever','id':'prebuild','state':'missed','module':'sim','detail':'gone'");
  add(events, 1, 1, 40, "'ev':'tape','what':'backward'");
  add(events, 1, 1, 50, "'ev':'tape','what':'forward'");
  add(events, 1, 1, 60, "'ev':'invalidate','module':'m'");
  add_span(events, 1, 1, 70, 80, "'ev':'link','symbol':'s','result':'compiled'");
  add_span(events, 1, 1, 80, 90, "'ev':'link','symbol':'s','result':'cached'");
  const struct kiln_model *model = finish_one(events);
  assert_int_equal(model->option_count, 2);
  assert_string_equal(model->options[0].name, "mode");
  assert_string_equal(model->options[0].before, "release");
  assert_string_equal(model->options[0].after, "debug");
  assert_null(model->options[0].module);
  assert_true(model->options[0].loaded);
  assert_int_equal(model->cache_count, 1);
  assert_string_equal(model->caches[0].by, "program");
  assert_int_equal(model->error_count, 1);
  assert_string_equal(model->errors[0].message, "no such name");
  assert_int_equal(model->lever_count, 2);
  assert_string_equal(model->levers[0].id, "prebuild"); /* by time, not by file */
  assert_string_equal(model->levers[0].state, "missed");
  assert_string_equal(model->levers[0].module, "sim");
  assert_string_equal(model->levers[0].detail, "gone");
  assert_null(model->levers[1].module);
  assert_int_equal(model->tape_backward, 1);
  assert_int_equal(model->invalidations, 1);
  assert_int_equal(model->lto_built, 1);
  assert_int_equal(model->counts.lto, 1);
}

static void
wrong_types_are_unknown_values(void **state)
{
  struct events *events = *state;
  add_span(events, 1, 1, 10, 20,
      "'ev':'compile','step':'module','module':7,'identity':[],'device':{},'block_dim':'256','result':4,'bytes':-3,"
      "'lto':1e300,'aot':'yes','where':'a.py:3'");
  add_span(events, 1, 1, 20, 30, "'ev':'compile','step':['module'],'module':'m'");
  add_span(events, 1, 1, 30, 40, "'ev':'hash','module':{},'kernels':[1,2],'options':'x'");
  add(events, 1, 1, 40, "'ev':'option','changes':[1]");
  add(events, 1, 1, 50, "'ev':'option','changes':{'a':3,'b':[4],'c':['x']}");
  add(events, 1, 1, 60, "'ev':'process','what':'start','argv':'python','ppid':-1");
  add(events, 1, 1, 70, "'ev':'signature','id':-1");
  add(events, 1, 1, 80, "'ev':'signature','id':4294967296");
  add(events, 1, 1, 90, "'ev':'capture'");
  const struct kiln_model *model = finish_one(events);
  assert_int_equal(model->build_count, 1);
  assert_null(model->builds[0].module);
  assert_int_equal(model->builds[0].block_dim, 0);
  assert_int_equal(model->builds[0].source_bytes, 0);
  assert_int_equal(model->builds[0].lto, 0);
  assert_false(model->builds[0].aot);
  assert_null(model->builds[0].where.file);
  assert_int_equal(model->builds[0].result, KILN_BUILD_FAILED);
  assert_int_equal(model->hashes[0].kernel_count, 0);
  assert_int_equal(model->option_count, 3);
  assert_null(model->options[0].before);
  assert_null(model->processes[0].command);
  assert_int_equal(model->processes[0].ppid, 0);
  assert_int_equal(model->counts.modules, 0);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      EVENTS_TEST(every_field_of_a_build),
      EVENTS_TEST(declarations_and_loads),
      EVENTS_TEST(identities_are_kept_when_they_change),
      EVENTS_TEST(options_caches_errors_and_counts),
      EVENTS_TEST(wrong_types_are_unknown_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
