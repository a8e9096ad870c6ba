#include "unit/probe/rules/judged.h"

static struct kiln_report *
phases(uint64_t imports_ms, uint64_t compile_ms)
{
  struct kiln_report *report = judged_report("warp 1.19.0");
  struct kiln_report_run *cold = &report->arms[0].samples[0].cold;
  made_build(cold->model, "m", A, 1, 10, compile_ms);
  cold->phase[KILN_PHASE_IMPORTS] = (struct kiln_span_time){imports_ms * MS, imports_ms * MS};
  cold->phase[KILN_PHASE_DECLARATION] = (struct kiln_span_time){imports_ms ? 100 * MS : 0, imports_ms ? 100 * MS : 0};
  cold->phase[KILN_PHASE_COMPILE] = (struct kiln_span_time){compile_ms * MS, compile_ms * MS};
  assert_true(KILN_GROW(cold->model->longs, cold->model->long_count, cold->model->long_capacity));
  cold->model->longs[cold->model->long_count++] = (struct kiln_model_long){
      .kind = "import", .name = "torch", .phase = KILN_PHASE_IMPORTS, .pid = 1, .tid = 1, .wall_ns = imports_ms * MS};
  return report;
}

static void
imports_above_the_compiler(void **state)
{
  (void)state;
  struct kiln_report *report = phases(1400, 300);
  assert_int_equal(judged(&kiln_rule_n6, report), KILN_FINDING_FIRED);
  assert_true(made_says(&report->findings[0], "1.50 s of CPU time for imports"));
  assert_true(made_says(&report->findings[0], "import of `torch`"));
  assert_true(report->findings[0].saves_cpu);
  kiln_report_free(report);
}

static void
the_compiler_above_imports(void **state)
{
  (void)state;
  struct kiln_report *report = phases(1400, 1900);
  assert_int_equal(judged(&kiln_rule_n6, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
  report = phases(300, 100); /* too little to be worth a word */
  assert_int_equal(judged(&kiln_rule_n6, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
}

/* A small program: nearly all of its imports are the framework's. */
static void
the_framework_itself(void **state)
{
  (void)state;
  struct kiln_report *report = phases(1400, 300);
  struct kiln_model *model = report->arms[0].samples[0].cold.model;
  model->longs[0].name = model->builds[0].framework;
  model->longs[0].wall_ns = 1100 * MS;
  assert_int_equal(judged(&kiln_rule_n6, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
}

static void
a_run_without_phases(void **state)
{
  (void)state;
  struct kiln_report *report = phases(0, 300);
  assert_int_equal(judged(&kiln_rule_n6, report), KILN_FINDING_NOT_REACHED);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(imports_above_the_compiler),
      cmocka_unit_test(the_compiler_above_imports), cmocka_unit_test(the_framework_itself),
      cmocka_unit_test(a_run_without_phases)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
