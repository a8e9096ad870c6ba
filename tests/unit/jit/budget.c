/* What the limits of a machine, of its control groups and of the user come to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jit/budget.h"
#include "tests/unit/jit/fixture.h"
#include "tests/unit/os/tree.h"

#define GIB ((uint64_t)1 << 30)

/* The fixture's folder as a root with 16 GiB and 64 processors. */
static const char *
fake_machine(struct fixture *fixture)
{
  tree_machine(fixture->folder);
  fixture->options.system_root = fixture->folder;
  fixture->options.jobs = 0;
  return fixture->folder;
}

static struct kiln_budget *
budget_of(struct fixture *fixture)
{
  struct kiln_budget *budget;
  fixture_open(fixture);
  if (kiln_budget_of(fixture->kiln, &budget, &fixture->error) != KILN_OK)
    fail_msg("%s", fixture->error.what);
  return budget;
}

static unsigned
width_of(struct fixture *fixture)
{
  unsigned width = 0;
  fixture_open(fixture);
  assert_int_equal(kiln_budget_width(fixture->kiln, "hostcc", &width, &fixture->error), KILN_OK);
  return width;
}

static void
test_hardware(void **state)
{
  struct fixture *fixture = *state;
  fake_machine(fixture);
  struct kiln_budget *budget = budget_of(fixture), *again;
  assert_int_equal(budget->places, 64);
  assert_int_equal(budget->memory_bytes, 14 * GIB);
  assert_non_null(strstr(budget->places_source, "cpu/online"));
  assert_non_null(strstr(budget->memory_source, "seven eighths of MemTotal"));
  assert_int_equal(budget->unshared[0], '\0');
  assert_int_equal(kiln_budget_of(fixture->kiln, &again, NULL), KILN_OK);
  assert_ptr_equal(again, budget);
}

static void
test_groups(void **state)
{
  struct fixture *fixture = *state;
  const char *root = fake_machine(fixture);
  tree_file(root, "proc/self/cgroup", "0::/pod/job\n");
  tree_file(root, "sys/fs/cgroup/pod/job/memory.max", "max\n");
  tree_file(root, "sys/fs/cgroup/pod/memory.max", "8589934592\n");
  tree_file(root, "sys/fs/cgroup/pod/cpu.max", "350000 100000\n");
  const struct kiln_budget *budget = budget_of(fixture);
  assert_int_equal(budget->places, 3);
  assert_int_equal(budget->memory_bytes, 7 * GIB);
  assert_non_null(strstr(budget->memory_source, "pod/memory.max"));
  tree_file(root, "sys/fs/cgroup/pod/cpu.max", "50000 100000\n");
  assert_int_equal(budget_of(fixture)->places, 1);
}

static void
test_the_user_decides(void **state)
{
  struct fixture *fixture = *state;
  fake_machine(fixture);
  fixture->options.jobs = 200;
  fixture->options.memory_bytes = 100 * GIB;
  const struct kiln_budget *budget = budget_of(fixture);
  assert_int_equal(budget->places, 200);
  assert_string_equal(budget->places_source, "option");
  assert_int_equal(budget->memory_bytes, 100 * GIB);
  assert_string_equal(budget->memory_source, "option");
}

static void
test_width(void **state)
{
  struct fixture *fixture = *state;
  unsigned width;
  fake_machine(fixture);
  assert_int_equal(width_of(fixture), 56); /* 14 GiB for a guess of 256 MiB each */
  fixture->options.job_memory_bytes = GIB;
  assert_int_equal(width_of(fixture), 14);
  fixture->options.job_memory_bytes = 100 * GIB;
  assert_int_equal(width_of(fixture), 1);
  fixture->options.job_memory_bytes = 1;
  assert_int_equal(width_of(fixture), 64);
  fixture->options.memory_bytes = UINT64_MAX;
  fixture->options.jobs = 7;
  assert_int_equal(width_of(fixture), 7);
  assert_int_equal(kiln_budget_width(fixture->kiln, "hostc", &width, &fixture->error), KILN_ERROR_ARGUMENT);
  assert_non_null(strstr(fixture->error.what, "'hostc'"));
}

