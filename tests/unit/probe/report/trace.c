#include "unit/probe/report/drawn.h"

#include "base/json_read.h"
#include "probe/report/render.h"

#define MOST 4096

struct span {
  int64_t pid, tid;
  double begin, end;
};

static struct cJSON *
trace_of(const struct kiln_report *report)
{
  struct kiln_buf out;
  struct cJSON *tree = NULL;
  kiln_buf_init(&out);
  kiln_report_trace(report, &out);
  assert_false(out.failed);
  assert_int_equal(kiln_json_parse(out.data, out.len, "trace", &tree, NULL), KILN_OK);
  kiln_buf_release(&out);
  return tree;
}

/* What the format asks of each event; its phase. */
static char
check_event(const struct cJSON *event)
{
  const char *phase = kiln_json_get_string(event, "ph", "");
  assert_int_equal(strlen(phase), 1);
  assert_non_null(strchr("MXi", *phase));
  assert_true(*kiln_json_get_string(event, "name", "") != '\0');
  assert_true(kiln_json_get_int(event, "pid", -1) > 0);
  assert_true(kiln_json_get_int(event, "tid", -1) >= 0);
  assert_true(kiln_json_get_double(event, "ts", -1) >= 0);
  assert_true(kiln_json_is_object(kiln_json_get(event, "args")));
  if (*phase == 'X')
    assert_true(kiln_json_get_double(event, "dur", -1) >= 0);
  if (*phase == 'i')
    assert_string_equal(kiln_json_get_string(event, "s", ""), "t");
  return *phase;
}

static size_t
check_schema(const struct cJSON *tree, struct span spans[MOST])
{
  size_t count = 0;
  const struct cJSON *events = kiln_json_get(tree, "traceEvents");
  assert_true(kiln_json_is_array(events));
  assert_string_equal(kiln_json_get_string(tree, "displayTimeUnit", ""), "ms");
  for (const struct cJSON *event = kiln_json_first(events); event; event = kiln_json_next(event)) {
    if (check_event(event) != 'X')
      continue;
    assert_true(count < MOST);
    const double begin = kiln_json_get_double(event, "ts", 0);
    spans[count++] = (struct span){kiln_json_get_int(event, "pid", 0), kiln_json_get_int(event, "tid", 0), begin,
        begin + kiln_json_get_double(event, "dur", 0)};
  }
  return count;
}

static bool
named(const struct cJSON *tree, const char *name)
{
  const struct cJSON *events = kiln_json_get(tree, "traceEvents");
  for (const struct cJSON *event = kiln_json_first(events); event; event = kiln_json_next(event))
    if (strcmp(kiln_json_get_string(event, "name", ""), name) == 0)
      return true;
  return false;
}

static void
follows_the_format_and_nests(void **state)
{
  (void)state;
  static struct span spans[MOST];
  struct kiln_report *report = drawn_report(2, 5);
  struct cJSON *tree = trace_of(report);
  const size_t count = check_schema(tree, spans);
  assert_true(count > 40);
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < i; j++) {
      const struct span *a = &spans[i], *b = &spans[j];
      if (a->pid != b->pid || a->tid != b->tid)
        continue;
      const bool apart = a->end <= b->begin + 0.01 || b->end <= a->begin + 0.01;
      const bool inside = (a->begin >= b->begin - 0.01 && a->end <= b->end + 0.01) ||
                          (b->begin >= a->begin - 0.01 && b->end <= a->end + 0.01);
      if (!apart && !inside)
        fail_msg("spans [%g, %g] and [%g, %g] of one thread cross", a->begin, a->end, b->begin, b->end);
    }
  kiln_json_free(tree);
  kiln_report_free(report);
}

static void
every_kind_is_there(void **state)
{
  (void)state;
  struct kiln_report *report = drawn_report(1, 2);
  struct cJSON *tree = trace_of(report);
  static const char *const names[] = {"process_name", "thread_name", "interpreter start", "program", "interpreter exit",
      "import numpy_of_acme", "init", "hash orbit", "codegen acme.orbit_00", "pch", "native acme.orbit_01",
      "compile acme.orbit_01", "link dot_symbol", "load acme.orbit_00", "launch spin_the_wheel"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!named(tree, names[i]))
      fail_msg("not in the trace: %s", names[i]);
  kiln_json_free(tree);
  kiln_report_free(report);
}

/* Pids repeat from run to run: each process of each run is one of its own, and each run begins at 0. */
static void
runs_are_kept_apart(void **state)
{
  (void)state;
  struct kiln_report *report = drawn_report(2, 1);
  struct cJSON *tree = trace_of(report);
  int64_t seen[8];
  size_t count = 0;
  const struct cJSON *events = kiln_json_get(tree, "traceEvents");
  for (const struct cJSON *event = kiln_json_first(events); event; event = kiln_json_next(event)) {
    if (strcmp(kiln_json_get_string(event, "name", ""), "process_name") == 0)
      seen[count++] = kiln_json_get_int(event, "pid", 0);
    if (strcmp(kiln_json_get_string(event, "name", ""), "interpreter start") == 0)
      assert_true(kiln_json_get_double(event, "ts", -1) < 0.001);
  }
  assert_int_equal(count, 4);
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < i; j++)
      assert_int_not_equal(seen[i], seen[j]);
  kiln_json_free(tree);
  kiln_report_free(report);
}

static void
no_run_is_an_empty_trace(void **state)
{
  (void)state;
  static struct span spans[MOST];
  struct kiln_report *report = made_report(1);
  struct cJSON *tree = trace_of(report);
  assert_int_equal(check_schema(tree, spans), 0);
  kiln_json_free(tree);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(follows_the_format_and_nests),
      cmocka_unit_test(every_kind_is_there),
      cmocka_unit_test(runs_are_kept_apart),
      cmocka_unit_test(no_run_is_an_empty_trace),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
