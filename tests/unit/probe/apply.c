#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/text.h"
#include "os/file.h"
#include "probe/apply.h"

#define LEVERS(text) "{\"schema\": \"kiln-levers-1\", \"levers\": [" text "]}"

struct place {
  struct kiln_apply apply;
  struct kiln_buf folder, path, text;
};

static int
make(void **state)
{
  struct place *place = calloc(1, sizeof *place);
  assert_non_null(place);
  kiln_apply_init(&place->apply);
  kiln_buf_init(&place->folder);
  kiln_buf_init(&place->path);
  kiln_buf_init(&place->text);
  assert_int_equal(kiln_folder_make_private("/tmp", "kiln-unit-", &place->folder, NULL), KILN_OK);
  *state = place;
  return 0;
}

static int
release(void **state)
{
  struct place *place = *state;
  kiln_apply_release(&place->apply);
  kiln_folder_remove(kiln_buf_text(&place->folder), NULL);
  kiln_buf_release(&place->folder);
  kiln_buf_release(&place->path);
  kiln_buf_release(&place->text);
  free(place);
  return 0;
}

static const char *
write_file(struct place *place, const char *name, const char *text)
{
  kiln_text_join(&place->path, kiln_buf_text(&place->folder), name);
  assert_int_equal(kiln_file_write(kiln_buf_text(&place->path), text, strlen(text), NULL), KILN_OK);
  return kiln_buf_text(&place->path);
}

static void
expect_refused(struct place *place, const char *text, const char *part)
{
  struct kiln_error error = {0};
  struct kiln_apply apply;
  kiln_apply_init(&apply);
  assert_int_equal(kiln_apply_load(&apply, write_file(place, "f.json", text), &error), KILN_ERROR_FORMAT);
  assert_non_null(strstr(error.what, part));
  assert_non_null(strstr(error.what, "f.json"));
  kiln_apply_release(&apply);
}

static void
what_is_no_ledger(void **state)
{
  struct place *place = *state;
  struct kiln_error error = {0};
  assert_int_equal(kiln_apply_load(&place->apply, "/nowhere/l.json", &error), KILN_ERROR_NOT_FOUND);
  expect_refused(place, "", "f.json");
  expect_refused(place, "[]", "its schema is ''");
  expect_refused(place, "{\"schema\": 3}", "its schema is ''");
  expect_refused(place, "{\"schema\": \"kiln-report-9\"}", "its schema is 'kiln-report-9'");
  expect_refused(place, "{\"schema\": \"kiln-levers-1\"}", "no list of levers");
  expect_refused(place, "{\"schema\": \"kiln-levers-1\", \"levers\": {}}", "no list of levers");
  expect_refused(place, LEVERS("{\"id\": \"pch\"}, 7"), "Lever 2");
  expect_refused(place, LEVERS("{\"id\": 5}"), "Lever 1");
}

static void
too_many_levers(void **state)
{
  struct place *place = *state;
  struct kiln_buf many;
  kiln_buf_init(&many);
  kiln_buf_text_append(&many, "{\"schema\": \"kiln-levers-1\", \"levers\": [{\"id\": \"pch\"}");
  for (int i = 0; i < KILN_APPLY_LEVERS; i++)
    kiln_buf_text_append(&many, ", {\"id\": \"pch\"}");
  kiln_buf_text_append(&many, "]}");
  expect_refused(place, kiln_buf_text(&many), "more than 64");
  kiln_buf_release(&many);
}

/* What a ledger accepted, and nothing else. */
static void
a_ledger(void **state)
{
  struct place *place = *state;
  static const char text[] =
      "{\"schema\": \"kiln-ledger-1\", \"entries\": ["
      "{\"lever\": \"pch\", \"state\": \"declined\", \"change\": {\"id\": \"pch\", \"value\": false}},"
      "{\"lever\": \"enable_backward\", \"state\": \"applied\", \"change\": {\"id\": \"enable_backward\", \"value\": "
      "false}}]}";
  struct kiln_error error = {0};
  assert_int_equal(kiln_apply_load(&place->apply, write_file(place, "l.json", text), &error), KILN_OK);
  assert_int_equal(place->apply.count, 1);
  assert_string_equal(place->apply.levers[0].id, "enable_backward");
  assert_non_null(strstr(kiln_buf_text(&place->apply.file), "kiln-levers-1"));
}

