/* Specs from JSON: everything arrives, and what is wrong is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jit/spec.h"

static void
test_everything_arrives(void **state)
{
  static const char json[] = "{\"name\": \"n\", \"toolchain\": \"hostcc\", \"sources\": [{\"path\": \"/p/a.c\"},"
                             "{\"name\": \"b.c\", \"text\": \"int x;\"}], \"flags\": [\"-O2\"], \"defines\": [\"A=1\"],"
                             "\"includes\": [\"/i\"], \"archs\": [\"native\"], \"links\": [\"-lm\"],"
                             "\"entry_points\": [\"f\", \"g\"]}";
  struct kiln_spec *spec;
  (void)state;
  assert_int_equal(kiln_spec_parse(json, sizeof json - 1, &spec, NULL), KILN_OK);
  assert_string_equal(spec->name, "n");
  assert_int_equal(spec->source_count, 2);
  assert_string_equal(spec->sources[0].path, "/p/a.c");
  assert_string_equal(spec->sources[0].name, "a.c");
  assert_string_equal(spec->sources[1].text, "int x;");
  assert_string_equal(spec->flags.items[0], "-O2");
  assert_string_equal(spec->defines.items[0], "A=1");
  assert_string_equal(spec->includes.items[0], "/i");
  assert_string_equal(spec->archs.items[0], "native");
  assert_string_equal(spec->links.items[0], "-lm");
  assert_int_equal(spec->entry_points.count, 2);
  kiln_spec_free(spec);
}

static void
refused(const char *json, const char *named)
{
  struct kiln_spec *spec;
  struct kiln_error error = {0};
  if (kiln_spec_parse(json, strlen(json), &spec, &error) == KILN_OK)
    fail_msg("taken: %s", json);
  assert_null(spec);
  if (!strstr(error.what, named))
    fail_msg("'%s' does not name '%s'", error.what, named);
}

#define BASE "\"name\": \"n\", \"toolchain\": \"hostcc\""

static void
test_what_is_wrong_is_named(void **state)
{
  (void)state;
  refused("", "byte 0");
  refused("[]", "object");
  refused("{\"toolchain\": \"hostcc\", \"sources\": []}", "'name'");
  refused("{\"name\": 3, \"toolchain\": \"hostcc\", \"sources\": []}", "'name'");
  refused("{\"name\": \"n\", \"sources\": []}", "'toolchain'");
  refused("{\"name\": \"n\", \"toolchain\": \"x\", \"sources\": []}", "'x'");
  refused("{" BASE "}", "'sources'");
  refused("{" BASE ", \"sources\": {}}", "'sources'");
  refused("{" BASE ", \"sources\": [\"a.c\"]}", "'sources'");
  refused("{" BASE ", \"sources\": [{\"path\": \"a.c\", \"text\": \"\"}]}", "'sources'");
  refused("{" BASE ", \"sources\": [{\"name\": \"a.c\"}]}", "'sources'");
  refused("{" BASE ", \"sources\": [{\"name\": \"../a.c\", \"text\": \"\"}]}", "'../a.c'");
  refused("{" BASE ", \"sources\": [], \"flags\": \"-O2\"}", "'flags'");
  refused("{" BASE ", \"sources\": [], \"flags\": [1]}", "'flags'");
  refused("{" BASE ", \"sources\": [], \"flags\": [\"-o\"]}", "'-o'");
  refused("{" BASE ", \"sources\": [], \"flag\": []}", "'flag'");
  refused("{" BASE ", \"sources\": [], \"sources\": []}", "'sources'");
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_everything_arrives), cmocka_unit_test(test_what_is_wrong_is_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
