#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json_read.h"
#include "probe/doctor.h"

static const struct kiln_fact *
fact_of(const struct kiln_doctor *doctor, const char *group, const char *name)
{
  for (size_t i = 0; i < doctor->count; i++)
    if (strcmp(doctor->facts[i].group, group) == 0 && strcmp(doctor->facts[i].name, name) == 0)
      return &doctor->facts[i];
  fail_msg("no fact %s in %s", name, group);
  return NULL;
}

static void
the_worst_fact_decides(void **state)
{
  (void)state;
  static const int codes[] = {0, 0, 0, 1, 5};
  struct kiln_doctor doctor;
  kiln_doctor_init(&doctor);
  assert_int_equal(kiln_doctor_exit(&doctor), 0);
  for (int i = KILN_FACT_INFO; i <= KILN_FACT_BLOCKED; i++) {
    kiln_doctor_add(&doctor, "group", (enum kiln_fact_state)i, "name", "value", NULL, NULL);
    kiln_doctor_add(&doctor, "group", KILN_FACT_INFO, "name", "value", NULL, NULL);
    assert_int_equal(kiln_doctor_exit(&doctor), codes[i]);
  }
  kiln_doctor_release(&doctor);
}

static void
a_page_and_json(void **state)
{
  (void)state;
  struct kiln_doctor doctor;
  struct kiln_buf out;
  struct cJSON *tree;
  kiln_doctor_init(&doctor);
  kiln_doctor_add(&doctor, "one", KILN_FACT_OK, "first", "fine", "default", NULL);
  kiln_doctor_add(&doctor, "two", KILN_FACT_LIMITED, "second", "bad \033[31m", NULL, "because");
  kiln_doctor_add(&doctor, "one", KILN_FACT_INFO, "third", "", "VARIABLE", NULL);
  kiln_buf_init(&out);
  kiln_doctor_text(&doctor, 80, false, &out);
  assert_non_null(strstr(kiln_buf_text(&out), "! second"));
  assert_non_null(strstr(kiln_buf_text(&out), "because"));
  assert_non_null(strstr(kiln_buf_text(&out), "not set (VARIABLE)"));
  assert_null(strchr(kiln_buf_text(&out), '\033'));
  assert_true(strstr(kiln_buf_text(&out), "third") < strstr(kiln_buf_text(&out), "second"));
  kiln_buf_clear(&out);
  kiln_doctor_json(&doctor, &out);
  assert_int_equal(kiln_json_parse(kiln_buf_text(&out), out.len, "doctor", &tree, NULL), KILN_OK);
  assert_string_equal(kiln_json_get_string(tree, "schema", ""), KILN_DOCTOR_SCHEMA);
  assert_int_equal(kiln_json_get_int(tree, "exit_code", -1), 1);
  assert_int_equal(kiln_json_count(kiln_json_get(tree, "facts")), 3);
  kiln_json_free(tree);
  kiln_buf_release(&out);
  kiln_doctor_release(&doctor);
}

/* Without its parts kiln measures nothing, and says which it lacks. */
static void
missing_parts_block(void **state)
{
  (void)state;
  const struct kiln_error error = {.status = KILN_ERROR_ENVIRONMENT, .what = "x was not found.", .remedy = "Look."};
  const struct kiln_doctor_options options = {NULL, NULL, &error};
  struct kiln_doctor doctor;
  setenv("WARP_CACHE_PATH", "/nonexistent/cache", 1);
  setenv("KILN_NO_SUCH_SETTING", "7", 1);
  setenv("PATH", "/nonexistent", 1);
  kiln_doctor_init(&doctor);
  kiln_doctor_look(&doctor, &options);
  assert_false(doctor.failed);
  assert_int_equal(kiln_doctor_exit(&doctor), 5);
  assert_int_equal(fact_of(&doctor, "parts", "agent")->state, KILN_FACT_BLOCKED);
  assert_string_equal(fact_of(&doctor, "parts", "missing")->note, "x was not found. Look.");
  assert_string_equal(fact_of(&doctor, "caches", "warp")->source, "WARP_CACHE_PATH");
  assert_string_equal(fact_of(&doctor, "caches", "warp")->value, "/nonexistent/cache: not there");
  assert_int_equal(fact_of(&doctor, "settings", "KILN_NO_SUCH_SETTING")->state, KILN_FACT_NOTE);
  kiln_doctor_release(&doctor);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_worst_fact_decides),
      cmocka_unit_test(a_page_and_json),
      cmocka_unit_test(missing_parts_block),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
