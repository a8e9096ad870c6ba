/* Lists that are built on threads: reports, order, failures, cancelling, waiting, forks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/wait.h>

#include "kiln/prefetch.h"
#include "os/clock.h"
#include "tests/unit/jit/fixture.h"
#include "tests/unit/sanitizer.h"

enum { COUNT = 5 };

struct seen {
  struct fixture *fixture;
  struct kiln_prefetch *_Atomic cancels; /* by the first report */
  atomic_int inside;
  int reports, overlaps, last_done;
  int times[COUNT];
  enum kiln_result results[COUNT];
  enum kiln_status statuses[COUNT];
  char keys[COUNT][65], what[COUNT][600];
  bool has_path[COUNT];
};

static void
note_report(void *context, const struct kiln_prefetch_report *report)
{
  struct seen *seen = context;
  if (atomic_fetch_add(&seen->inside, 1) != 0)
    seen->overlaps++;
  seen->reports++;
  seen->times[report->index]++;
  seen->results[report->index] = report->result;
  seen->statuses[report->index] = report->status;
  seen->has_path[report->index] = report->path != NULL;
  snprintf(seen->keys[report->index], sizeof seen->keys[0], "%s", report->key);
  snprintf(seen->what[report->index], sizeof seen->what[0], "%s", report->error->what);
  assert_int_equal(report->done, seen->last_done + 1);
  assert_int_equal(report->total, COUNT);
  seen->last_done = (int)report->done;
  if (seen->cancels)
    kiln_prefetch_cancel(seen->cancels);
  atomic_fetch_sub(&seen->inside, 1);
}

static void
make_specs(struct kiln_spec *specs[COUNT], int broken)
{
  for (int i = 0; i < COUNT; i++) {
    char text[96];
    snprintf(text, sizeof text, i == broken ? "int answer(void) { return %d }\n" : "int answer(void) { return %d; }\n",
        i + 10);
    specs[i] = fixture_spec(text);
  }
}

static void
free_specs(struct kiln_spec *specs[COUNT])
{
  for (int i = 0; i < COUNT; i++)
    kiln_spec_free(specs[i]);
}

static struct kiln_prefetch *
start(struct fixture *fixture, struct kiln_spec *specs[COUNT], const struct kiln_prefetch_options *options)
{
  struct kiln_prefetch *prefetch;
  if (kiln_module_prefetch(
          fixture->kiln, (const struct kiln_spec *const *)specs, COUNT, options, &prefetch, &fixture->error) != KILN_OK)
    fail_msg("%s", fixture->error.what);
  return prefetch;
}

static struct kiln_prefetch_summary
end(struct kiln_prefetch *prefetch)
{
  struct kiln_prefetch_summary summary;
  assert_true(kiln_prefetch_wait(prefetch, -1, &summary));
  return summary;
}

static void
test_a_list(void **state)
{
  struct fixture *fixture = *state;
  struct seen seen = {.fixture = fixture};
  struct kiln_spec *specs[COUNT];
  struct kiln_prefetch_options options;
  make_specs(specs, -1);
  kiln_prefetch_options_init(&options);
  options.report = note_report;
  options.context = &seen;
  struct kiln_prefetch *prefetch = start(fixture, specs, &options);
  free_specs(specs); /* they were copied */
  struct kiln_prefetch_summary summary = end(prefetch);
  assert_int_equal(summary.total, COUNT);
  assert_int_equal(summary.built, COUNT);
  assert_int_equal(summary.hit + summary.failed + summary.skipped, 0);
  assert_true(summary.seconds > 0);
  assert_true(end(prefetch).seconds == summary.seconds);
  kiln_prefetch_free(prefetch);
  assert_int_equal(seen.overlaps, 0);
  for (int i = 0; i < COUNT; i++) {
    assert_int_equal(seen.times[i], 1);
    assert_int_equal(seen.results[i], KILN_RESULT_BUILT);
    assert_int_equal(strlen(seen.keys[i]), 64);
    assert_true(seen.has_path[i]);
  }
  assert_int_equal(fixture_compiles(fixture), COUNT);
  make_specs(specs, -1);
  prefetch = start(fixture, specs, NULL);
  summary = end(prefetch);
  assert_int_equal(summary.hit, COUNT);
  kiln_prefetch_free(prefetch);
  free_specs(specs);
}

/* With `load` the next load asks neither the store nor the compiler. */
static void
test_loaded(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *specs[COUNT];
  struct kiln_prefetch_options options;
  make_specs(specs, -1);
  kiln_prefetch_options_init(&options);
  options.load = true;
  options.threads = 2;
  struct kiln_prefetch *prefetch = start(fixture, specs, &options);
  assert_int_equal(end(prefetch).built, COUNT);
  kiln_prefetch_free(prefetch);
  kiln_folder_remove(fixture->cache, NULL);
  for (int i = 0; i < COUNT; i++)
    assert_int_equal(fixture_answer(fixture, specs[i], NULL), i + 10);
  assert_int_equal(fixture_compiles(fixture), COUNT);
  free_specs(specs);
}

