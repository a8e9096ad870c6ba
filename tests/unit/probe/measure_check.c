/* What a finished run is checked for: moved caches, artefacts against events, what was lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probe/measure_run.h"

#define CACHE "/sandbox/s1/cache"

struct fixture {
  struct kiln_sandbox sandbox;
  struct kiln_measurement measurement;
  struct kiln_report_run run;
  struct kiln_model_build builds[4];
  struct kiln_model_cache caches[2];
  struct kiln_model_error errors[1];
  struct kiln_sweep before, after;
  const char *kept; /* folder of the arm's lever */
};

static char folder[] = "/sandbox";
static const char identity_a[] = "aa", identity_b[] = "bb", module_name[] = "m";

static int
setup(void **state)
{
  struct fixture *fixture = calloc(1, sizeof *fixture);
  assert_non_null(fixture);
  fixture->sandbox.folder = folder;
  fixture->measurement.sandbox = &fixture->sandbox;
  fixture->measurement.report = kiln_report_new();
  fixture->run.present = true;
  fixture->run.model = kiln_model_new();
  kiln_sweep_init(&fixture->before);
  kiln_sweep_init(&fixture->after);
  *state = fixture;
  return fixture->measurement.report && fixture->run.model ? 0 : -1;
}

static int
teardown(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_model *model = fixture->run.model;
  /* These tables are the fixture's. */
  model->builds = NULL;
  model->caches = NULL;
  model->errors = NULL;
  kiln_model_free(model);
  kiln_report_free(fixture->measurement.report);
  kiln_sweep_release(&fixture->before);
  kiln_sweep_release(&fixture->after);
  free(fixture);
  return 0;
}

static void
add_build(struct fixture *fixture, const char *identity, const char *device, const char *path)
{
  struct kiln_model_build *build = &fixture->builds[fixture->run.model->build_count++];
  build->framework = "warp";
  build->module = module_name;
  build->identity = identity;
  build->device = device;
  build->path = path;
  build->result = KILN_BUILD_COMPILED;
  fixture->run.model->builds = fixture->builds;
}

static void
add_artefact(struct kiln_sweep *sweep, const char *path, uint64_t mtime_ns)
{
  assert_true(KILN_GROW(sweep->entries, sweep->count, sweep->capacity));
  sweep->entries[sweep->count].framework = "warp";
  sweep->entries[sweep->count].path = strdup(path);
  sweep->entries[sweep->count].mtime_ns = mtime_ns;
  sweep->entries[sweep->count++].size = 1;
}

static void
add_root(struct fixture *fixture, const char *path, const char *file)
{
  struct kiln_model_cache *root = &fixture->caches[fixture->run.model->cache_count++];
  root->framework = "warp";
  root->what = "root";
  root->path = path;
  root->by = "program";
  root->where.file = file;
  root->where.line = 7;
  fixture->run.model->caches = fixture->caches;
}

static struct kiln_report *
check(struct fixture *fixture)
{
  const struct kiln_measure_arm arm = {.name = "base", .change = {.folder = fixture->kept}};
  const struct kiln_measurement_place place = {&arm, 1, 1, "cold"};
  kiln_measurement_check_run(&fixture->measurement, &place, &fixture->run, &fixture->before, &fixture->after);
  return fixture->measurement.report;
}

static bool
warned(const struct kiln_report *report, const char *part)
{
  size_t i;
  for (i = 0; i < report->warning_count; i++) {
    if (strstr(report->warnings[i], part)) {
      return true;
    }
  }
  return false;
}

static void
all_well(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_report *report;
  add_root(fixture, CACHE "/warp/1.19.0", NULL);
  add_build(fixture, identity_a, "cpu", CACHE "/warp/1.19.0/a");
  add_artefact(&fixture->after, CACHE "/warp/1.19.0/a/m.o", 5);
  report = check(fixture);
  assert_int_equal(report->warning_count, 0);
  assert_int_equal(report->state, KILN_REPORT_COMPLETE);
}

static void
more_builds_than_artefacts(void **state)
{
  struct fixture *fixture = *state;
  add_build(fixture, identity_a, "cpu", CACHE "/warp/a");
  add_build(fixture, identity_b, "cpu", CACHE "/warp/b");
  add_artefact(&fixture->after, CACHE "/warp/a/m.o", 5);
  assert_true(warned(check(fixture), "artefacts found 1, builds observed 2"));
}