static void
place_in(struct place *place, const char *cache)
{
  static const char text[] = LEVERS("{\"id\": \"shared_pch\"}, {\"id\": \"prebuild\", \"modules\": [{}, {}, {}]},"
                                    "{\"id\": \"max_unroll\", \"value\": 4}");
  struct kiln_error error = {0};
  assert_int_equal(kiln_apply_load(&place->apply, write_file(place, "l.json", text), &error), KILN_OK);
  assert_int_equal(kiln_apply_place(&place->apply, cache, &error), KILN_OK);
}

static void
folders_and_environment(void **state)
{
  struct place *place = *state;
  struct kiln_environment env;
  struct kiln_file_info info;
  struct kiln_buf cache;
  kiln_buf_init(&cache);
  place_in(place, kiln_text_join(&cache, kiln_buf_text(&place->folder), "cache"));
  assert_true(kiln_text_path_within(kiln_buf_text(&place->apply.run), kiln_buf_text(&place->apply.state)));
  assert_int_equal(kiln_file_info(kiln_buf_text(&place->apply.state), &info, NULL), KILN_OK);
  assert_int_equal(info.mode & 0777, 0700);
  kiln_environment_init(&env);
  assert_int_equal(kiln_apply_environment(&place->apply, "/p.so", &env, NULL), KILN_OK);
  assert_string_equal(kiln_environment_get(&env, "KILN_LEVERS_STATE"), kiln_buf_text(&place->apply.state));
  assert_true(kiln_text_starts(kiln_environment_get(&env, "LD_PRELOAD"), "/p.so"));
  assert_int_equal(kiln_file_info(kiln_environment_get(&env, "KILN_LEVERS"), &info, NULL), KILN_OK);
  assert_int_equal(info.mode & 0777, 0600);
  kiln_environment_release(&env);
  kiln_buf_release(&cache);
}

static void
without_a_cache_folder(void **state)
{
  struct place *place = *state;
  struct kiln_environment env;
  place_in(place, NULL);
  assert_int_equal(place->apply.state.len, 0);
  assert_true(place->apply.no_state[0] != '\0');
  kiln_environment_init(&env);
  assert_int_equal(kiln_apply_environment(&place->apply, "/p.so", &env, NULL), KILN_OK);
  assert_null(kiln_environment_get(&env, "KILN_LEVERS_STATE"));
  kiln_environment_release(&env);
}

static void
log_lines(struct place *place, const char *lines)
{
  struct kiln_buf folder;
  kiln_buf_init(&folder);
  kiln_text_join(&folder, kiln_buf_text(&place->apply.run), "log");
  assert_int_equal(kiln_folder_make(kiln_buf_text(&folder), NULL), KILN_OK);
  kiln_buf_text_append(&folder, "/1.1.jsonl");
  assert_int_equal(kiln_file_write(kiln_buf_text(&folder), lines, strlen(lines), NULL), KILN_OK);
  kiln_buf_release(&folder);
}

#define EVENT(n, rest) "{\"v\":1,\"t\":" #n ",\"cpu\":1,\"pid\":9,\"tid\":9,\"ev\":\"lever\"," rest "}\n"

#define LEFT(n, state, module, detail)                                                                                 \
  EVENT(n, "\"id\":\"prebuild\",\"state\":\"" state "\",\"module\":\"" module "\",\"detail\":\"" detail "\"")

static const char *
sentence(struct place *place)
{
  kiln_buf_clear(&place->text);
  kiln_apply_read(&place->apply);
  kiln_apply_sentence(&place->apply, &place->text);
  return kiln_buf_text(&place->text);
}