static void
test_malformed_limits(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_budget *budget;
  const char *root = fake_machine(fixture);
  tree_file(root, "proc/self/cgroup", "0::/\n");
  tree_file(root, "sys/fs/cgroup/memory.max", "lots\n");
  fixture_open(fixture); /* a limit is no matter as long as nothing is built */
  assert_int_equal(kiln_budget_of(fixture->kiln, &budget, &fixture->error), KILN_ERROR_ENVIRONMENT);
  assert_non_null(strstr(fixture->error.what, "'lots'"));
  assert_non_null(strstr(fixture->error.remedy, "KILN_JOBS"));
  struct kiln_spec *spec = fixture_spec("int answer(void) { return 1; }\n");
  assert_int_equal(fixture_answer(fixture, spec, NULL), -1);
  assert_non_null(strstr(fixture->error.what, "'lots'"));
  assert_int_equal(fixture_compiles(fixture), 0);
  fixture->options.jobs = 2;
  fixture->options.memory_bytes = GIB;
  assert_int_equal(budget_of(fixture)->places, 2);
  assert_int_equal(fixture_answer(fixture, spec, NULL), 1);
  kiln_spec_free(spec);
}

static void
test_a_place_that_cannot_be_shared(void **state)
{
  struct fixture *fixture = *state;
  char place[96];
  snprintf(place, sizeof place, "%s/open", fixture->folder);
  assert_int_equal(mkdir(place, 0777), 0);
  assert_int_equal(chmod(place, 0777), 0);
  fixture->options.budget_folder = place;
  const struct kiln_budget *budget = budget_of(fixture);
  assert_non_null(strstr(budget->unshared, place));
  assert_true(budget->private_fd >= 0);
  assert_non_null(strstr(fixture->messages, "other processes do not count"));
  snprintf(place, sizeof place, "%s/file", fixture->folder);
  fixture_write(fixture->folder, "file", "x");
  budget = budget_of(fixture);
  assert_true(budget->unshared[0] != '\0' && budget->private_fd >= 0);
  struct kiln_spec *spec = fixture_spec("int answer(void) { return 2; }\n");
  assert_int_equal(fixture_answer(fixture, spec, NULL), 2);
  kiln_spec_free(spec);
}

/* ---- shown ---- */

struct seen {
  char text[4096];
  int count, stop_at;
};

static bool
note_limit(void *context, const struct kiln_setting *limit)
{
  struct seen *seen = context;
  const size_t len = strlen(seen->text);
  snprintf(seen->text + len, sizeof seen->text - len, "%s=%s (%s)\n", limit->name, limit->value, limit->source);
  return ++seen->count != seen->stop_at;
}

static void
test_listed_with_sources(void **state)
{
  struct fixture *fixture = *state;
  struct seen seen = {.count = 0};
  fake_machine(fixture);
  fixture_open(fixture);
  assert_int_equal(kiln_budget_list(fixture->kiln, note_limit, &seen, NULL), KILN_OK);
  assert_non_null(strstr(seen.text, "processors=64 ("));
  assert_non_null(strstr(seen.text, "memory of the machine=16.00 GiB (MemTotal in "));
  assert_non_null(strstr(seen.text, "memory available now=15.00 GiB"));
  assert_non_null(strstr(seen.text, "places for compilers=64 ("));
  assert_non_null(strstr(seen.text, "memory for compilers=14.00 GiB (seven eighths of "));
  assert_non_null(strstr(seen.text, "memory of one hostcc=0.25 GiB (a guess)"));
  assert_non_null(strstr(seen.text, "places taken now=0 of 64 ("));
  assert_non_null(strstr(seen.text, "shared by all processes=yes ("));
  seen = (struct seen){.stop_at = 2};
  assert_int_equal(kiln_budget_list(fixture->kiln, note_limit, &seen, NULL), KILN_OK);
  assert_int_equal(seen.count, 2);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_hardware, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_groups, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_the_user_decides, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_width, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_malformed_limits, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_a_place_that_cannot_be_shared, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_listed_with_sources, fixture_set_up, fixture_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
