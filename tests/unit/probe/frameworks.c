#include "unit/probe/events.h"

#include "base/text.h"
#include "probe/frameworks.h"

static const struct kiln_framework *
find(const char *name)
{
  for (size_t i = 0; i < kiln_framework_count; i++)
    if (strcmp(kiln_frameworks[i].name, name) == 0)
      return &kiln_frameworks[i];
  fail_msg("no framework '%s'", name);
  return NULL;
}

static void
table_is_sound(void **state)
{
  (void)state;
  for (size_t i = 0; i < kiln_framework_count; i++) {
    const struct kiln_framework *framework = &kiln_frameworks[i];
    assert_true(strlen(framework->name) > 0);
    assert_null(strchr(framework->name, '/')); /* it is a folder name */
    assert_true(framework->variable || framework->home);
    assert_true(strlen(framework->artefact) > 0);
    assert_true(!framework->home || framework->home[0] != '/');
    for (size_t j = 0; j < i; j++) {
      assert_string_not_equal(framework->name, kiln_frameworks[j].name);
      assert_false(framework->variable && kiln_text_equal(framework->variable, kiln_frameworks[j].variable));
    }
  }
}

static void
artefacts_by_suffix(void **state)
{
  (void)state;
  const struct kiln_framework *warp = find("warp");
  assert_string_equal(warp->variable, "WARP_CACHE_PATH");
  assert_true(kiln_framework_is_artefact(warp, "wp_m.o"));
  assert_true(kiln_framework_is_artefact(warp, "wp_m.sm90.cubin"));
  assert_true(kiln_framework_is_artefact(warp, "wp_m.sm90.ptx"));
  assert_false(kiln_framework_is_artefact(warp, "wp_m.cpp"));
  assert_false(kiln_framework_is_artefact(warp, "wp_m.meta"));
  assert_false(kiln_framework_is_artefact(warp, "ptx"));
  assert_false(kiln_framework_is_artefact(warp, ".o")); /* a suffix alone is no name */
  assert_false(kiln_framework_is_artefact(warp, ""));
}

static void
every_file_of_the_driver_cache(void **state)
{
  (void)state;
  assert_true(kiln_framework_is_artefact(find("cuda"), "0a1b2c"));
  assert_false(kiln_framework_is_artefact(find("cuda"), ""));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(table_is_sound),
      cmocka_unit_test(artefacts_by_suffix),
      cmocka_unit_test(every_file_of_the_driver_cache),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