static void
the_sentence(void **state)
{
  struct place *place = *state;
  struct kiln_buf cache;
  kiln_buf_init(&cache);
  place_in(place, kiln_text_join(&cache, kiln_buf_text(&place->folder), "cache"));
  log_lines(place, EVENT(1, "\"id\":\"shared_pch\",\"state\":\"applied\",\"detail\":\"built\"")
                       EVENT(2, "\"id\":\"shared_pch\",\"state\":\"applied\",\"detail\":\"used\"")
                           EVENT(3, "\"id\":\"prebuild\",\"state\":\"failed\",\"module\":\"b\",\"detail\":\"late\"")
                               EVENT(4, "\"id\":\"prebuild\",\"state\":\"applied\",\"module\":\"a\"")
                                   EVENT(5, "\"id\":\"prebuild\",\"state\":\"applied\",\"module\":\"b\"") EVENT(6,
                                       "\"id\":\"prebuild\",\"state\":\"missed\",\"module\":\"c\",\"detail\":\"gone\"")
                                       EVENT(7, "\"id\":\"unheard_of\",\"state\":\"applied\""));
  assert_string_equal(sentence(place), "applied shared_pch, prebuild (2 of 3); did not arrive: prebuild (c: gone); had "
                                       "nothing to do: max_unroll");
  kiln_buf_release(&cache);
}

static void
the_sentence_when_all_fails(void **state)
{
  struct place *place = *state;
  place_in(place, NULL);
  log_lines(place,
      EVENT(1, "\"id\":\"shared_pch\",\"state\":\"failed\",\"detail\":\"no folder\"") EVENT(2,
          "\"id\":\"max_unroll\",\"state\":\"missed\",\"module\":\"m\",\"detail\":\"set to 2\"") "{\"v\":1,\"t\":3,"
                                                                                                 "\"cpu\":1,\"pid\":9,"
                                                                                                 "\"tid\":9,\"ev\":"
                                                                                                 "\"error\",\"hook\":"
                                                                                                 "\"levers\","
                                                                                                 "\"message\":\"odd\"}"
                                                                                                 "\n");
  assert_string_equal(sentence(place),
      "did not arrive: shared_pch (no folder), max_unroll (m: set to 2); had nothing to do: prebuild; nothing is kept "
      "(There is no cache folder.); odd");
}

/* What the program had to build itself did not arrive; the builder's reason is told, once for all alike. */
static void
the_sentence_when_builders_end(void **state)
{
  struct place *place = *state;
  struct kiln_buf cache;
  kiln_buf_init(&cache);
  place_in(place, kiln_text_join(&cache, kiln_buf_text(&place->folder), "cache"));
#define ENDED "its builder was ended by signal 11"
#define ITSELF "the program built it itself"
  log_lines(place, LEFT(1, "failed", "a", ENDED) LEFT(2, "missed", "a", ITSELF) LEFT(3, "missed", "b", ITSELF)
                       LEFT(4, "failed", "b", ENDED) LEFT(5, "missed", "c", ITSELF));
  assert_string_equal(sentence(place), "did not arrive: prebuild (0 of 3 arrived; each of 2 modules: " ENDED
                                       "; c: " ITSELF "); had nothing to do: shared_pch, max_unroll");
  kiln_buf_release(&cache);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(what_is_no_ledger, make, release),
      cmocka_unit_test_setup_teardown(too_many_levers, make, release),
      cmocka_unit_test_setup_teardown(a_ledger, make, release),
      cmocka_unit_test_setup_teardown(folders_and_environment, make, release),
      cmocka_unit_test_setup_teardown(without_a_cache_folder, make, release),
      cmocka_unit_test_setup_teardown(the_sentence, make, release),
      cmocka_unit_test_setup_teardown(the_sentence_when_all_fails, make, release),
      cmocka_unit_test_setup_teardown(the_sentence_when_builders_end, make, release),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
