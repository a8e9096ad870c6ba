/* Identities: of a file by build-id or content, of a toolchain remembered in kiln and store as long as nothing moves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jit/identity.h"
#include "tests/unit/jit/fixture.h"

static int discoveries;

static enum kiln_status
discover(void *context, const char *driver, char ***paths, size_t *count, struct kiln_error *error)
{
  (void)error;
  discoveries++;
  *paths = calloc(2, sizeof **paths);
  (*paths)[0] = strdup(driver);
  (*paths)[1] = strdup(context);
  *count = 2;
  return KILN_OK;
}

static struct kiln_digest
identity_of(struct fixture *fixture, char *library)
{
  struct kiln_digest identity;
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_identity_doubt(fixture->kiln);
  assert_int_equal(
      kiln_identity_of(fixture->kiln, fixture->compiler, "tag", discover, library, &identity, &text, NULL), KILN_OK);
  assert_non_null(strstr(text.data, "stub-cc blake2b:"));
  assert_null(strstr(text.data, fixture->folder)); /* no paths */
  kiln_buf_release(&text);
  return identity;
}

static void
test_remembered_until_something_moves(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_digest again, other;
  char library[96];
  snprintf(library, sizeof library, "%s/lib", fixture->folder);
  fixture_write(fixture->folder, "lib", "one");
  discoveries = 0;
  const struct kiln_digest first = identity_of(fixture, library);
  again = identity_of(fixture, library);
  assert_true(kiln_digest_equal(&first, &again));
  assert_int_equal(discoveries, 1);
  fixture_open(fixture); /* another kiln: from the store */
  again = identity_of(fixture, library);
  assert_true(kiln_digest_equal(&first, &again));
  assert_int_equal(discoveries, 1);
  fixture_write(fixture->folder, "lib", "two");
  other = identity_of(fixture, library);
  assert_false(kiln_digest_equal(&first, &other));
  assert_int_equal(discoveries, 2);
  fixture_write(fixture->folder, "lib", "one"); /* the content counts, not the time */
  again = identity_of(fixture, library);
  assert_true(kiln_digest_equal(&first, &again));
}

static void
test_recalled_by_the_question(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_digest recalled;
  struct kiln_buf text;
  char library[96];
  snprintf(library, sizeof library, "%s/lib", fixture->folder);
  fixture_write(fixture->folder, "lib", "one");
  kiln_buf_init(&text);
  assert_false(kiln_identity_recall(fixture->kiln, "tag", &recalled, &text));
  const struct kiln_digest first = identity_of(fixture, library);
  assert_true(kiln_identity_recall(fixture->kiln, "tag", &recalled, &text));
  assert_true(kiln_digest_equal(&first, &recalled));
  assert_false(kiln_identity_recall(fixture->kiln, "other", &recalled, &text));
  assert_int_equal(unlink(library), 0);
  kiln_identity_doubt(fixture->kiln);
  assert_false(kiln_identity_recall(fixture->kiln, "tag", &recalled, &text));
  kiln_buf_release(&text);
}

static void
test_of_a_file(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_buf text;
  char path[96];
  kiln_buf_init(&text);
  snprintf(path, sizeof path, "%s/lib", fixture->folder);
  fixture_write(fixture->folder, "lib", "one");
  assert_int_equal(kiln_identity_file(path, &text, NULL), KILN_OK);
  assert_int_equal(text.len, strlen("blake2b:") + 64);
  kiln_buf_clear(&text);
  assert_int_equal(kiln_identity_file("/nowhere/lib", &text, NULL), KILN_ERROR_NOT_FOUND);
  assert_int_equal(text.len, 0);
  kiln_buf_release(&text);
}

/* Two compilers are two toolchains: both entries stay. */
static void
test_another_compiler_is_another_entry(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *spec = fixture_spec("int answer(void) { return 1; }\n");
  enum kiln_result result;
  assert_int_equal(fixture_answer(fixture, spec, NULL), 1);
  fixture_stub(fixture, ": another");
  fixture_open(fixture);
  assert_int_equal(fixture_answer(fixture, spec, &result), 1);
  assert_int_equal(result, KILN_RESULT_BUILT);
  fixture_stub(fixture, ":");
  fixture_open(fixture);
  assert_int_equal(fixture_answer(fixture, spec, &result), 1);
  assert_int_equal(result, KILN_RESULT_HIT);
  assert_int_equal(fixture_compiles(fixture), 2);
  kiln_spec_free(spec);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_set_up, fixture_tear_down)

int
main(void)
{
  const struct CMUnitTest tests[] = {TEST(test_remembered_until_something_moves), TEST(test_recalled_by_the_question),
      TEST(test_of_a_file), TEST(test_another_compiler_is_another_entry)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
