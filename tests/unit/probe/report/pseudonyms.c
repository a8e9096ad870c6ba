#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probe/report/pseudonyms.h"

struct fixture {
  struct kiln_arena arena;
  struct kiln_pseudonyms names;
};

static int
set_up(void **state)
{
  static struct fixture fixture;
  kiln_arena_init(&fixture.arena);
  kiln_pseudonyms_init(&fixture.names, &fixture.arena);
  *state = &fixture;
  return 0;
}

static int
tear_down(void **state)
{
  struct fixture *fixture = *state;
  kiln_pseudonyms_release(&fixture->names);
  kiln_arena_release(&fixture->arena);
  return 0;
}

static void
becomes(struct fixture *fixture, const char *sentence, const char *expected)
{
  struct kiln_buf out;
  kiln_buf_init(&out);
  kiln_pseudonyms_replace(&fixture->names, sentence, &out);
  assert_false(fixture->names.failed);
  assert_string_equal(kiln_buf_text(&out), expected);
  kiln_buf_release(&out);
}

static void
equal_names_get_equal_pseudonyms(void **state)
{
  struct fixture *fixture = *state;
  const char *first = kiln_pseudonym_of(&fixture->names, KILN_NAME_MODULE, "forces");
  assert_string_equal(first, "module-1");
  assert_string_equal(kiln_pseudonym_of(&fixture->names, KILN_NAME_MODULE, "waves"), "module-2");
  assert_ptr_equal(kiln_pseudonym_of(&fixture->names, KILN_NAME_KERNEL, "forces"), first);
  assert_string_equal(kiln_pseudonym_of(&fixture->names, KILN_NAME_FILE, "/x/app.py"), "file-1.py");
  assert_string_equal(kiln_pseudonym_of(&fixture->names, KILN_NAME_FILE, "/x/app.of-mine"), "file-2");
  assert_string_equal(kiln_pseudonym_of(&fixture->names, KILN_NAME_HASH, "abcdef"), "h000001");
  assert_null(kiln_pseudonym_of(&fixture->names, KILN_NAME_MODULE, NULL));
  assert_string_equal(kiln_pseudonym_of(&fixture->names, KILN_NAME_MODULE, ""), "");
}

static void
many_names_stay_apart(void **state)
{
  struct fixture *fixture = *state;
  char name[32], expected[32];
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < 1000; i++) {
      snprintf(name, sizeof name, "name of %d", i);
      snprintf(expected, sizeof expected, "word-%d", i + 1);
      assert_string_equal(kiln_pseudonym_of(&fixture->names, KILN_NAME_WORD, name), expected);
    }
}

static void
replaces_whole_words_the_longest_first(void **state)
{
  struct fixture *fixture = *state;
  kiln_pseudonym_of(&fixture->names, KILN_NAME_MODULE, "orbit");
  kiln_pseudonym_of(&fixture->names, KILN_NAME_MODULE, "orbit.fast");
  becomes(fixture, "`orbit.fast`, orbit and orbital", "`module-2`, module-1 and orbital");
  becomes(fixture, "orbit.faster, re-orbit, orbit_2", "module-1.faster, re-module-1, orbit_2");
}

static void
counts_and_plain_words_stay(void **state)
{
  struct fixture *fixture = *state;
  kiln_pseudonym_of(&fixture->names, KILN_NAME_WORD, "3");
  kiln_pseudonym_of(&fixture->names, KILN_NAME_KERNEL, "module");
  kiln_pseudonym_of(&fixture->names, KILN_NAME_KERNEL, "at");
  becomes(fixture, "the module was built 3 times at once", "the module was built 3 times at once");
  becomes(fixture, "kernel `at` of `module`, option '3'", "kernel `kernel-2` of `kernel-1`, option 'word-1'");
}

static void
every_path_is_replaced(void **state)
{
  struct fixture *fixture = *state;
  kiln_pseudonym_of(&fixture->names, KILN_NAME_FILE, "/home/me/app.py");
  becomes(fixture, "at /home/me/app.py:12.", "at file-1.py:12.");
  becomes(fixture, "'/home/me/my files/x' and /tmp/y, /tmp/y:7.", "'path-1' and path-2, path-2:7.");
  becomes(fixture, "/home/me/app.py.bak", "path-3");
  becomes(fixture, "cold / warm and 1/2", "cold / warm and 1/2");
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(equal_names_get_equal_pseudonyms, set_up, tear_down),
      cmocka_unit_test_setup_teardown(many_names_stay_apart, set_up, tear_down),
      cmocka_unit_test_setup_teardown(replaces_whole_words_the_longest_first, set_up, tear_down),
      cmocka_unit_test_setup_teardown(counts_and_plain_words_stay, set_up, tear_down),
      cmocka_unit_test_setup_teardown(every_path_is_replaced, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
