#include "probe/gate.h"
#include "unit/probe/made.h"

/* The rules of a text; the error when it is refused. */
static enum kiln_status
parse(struct kiln_gate *gate, const char *text, struct kiln_error *error)
{
  kiln_gate_init(gate);
  *error = (struct kiln_error){0};
  return kiln_gate_parse(gate, text, strlen(text), "ci/rules", error);
}

static void
test_rules_are_read(void **state)
{
  (void)state;
  struct kiln_gate gate;
  struct kiln_error error;
  assert_int_equal(parse(&gate,
                       "# comment\n\n  no-build-when-warm\r\nmax-builds 5 # five\n\tmax-cold-cpu 1.5\n"
                       "no-build-after-mark 'first frame'\nno-build-after-mark \"a # b\"\nnot-slower",
                       &error),
      KILN_OK);
  assert_int_equal(gate.count, 6);
  assert_int_equal(gate.rules[0].kind, KILN_GATE_NO_BUILD_WHEN_WARM);
  assert_int_equal(gate.rules[0].line, 3);
  assert_int_equal(gate.rules[1].number, 5);
  assert_string_equal(gate.rules[1].text, "max-builds 5");
  assert_true(gate.rules[2].seconds > 1.49 && gate.rules[2].seconds < 1.51);
  assert_string_equal(gate.rules[3].argument, "first frame");
  assert_string_equal(gate.rules[4].argument, "a # b");
  assert_int_equal(gate.rules[5].line, 8);
  kiln_gate_release(&gate);
}

static void
test_what_is_no_rule_is_quoted_with_its_line(void **state)
{
  (void)state;
  static const struct {
    const char *text, *line, *quoted;
  } bad[] = {
      {"max-builds 1\nmax-build 2\n", "line 2", "'max-build'"},
      {"\n\nmax-builds five", "line 3", "'five'"},
      {"max-builds -1", "line 1", "'-1'"},
      {"max-builds", "line 1", "needs a value: N"},
      {"max-builds 1 2", "line 1", "'2' follows"},
      {"max-builds 1\nmax-builds 2", "line 2", "in line 1"},
      {"no-build-when-warm yes", "line 1", "'yes' follows"},
      {"no-build-after-launch 0", "line 1", "'0'"},
      {"no-build-after-mark ''", "line 1", "needs a name"},
      {"max-warm-elapsed 12s", "line 1", "'12s'"},
      {"max-warm-elapsed 0", "line 1", "'0'"},
      {"max-warm-cpu inf", "line 1", "'inf'"},
      {"not-above", "line 1", "needs a value: REPORT"},
      {"not-above x.json loads", "line 1", "'loads'"},
      {"no-build-after-mark 'open", "line 1", "'open"},
      {"max-builds $N", "line 1", "'$'"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct kiln_gate gate;
    struct kiln_error error;
    assert_int_not_equal(parse(&gate, bad[i].text, &error), KILN_OK);
    assert_non_null(strstr(error.what, "'ci/rules'"));
    if (!strstr(error.what, bad[i].line) || !strstr(error.what, bad[i].quoted))
      fail_msg("%s: %s", bad[i].text, error.what);
    kiln_gate_release(&gate);
  }
}

static void
test_files_that_are_none(void **state)
{
  (void)state;
  struct kiln_gate gate;
  struct kiln_error error;
  assert_int_equal(parse(&gate, "# nothing\n", &error), KILN_ERROR_FORMAT);
  assert_non_null(strstr(error.what, "holds no rule"));
  kiln_gate_release(&gate);
  kiln_gate_init(&gate);
  assert_int_equal(kiln_gate_parse(&gate, "max-builds 1\n\0", 14, "ci/rules", &error), KILN_ERROR_ARGUMENT);
  assert_non_null(strstr(error.what, "line 2"));
  kiln_gate_release(&gate);
  kiln_gate_init(&gate);
  assert_int_not_equal(kiln_gate_read(&gate, "/there/is/none", &error), KILN_OK);
  assert_non_null(strstr(error.what, "/there/is/none"));
  kiln_gate_release(&gate);
}

static void
test_control_characters_do_not_come_out(void **state)
{
  (void)state;
  struct kiln_gate gate;
  struct kiln_error error;
  assert_int_equal(parse(&gate, "max-builds \033[31mred", &error), KILN_ERROR_ARGUMENT);
  assert_null(strchr(error.what, '\033'));
  kiln_gate_release(&gate);
}

static void
test_a_flag_has_no_line(void **state)
{
  (void)state;
  struct kiln_gate gate;
  struct kiln_error error = {0};
  char *words[] = {(char[]){"x"}};
  kiln_gate_init(&gate);
  assert_int_equal(kiln_gate_add(&gate, KILN_GATE_MAX_BUILDS, words, 1, 0, &error), KILN_ERROR_ARGUMENT);
  assert_string_equal(error.what, "--max-builds is a whole number, not 'x'.");
  assert_int_equal(gate.count, 0);
  kiln_gate_release(&gate);
}

static void
test_every_rule_has_a_name(void **state)
{
  (void)state;
  for (int i = 0; i < KILN_GATE_KIND_COUNT; i++)
    assert_string_not_equal(kiln_gate_kind_name((enum kiln_gate_kind)i), "unknown");
  assert_string_equal(kiln_gate_kind_name(KILN_GATE_KIND_COUNT), "unknown");
  assert_string_equal(kiln_gate_state_name(KILN_GATE_OPEN), "open");
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rules_are_read),
      cmocka_unit_test(test_what_is_no_rule_is_quoted_with_its_line),
      cmocka_unit_test(test_files_that_are_none),
      cmocka_unit_test(test_control_characters_do_not_come_out),
      cmocka_unit_test(test_a_flag_has_no_line),
      cmocka_unit_test(test_every_rule_has_a_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
