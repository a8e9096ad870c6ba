#include "base/json_read.h"
#include "unit/probe/gated.h"

static const char three[] = "stable-identities\nno-build-after-mark '<&>'\nmax-builds 0\n";

struct shown {
  struct kiln_report *report;
  struct kiln_gate gate;
  struct kiln_buf out;
};

static void
show(struct shown *shown, const char *text, bool judged)
{
  shown->report = gated_report();
  if (!judged) {
    shown->report->state = KILN_REPORT_FAILED;
    shown->report->failure = "It <failed>.";
  }
  kiln_gate_init(&shown->gate);
  kiln_buf_init(&shown->out);
  assert_int_equal(kiln_gate_parse(&shown->gate, text, strlen(text), "rules", NULL), KILN_OK);
  assert_int_equal(kiln_gate_judge(&shown->gate, shown->report, NULL), KILN_OK);
}

static void
hide(struct shown *shown)
{
  kiln_report_free(shown->report);
  kiln_gate_release(&shown->gate);
  kiln_buf_release(&shown->out);
}

static void
test_one_line_a_rule(void **state)
{
  (void)state;
  struct shown shown;
  show(&shown, three, true);
  kiln_gate_text(&shown.gate, false, &shown.out);
  assert_string_equal(kiln_buf_text(&shown.out),
      "BROKEN  max-builds 0: the cold run of sample 1 made 1 build: sim (/home/somebody/app.py:31)\n"
      "open    no-build-after-mark <&>: the cold run of sample 1 never set the mark '<&>'\n"
      "kept    stable-identities: the same identities in 4 runs\n"
      "1 of 3 rules is broken.\n"
      "1 of 3 rules is open: it could not be told.\n");
  kiln_buf_clear(&shown.out);
  kiln_gate_text(&shown.gate, true, &shown.out);
  assert_non_null(strstr(kiln_buf_text(&shown.out), "\033[1;31mBROKEN\033[0m"));
  hide(&shown);
  show(&shown, "max-builds 1", true);
  kiln_gate_text(&shown.gate, false, &shown.out);
  assert_non_null(strstr(kiln_buf_text(&shown.out), "The rule is kept."));
  hide(&shown);
}

static void
test_json(void **state)
{
  (void)state;
  struct shown shown;
  struct cJSON *tree;
  show(&shown, three, true);
  kiln_gate_json(&shown.gate, shown.report, &shown.out);
  assert_int_equal(kiln_json_parse(shown.out.data, shown.out.len, "gate", &tree, NULL), KILN_OK);
  assert_string_equal(kiln_json_get_string(tree, "schema", ""), KILN_GATE_SCHEMA);
  assert_string_equal(kiln_json_get_string(tree, "verdict", ""), "broken");
  assert_int_equal(kiln_json_get_int(tree, "exit_code", -1), 1);
  const struct cJSON *rule = kiln_json_first(kiln_json_get(tree, "rules"));
  assert_string_equal(kiln_json_get_string(rule, "state", ""), "kept");
  rule = kiln_json_next(kiln_json_next(rule));
  assert_string_equal(kiln_json_get_string(rule, "rule", ""), "max-builds");
  assert_int_equal(kiln_json_get_int(rule, "line", -1), 3);
  assert_int_equal(kiln_json_get_int(kiln_json_first(kiln_json_get(rule, "where")), "line", -1), 31);
  kiln_json_free(tree);
  hide(&shown);
}

static void
test_junit(void **state)
{
  (void)state;
  struct shown shown;
  show(&shown, three, true);
  kiln_gate_junit(&shown.gate, shown.report, &shown.out);
  const char *xml = kiln_buf_text(&shown.out);
  assert_non_null(strstr(xml, "tests=\"3\" failures=\"1\" errors=\"1\""));
  assert_non_null(strstr(xml, "name=\"no-build-after-mark &lt;&amp;&gt;\""));
  assert_non_null(strstr(xml, "<failure message=\"the cold run of sample 1 made 1 build"));
  assert_non_null(strstr(xml, "\n/home/somebody/app.py:31</failure>"));
  assert_non_null(strstr(xml, "<testcase classname=\"kiln.gate\" name=\"stable-identities\"/>"));
  hide(&shown);
}

static void
test_not_judged(void **state)
{
  (void)state;
  struct shown shown;
  show(&shown, three, false);
  kiln_gate_text(&shown.gate, false, &shown.out);
  assert_string_equal(
      kiln_buf_text(&shown.out), "The rules were not judged, since the measurement is not whole: It <failed>.\n");
  kiln_buf_clear(&shown.out);
  kiln_gate_junit(&shown.gate, shown.report, &shown.out);
  assert_non_null(strstr(kiln_buf_text(&shown.out), "failures=\"0\" errors=\"3\""));
  assert_non_null(strstr(kiln_buf_text(&shown.out), "<error message=\"It &lt;failed&gt;.\">"));
  kiln_buf_clear(&shown.out);
  kiln_gate_json(&shown.gate, shown.report, &shown.out);
  assert_non_null(strstr(kiln_buf_text(&shown.out), "\"verdict\": \"not_judged\""));
  assert_non_null(strstr(kiln_buf_text(&shown.out), "\"exit_code\": 4"));
  hide(&shown);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_line_a_rule),
      cmocka_unit_test(test_json),
      cmocka_unit_test(test_junit),
      cmocka_unit_test(test_not_judged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
