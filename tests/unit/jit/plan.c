/* The request key: what changes it, and what does not. The entry key follows toolchain and dependencies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <fcntl.h>

#include <cmocka.h>

#include "jit/build.h"
#include "tests/unit/jit/fixture.h"

static struct kiln_digest
request_of(struct fixture *fixture, const struct kiln_spec *spec)
{
  struct kiln_plan plan;
  if (kiln_plan_begin(fixture->kiln, spec, &plan, &fixture->error) != KILN_OK)
    fail_msg("%s", fixture->error.what);
  const struct kiln_digest request = plan.request;
  kiln_plan_release(&plan);
  return request;
}

static struct kiln_spec *
base_spec(void)
{
  struct kiln_spec *spec = fixture_spec("int answer(void) { return 1; }\n");
  assert_int_equal(kiln_spec_add_flag(spec, "-O2", NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_define(spec, "A=1", NULL), KILN_OK);
  return spec;
}

enum change { SOURCE, FLAG, DEFINE, INCLUDE, ARCH, LINK, ENTRY, ANOTHER, CHANGES };

static void
change(struct kiln_spec *spec, enum change what, const char *folder)
{
  static const char other[] = "int other;\n";
  enum kiln_status status = KILN_OK;
  switch (what) {
  case SOURCE:
    spec->sources[0].text = "int answer(void) { return 2; }\n";
    kiln_memo_forget(spec);
    break;
  case FLAG:
    status = kiln_spec_add_flag(spec, "-ffast-math", NULL);
    break;
  case DEFINE:
    status = kiln_spec_add_define(spec, "B", NULL);
    break;
  case INCLUDE:
    status = kiln_spec_add_include(spec, folder, NULL);
    break;
  case ARCH:
    status = kiln_spec_add_arch(spec, "x86-64", NULL);
    break;
  case LINK:
    status = kiln_spec_add_link(spec, "-lm", NULL);
    break;
  case ENTRY:
    status = kiln_spec_add_entry_point(spec, "again", NULL);
    break;
  default:
    status = kiln_spec_add_source(spec, "other.c", other, strlen(other), NULL);
    break;
  }
  assert_int_equal(status, KILN_OK);
}

static void
test_every_input_changes_it(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_digest seen[CHANGES + 1];
  struct kiln_spec *spec = base_spec();
  seen[CHANGES] = request_of(fixture, spec);
  kiln_spec_free(spec);
  for (int i = 0; i < CHANGES; i++) {
    spec = base_spec();
    change(spec, (enum change)i, fixture->folder);
    seen[i] = request_of(fixture, spec);
    for (int j = 0; j < i; j++)
      assert_false(kiln_digest_equal(&seen[i], &seen[j]));
    assert_false(kiln_digest_equal(&seen[i], &seen[CHANGES]));
    kiln_spec_free(spec);
  }
}

static void
test_every_setting_that_matters_changes_it(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *spec = base_spec();
  const struct kiln_digest base = request_of(fixture, spec);
  fixture->options.debug = KILN_ON;
  fixture_open(fixture);
  const struct kiln_digest debug = request_of(fixture, spec);
  fixture->options.debug = KILN_UNSET;
  fixture->options.extra_flags = "-fno-math-errno";
  fixture_open(fixture);
  const struct kiln_digest extra = request_of(fixture, spec);
  fixture->options.extra_flags = NULL;
  fixture->options.launcher = "env";
  fixture_open(fixture);
  const struct kiln_digest launcher = request_of(fixture, spec);
  assert_false(kiln_digest_equal(&base, &debug));
  assert_false(kiln_digest_equal(&base, &extra));
  assert_false(kiln_digest_equal(&base, &launcher));
  assert_false(kiln_digest_equal(&extra, &launcher));
  kiln_spec_free(spec);
}

/* Name, place of a file and of the store, compiler's spelling, other settings. */
static void
test_nothing_else_changes_it(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *first, *second;
  char folder[128], one[160], two[160];
  snprintf(folder, sizeof folder, "%s/deeper", fixture->folder);
  snprintf(one, sizeof one, "%s/a.c", fixture->folder);
  snprintf(two, sizeof two, "%s/a.c", folder);
  assert_int_equal(mkdir(folder, 0700), 0);
  fixture_write(fixture->folder, "a.c", "int answer(void) { return 1; }\n");
  fixture_write(folder, "a.c", "int answer(void) { return 1; }\n");
  assert_int_equal(kiln_spec_new("one", "hostcc", &first, NULL), KILN_OK);
  assert_int_equal(kiln_spec_new("two", "hostcc", &second, NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_source_file(first, one, NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_source_file(second, two, NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_include(first, fixture->folder, NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_include(second, folder, NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_entry_point(first, "answer", NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_entry_point(second, "answer", NULL), KILN_OK);
  const struct kiln_digest before = request_of(fixture, first);
  fixture->options.cache_folder = folder;
  fixture->options.keep = KILN_ON;
  fixture->options.sync = KILN_ON;
  fixture->options.wait_limit_s = 5;
  fixture->options.compiler = "cc";
  fixture_open(fixture);
  const struct kiln_digest after = request_of(fixture, second);
  assert_true(kiln_digest_equal(&before, &after));
  kiln_spec_free(first);
  kiln_spec_free(second);
}

static void
test_memo_follows_the_file(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *spec;
  struct kiln_digest recalled;
  char path[160];
  snprintf(path, sizeof path, "%s/a.c", fixture->folder);
  fixture_write(fixture->folder, "a.c", "int answer(void) { return 1; }\n");
  const struct timespec past[2] = {{1000000000, 0}, {1000000000, 0}};
  assert_int_equal(utimensat(AT_FDCWD, path, past, 0), 0);
  assert_int_equal(kiln_spec_new("one", "hostcc", &spec, NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_source_file(spec, path, NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_entry_point(spec, "answer", NULL), KILN_OK);
  assert_false(kiln_memo_recall(fixture->kiln, spec, &recalled));
  const struct kiln_digest first = request_of(fixture, spec);
  assert_true(kiln_memo_recall(fixture->kiln, spec, &recalled));
  assert_true(kiln_digest_equal(&recalled, &first));
  fixture_write(fixture->folder, "a.c", "int answer(void) { return 2; }\n");
  assert_false(kiln_memo_recall(fixture->kiln, spec, &recalled));
  const struct kiln_digest second = request_of(fixture, spec);
  assert_false(kiln_digest_equal(&first, &second));
  assert_int_equal(kiln_spec_add_flag(spec, "-O1", NULL), KILN_OK);
  assert_false(kiln_memo_recall(fixture->kiln, spec, &recalled));
  kiln_spec_free(spec);
}

static void
test_what_is_missing_is_named(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_plan plan;
  struct kiln_spec *spec;
  assert_int_equal(kiln_spec_new("one", "hostcc", &spec, NULL), KILN_OK);
  assert_int_equal(kiln_plan_begin(fixture->kiln, spec, &plan, &fixture->error), KILN_ERROR_ARGUMENT);
  assert_non_null(strstr(fixture->error.what, "no source"));
  assert_int_equal(kiln_spec_add_source_file(spec, "/nowhere/a.c", NULL), KILN_OK);
  assert_int_equal(kiln_plan_begin(fixture->kiln, spec, &plan, &fixture->error), KILN_ERROR_ARGUMENT);
  assert_non_null(strstr(fixture->error.what, "no entry point"));
  assert_int_equal(kiln_spec_add_entry_point(spec, "answer", NULL), KILN_OK);
  assert_int_not_equal(kiln_plan_begin(fixture->kiln, spec, &plan, &fixture->error), KILN_OK);
  assert_non_null(strstr(fixture->error.what, "/nowhere/a.c"));
  kiln_spec_free(spec);
  spec = fixture_spec("");
  assert_int_equal(kiln_spec_add_include(spec, "/nowhere/include", NULL), KILN_OK);
  assert_int_not_equal(kiln_plan_begin(fixture->kiln, spec, &plan, &fixture->error), KILN_OK);
  assert_non_null(strstr(fixture->error.what, "/nowhere/include"));
  kiln_spec_free(spec);
  spec = fixture_spec("");
  assert_int_equal(kiln_spec_add_source(spec, "a.f90", "", 0, NULL), KILN_OK);
  assert_int_equal(kiln_plan_begin(fixture->kiln, spec, &plan, &fixture->error), KILN_ERROR_ARGUMENT);
  assert_non_null(strstr(fixture->error.what, "a.f90"));
  kiln_spec_free(spec);
}

/* The fields that are kept say what was hashed: request first, then toolchain, then dependencies. */
static void
test_fields_of_the_entry(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *spec = fixture_spec("#include <stddef.h>\nint answer(void) { return 1; }\n");
  struct kiln_plan plan;
  assert_int_equal(kiln_plan_init(fixture->kiln, spec, &plan, NULL), KILN_OK);
  assert_true(plan.identity_known);
  assert_false(plan.entry_known);
  assert_int_equal(plan.key.count, plan.request_fields);
  kiln_plan_release(&plan);
  assert_int_equal(fixture_answer(fixture, spec, NULL), 1);
  assert_int_equal(kiln_plan_init(fixture->kiln, spec, &plan, NULL), KILN_OK);
  assert_true(plan.entry_known);
  assert_true(kiln_digest_equal(&plan.entry, &plan.record.entry));
  assert_true(plan.key.count > plan.request_fields + 1);
  assert_string_equal(plan.key.fields[plan.request_fields].tag, "toolchain identity");
  for (size_t i = 0; i < plan.key.count; i++) {
    assert_null(strchr(plan.key.fields[i].value, '/'));
    assert_null(strstr(plan.key.fields[i].tag, "/usr"));
  }
  kiln_plan_release(&plan);
  kiln_spec_free(spec);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_set_up, fixture_tear_down)

int
main(void)
{
  const struct CMUnitTest tests[] = {TEST(test_every_input_changes_it),
      TEST(test_every_setting_that_matters_changes_it), TEST(test_nothing_else_changes_it),
      TEST(test_memo_follows_the_file), TEST(test_what_is_missing_is_named), TEST(test_fields_of_the_entry)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