static void
more_artefacts_than_builds(void **state)
{
  struct fixture *fixture = *state;
  add_artefact(&fixture->before, CACHE "/warp/old/m.o", 5);
  add_artefact(&fixture->after, CACHE "/warp/a/m.o", 5);
  add_artefact(&fixture->after, CACHE "/warp/old/m.o", 5);
  assert_true(warned(check(fixture), "artefacts found 1, builds observed 0"));
}

/* Two processes, two devices of one kind: one artefact. Built elsewhere: none here. */
static void
one_artefact_many_builds(void **state)
{
  struct fixture *fixture = *state;
  add_build(fixture, identity_a, "cuda:0", CACHE "/warp/a");
  add_build(fixture, identity_a, "cuda:1", CACHE "/warp/a");
  add_build(fixture, identity_a, "cuda:0", CACHE "/warp/a");
  add_build(fixture, identity_b, "cpu", "/elsewhere/b");
  add_artefact(&fixture->after, CACHE "/warp/a/m.cubin", 5);
  assert_int_equal(check(fixture)->warning_count, 0);
}

/* With the reuse off a build may keep the artefact that lies there, or replace it. */
static void
built_again(void **state)
{
  struct fixture *fixture = *state;
  add_build(fixture, identity_a, "cpu", CACHE "/warp/a");
  add_artefact(&fixture->before, CACHE "/warp/a/m.o", 5);
  add_artefact(&fixture->after, CACHE "/warp/a/m.o", 5);
  assert_int_equal(check(fixture)->warning_count, 0);
  fixture->after.entries[0].mtime_ns = 6;
  assert_int_equal(check(fixture)->warning_count, 0);
}

static void
cache_moved_inside(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_report *report;
  add_root(fixture, "/sandbox/s1/tmp/mine", "app.py");
  report = check(fixture);
  assert_true(warned(report, "moved the cache of warp"));
  assert_int_equal(report->state, KILN_REPORT_COMPLETE);
}

static void
cache_moved_outside(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_report *report;
  add_root(fixture, "/sandbox-of-another/cache", "app.py");
  report = check(fixture);
  assert_int_equal(report->state, KILN_REPORT_INVALID);
  assert_non_null(strstr(report->failure, "'/sandbox-of-another/cache'"));
  assert_non_null(strstr(report->failure, "app.py:7"));
}

/* What a lever keeps from run to run is outside every sandbox, on purpose. */
static void
cache_of_the_lever(void **state)
{
  struct fixture *fixture = *state;
  fixture->kept = "/kept";
  add_root(fixture, "/kept/cache/1.19.0", "app.py");
  assert_int_equal(check(fixture)->state, KILN_REPORT_COMPLETE);
  add_root(fixture, "/kept-by-another", "app.py");
  assert_int_equal(check(fixture)->state, KILN_REPORT_INVALID);
}

static void
what_was_lost(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_report *report;
  fixture->run.result.killed = 2;
  fixture->run.result.output_cut = true;
  fixture->run.result.output_lost = true;
  fixture->run.model->bad_lines = 3;
  fixture->run.model->launch_overflow = 4;
  fixture->errors[0].hook = "context.launch";
  fixture->errors[0].message = "not there";
  fixture->run.model->errors = fixture->errors;
  fixture->run.model->error_count = 1;
  report = check(fixture);
  assert_true(warned(report, "were killed: 2"));
  assert_true(warned(report, "middle of its output"));
  assert_true(warned(report, "could not be kept"));
  assert_true(warned(report, "could not be read: 3"));
  assert_true(warned(report, "\"at least\": 4"));
  assert_true(warned(report, "context.launch: not there"));
  assert_int_equal(report->warning_count, 6);
}

static void
no_run_no_check(void **state)
{
  struct fixture *fixture = *state;
  fixture->run.present = false;
  fixture->run.result.killed = 2;
  assert_int_equal(check(fixture)->warning_count, 0);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(all_well, setup, teardown),
      cmocka_unit_test_setup_teardown(more_builds_than_artefacts, setup, teardown),
      cmocka_unit_test_setup_teardown(more_artefacts_than_builds, setup, teardown),
      cmocka_unit_test_setup_teardown(one_artefact_many_builds, setup, teardown),
      cmocka_unit_test_setup_teardown(built_again, setup, teardown),
      cmocka_unit_test_setup_teardown(cache_moved_inside, setup, teardown),
      cmocka_unit_test_setup_teardown(cache_moved_outside, setup, teardown),
      cmocka_unit_test_setup_teardown(cache_of_the_lever, setup, teardown),
      cmocka_unit_test_setup_teardown(what_was_lost, setup, teardown),
      cmocka_unit_test_setup_teardown(no_run_no_check, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