static void
test_failures(void **state)
{
  struct fixture *fixture = *state;
  struct seen seen = {.fixture = fixture};
  struct kiln_spec *specs[COUNT];
  struct kiln_prefetch_options options;
  make_specs(specs, 1);
  kiln_prefetch_options_init(&options);
  options.threads = 1;
  options.report = note_report;
  options.context = &seen;
  struct kiln_prefetch *prefetch = start(fixture, specs, &options);
  struct kiln_prefetch_summary summary = end(prefetch);
  kiln_prefetch_free(prefetch);
  assert_int_equal(summary.failed, 1);
  assert_int_equal(summary.built, COUNT - 1);
  assert_int_equal(seen.statuses[1], KILN_ERROR_COMMAND);
  assert_int_equal(seen.results[1], KILN_RESULT_FAILED);
  assert_non_null(strstr(seen.what[1], "error:"));
  options.stop_at_failure = true;
  options.report = NULL;
  prefetch = start(fixture, specs, &options);
  summary = end(prefetch);
  kiln_prefetch_free(prefetch);
  assert_int_equal(summary.hit, 1);
  assert_int_equal(summary.failed, 1);
  assert_int_equal(summary.skipped, COUNT - 2);
  free_specs(specs);
}

static void
test_cancelled(void **state)
{
  struct fixture *fixture = *state;
  struct seen seen = {.fixture = fixture};
  struct kiln_spec *specs[COUNT];
  struct kiln_prefetch_options options;
  char gate[128], body[256];
  make_specs(specs, -1);
  snprintf(gate, sizeof gate, "%s/gate", fixture->folder);
  snprintf(body, sizeof body, "while [ ! -e '%s' ]; do sleep 0.01; done", gate);
  fixture_stub(fixture, body);
  kiln_prefetch_options_init(&options);
  options.threads = 1;
  options.report = note_report;
  options.context = &seen;
  struct kiln_prefetch *prefetch = start(fixture, specs, &options);
  struct kiln_prefetch_summary summary;
  assert_false(kiln_prefetch_wait(prefetch, 0, &summary));
  assert_false(kiln_prefetch_wait(prefetch, 0.05, &summary));
  assert_int_equal(summary.total, COUNT);
  assert_int_equal(summary.built, 0);
  seen.cancels = prefetch;
  fixture_write(fixture->folder, "gate", "");
  summary = end(prefetch);
  assert_int_equal(summary.built, 1); /* what was begun came to its end */
  assert_int_equal(summary.skipped, COUNT - 1);
  assert_int_equal(seen.reports, 1);
  kiln_prefetch_free(prefetch);
  options.report = NULL;
  prefetch = start(fixture, specs, &options);
  kiln_prefetch_free(prefetch); /* cancels and waits */
  free_specs(specs);
}

static void
test_empty_and_wrong(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_prefetch *prefetch;
  struct kiln_prefetch_summary summary;
  struct kiln_prefetch_options options = {.size = 1};
  assert_int_equal(kiln_module_prefetch(fixture->kiln, NULL, 0, NULL, &prefetch, NULL), KILN_OK);
  assert_true(kiln_prefetch_wait(prefetch, 0, &summary));
  assert_int_equal(summary.total, 0);
  kiln_prefetch_free(prefetch);
  kiln_prefetch_free(NULL);
  assert_int_equal(
      kiln_module_prefetch(fixture->kiln, NULL, 0, &options, &prefetch, &fixture->error), KILN_ERROR_ARGUMENT);
  assert_non_null(strstr(fixture->error.what, "1 bytes"));
  assert_null(prefetch);
}

static void
test_forked(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *specs[COUNT];
  if (is_sanitized())
    skip(); /* a fork while another thread allocates leaves the sanitizer's allocator locked in the child */
  make_specs(specs, -1);
  fixture_stub(fixture, "sleep 0.2");
  struct kiln_prefetch *prefetch = start(fixture, specs, NULL);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    if (kiln_prefetch_wait(prefetch, -1, NULL))
      _exit(1);
    kiln_prefetch_cancel(prefetch);
    kiln_prefetch_free(prefetch);
    _exit(fixture_answer(fixture, specs[0], NULL));
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 10);
  assert_int_equal(end(prefetch).failed, 0);
  kiln_prefetch_free(prefetch);
  free_specs(specs);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_a_list, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_loaded, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_failures, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_cancelled, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_empty_and_wrong, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_forked, fixture_set_up, fixture_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
