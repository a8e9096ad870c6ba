/* Ledgers: what is written is read again, and hostile bytes are refused with a sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probe/ledger.h"

static struct kiln_ledger *
made(void)
{
  static const double without[] = {2.0, 2.1}, with[] = {1.0, 1.1};
  struct kiln_ledger *ledger = kiln_ledger_new();
  struct kiln_ledger_entry *entry = kiln_ledger_add(ledger, "enable_backward");
  assert_non_null(entry);
  ledger->date = "2026-01-02T03:04:05Z";
  ledger->goal = "edit-loop";
  ledger->compared = "standard output";
  ledger->cores = 2;
  ledger->cold_elapsed_s = 3.5;
  ledger->builds = 4;
  ledger->ceiling = (struct kiln_ledger_ceiling){4, 2.5, 0.5, 0.25, "sim", 3.3, 1.25, 2};
  ledger->remain_elapsed_s = 1.5;
  ledger->remain_cpu_s = 1.25;
  ledger->remain = "1.5 s remain.";
  entry->state = KILN_LEDGER_APPLIED;
  entry->title = "no backward code";
  entry->mechanisms = "CS-10";
  entry->why = "It helps.";
  entry->change = "{\"id\":\"enable_backward\",\"value\":false}";
  entry->work = "FEWER";
  entry->launches = "same";
  entry->output = "same";
  entry->missed = 1;
  assert_true(KILN_GROW(entry->effects, entry->effect_count, entry->effect_capacity));
  entry->effects[entry->effect_count++] = (struct kiln_ledger_effect){
      "cold_cpu", 2, 1, 11, true, -50, -52.5, -47.5, KILN_VERDICT_IMPROVED, {without, with}, 2};
  assert_true(KILN_GROW(entry->modules, entry->module_count, entry->module_capacity));
  entry->modules[entry->module_count++] = (struct kiln_ledger_module){"sim", "cpu", 1, "aa", NULL, false, "too late"};
  kiln_ledger_line(ledger, entry, "in 'sim.py'", "wp.config.enable_backward = False");
  kiln_ledger_evidence(ledger, entry, "sim: aa");
  kiln_ledger_note(ledger, "a note");
  kiln_ledger_note(ledger, "a note");
  return ledger;
}

static struct kiln_ledger *
parsed(const char *text, struct kiln_error *error)
{
  struct kiln_ledger *ledger = NULL;
  const enum kiln_status status = kiln_ledger_parse(text, strlen(text), "l.json", &ledger, error);
  assert_true((status == KILN_OK) == (ledger != NULL));
  return ledger;
}

static void
what_is_written_is_read_again(void **state)
{
  struct kiln_ledger *first = made(), *second;
  struct kiln_buf a, b;
  (void)state;
  kiln_buf_init(&a);
  kiln_buf_init(&b);
  kiln_ledger_json(first, &a);
  second = parsed(kiln_buf_text(&a), NULL);
  assert_non_null(second);
  kiln_ledger_json(second, &b);
  assert_string_equal(kiln_buf_text(&a), kiln_buf_text(&b));
  assert_int_equal(second->note_count, 1);
  assert_int_equal(kiln_ledger_entry(second, "enable_backward")->effects[0].verdict, KILN_VERDICT_IMPROVED);
  assert_true(kiln_ledger_entry(second, "enable_backward")->effects[0].seconds[1][1] > 1.05);
  assert_null(kiln_ledger_entry(second, "pch"));
  kiln_buf_release(&a);
  kiln_buf_release(&b);
  kiln_ledger_free(first);
  kiln_ledger_free(second);
}

static void
refused(const char *text, const char *part)
{
  struct kiln_error error = {0};
  assert_null(parsed(text, &error));
  assert_int_equal(error.status, KILN_ERROR_FORMAT);
  if (!strstr(error.what, part)) {
    print_message("said: %s\n", error.what);
  }
  assert_non_null(strstr(error.what, part));
}

static void
hostile_ledgers_are_refused(void **state)
{
  struct kiln_buf many;
  (void)state;
  refused("", "l.json");
  refused("[1,2]", "its schema is 'missing'");
  refused("{\"schema\":\"kiln-report-1\"}", "'kiln-report-1'");
  refused("{\"schema\":\"kiln-ledger-1\"}", "no list of entries");
  refused("{\"schema\":\"kiln-ledger-1\",\"entries\":[{}]}", "Entry 1");
  refused("{\"schema\":\"kiln-ledger-1\",\"entries\":[{\"lever\":\"x\",\"state\":\"taken\"}]}", "'taken'");
  refused("{\"schema\":\"kiln-ledger-1\",\"entries\":[{\"lever\":\"x\",\"state\":\"applied\",\"change\":7}]}", "'x'");
  refused("{\"schema\":\"kiln-ledger-1\",\"entries\":[{\"lever\":\"x\",\"state\":\"applied\",\"change\":[{}]}]}",
      "no object with an id");
  kiln_buf_init(&many);
  kiln_buf_text_append(&many, "{\"schema\":\"kiln-ledger-1\",\"entries\":[{}");
  for (int i = 0; i < KILN_LEDGER_ENTRIES; i++) {
    kiln_buf_text_append(&many, ",{}");
  }
  kiln_buf_text_append(&many, "]}");
  refused(kiln_buf_text(&many), "257 entries");
  kiln_buf_release(&many);
}

static void
odd_values_are_harmless(void **state)
{
  struct kiln_ledger *ledger = parsed("{\"schema\":\"kiln-ledger-1\",\"cores\":-1,\"baseline\":{\"builds\":-5,"
                                      "\"cold_elapsed_s\":-1},\"environment\":{\"cores\":1e300},\"command\":[1,null],"
                                      "\"entries\":[{\"lever\":\"x\",\"state\":\"declined\",\"change\":null,"
                                      "\"effects\":[7,{\"without_s\":[1,2,3],\"with_s\":[\"a\"]}],\"modules\":{},"
                                      "\"missed\":99,\"lines\":[{}],\"evidence\":[null]}]}",
      NULL);
  struct kiln_buf out;
  (void)state;
  assert_non_null(ledger);
  assert_int_equal(ledger->cores, 0);
  assert_int_equal(ledger->builds, 0);
  assert_int_equal(ledger->entries[0].effects[1].pairs_raw, 1);
  kiln_buf_init(&out);
  kiln_ledger_render(ledger, 80, true, &out);
  assert_non_null(strstr(kiln_buf_text(&out), "declined"));
  kiln_buf_release(&out);
  kiln_ledger_free(ledger);
}

static void
assert_levers(const struct kiln_ledger *ledger, size_t expected, const char *part)
{
  struct kiln_buf out;
  size_t count = 99;
  kiln_buf_init(&out);
  assert_int_equal(kiln_ledger_levers(ledger, &out, &count, NULL), KILN_OK);
  assert_int_equal(count, expected);
  assert_non_null(strstr(kiln_buf_text(&out), "kiln-levers-1"));
  assert_non_null(strstr(kiln_buf_text(&out), part));
  kiln_buf_release(&out);
}

static void
accepted_levers_become_a_lever_file(void **state)
{
  struct kiln_ledger *ledger = made();
  struct kiln_ledger_entry *entry;
  (void)state;
  assert_levers(ledger, 1, "\"enable_backward\"");
  entry = kiln_ledger_add(ledger, "pch");
  entry->change = "{\"id\":\"pch\",\"value\":false}";
  assert_levers(ledger, 1, "\"enable_backward\""); /* declined */
  entry->state = KILN_LEDGER_APPLIED;
  assert_levers(ledger, 2, "\"pch\"");
  entry = kiln_ledger_add(ledger, "enable_backward+max_unroll");
  entry->combination = true;
  entry->state = KILN_LEDGER_APPLIED;
  entry->change = "[{\"id\":\"enable_backward\",\"value\":false},{\"id\":\"max_unroll\",\"value\":4}]";
  assert_levers(ledger, 2, "\"max_unroll\""); /* the combination alone */
  kiln_ledger_free(ledger);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read_again),
      cmocka_unit_test(hostile_ledgers_are_refused),
      cmocka_unit_test(odd_values_are_harmless),
      cmocka_unit_test(accepted_levers_become_a_lever_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
