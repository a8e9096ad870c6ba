#include "probe/report/identities.h"
#include "probe/report/anonymise.h"
#include "probe/report/render.h"
#include "probe/report_read.h"
#include "unit/probe/made.h"

/* Written and read again. */
static struct kiln_report *
again(const struct kiln_report *report)
{
  struct kiln_report *copy;
  struct kiln_buf json;
  kiln_buf_init(&json);
  kiln_report_json(report, &json);
  assert_int_equal(kiln_report_parse(json.data, json.len, "made", &copy, NULL), KILN_OK);
  kiln_buf_release(&json);
  return copy;
}

static struct kiln_report *
with_identities(void)
{
  struct kiln_report *report = made_report(2);
  made_hash(made_cold(report, 0), "b", "bbb", 1, 2, "k=1", "max_unroll=16");
  made_hash(made_cold(report, 0), "a", "aaa", 1, 3, "k=1 second=2", "fast_math=False");
  made_hash(made_warm(report, 0), "a", "aaa", 2, 3, "k=1 second=2", "fast_math=False");
  made_hash(made_cold(report, 1), "a", "ccc", 3, 3, "k=1", "fast_math=False");
  made_hash(made_cold(report, 1), "empty", "eee", 3, 4, "", "");
  return report;
}

static void
check(const struct kiln_report *report)
{
  size_t count;
  struct kiln_model_hash *found = kiln_report_identities(report, &count);
  assert_int_equal(count, 3);
  assert_string_equal(found[0].identity, "aaa");
  assert_int_equal(found[0].kernel_count, 2);
  assert_string_equal(found[0].kernels[1].name, "second");
  assert_string_equal(found[0].kernels[1].value, "2");
  assert_string_equal(found[1].identity, "ccc");
  assert_string_equal(found[2].module, "b");
  assert_string_equal(found[2].options[0].name, "max_unroll");
  assert_string_equal(found[2].options[0].value, "16");
  free(found);
}

static void
test_each_once_and_sorted(void **state)
{
  (void)state;
  struct kiln_report *report = with_identities();
  check(report);
  struct kiln_report *copy = again(report);
  check(copy);
  kiln_report_free(copy);
  kiln_report_free(report);
}

static void
test_a_report_for_others_has_none(void **state)
{
  (void)state;
  struct kiln_report *report = with_identities(), *copy = again(report);
  size_t count;
  assert_int_equal(kiln_report_anonymise(report, NULL), KILN_OK);
  assert_null(kiln_report_identities(report, &count));
  assert_int_equal(kiln_report_anonymise(copy, NULL), KILN_OK);
  assert_null(kiln_report_identities(copy, &count));
  assert_int_equal(count, 0);
  kiln_report_free(copy);
  kiln_report_free(report);
}

static void
test_marks_and_launches_come_back(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  struct kiln_model *model = made_cold(report, 0);
  made_build(model, "m", "aaa", 7, 10, 5)->launches = 12;
  made_build(model, "n", "bbb", 7, 20, 5)->launches = -1;
  assert_true(KILN_GROW(model->marks, model->mark_count, model->mark_capacity));
  model->marks[model->mark_count++] = (struct kiln_model_mark){"ready", 7, 15 * MS};
  struct kiln_report *copy = again(report);
  model = made_cold(copy, 0);
  assert_int_equal(model->builds[0].launches, 12);
  assert_int_equal(model->builds[1].launches, -1);
  assert_int_equal(model->mark_count, 1);
  assert_string_equal(model->marks[0].name, "ready");
  assert_int_equal(model->marks[0].pid, 7);
  assert_int_equal(model->marks[0].t_ns, 15 * MS);
  assert_int_equal(kiln_report_anonymise(copy, NULL), KILN_OK);
  assert_string_not_equal(model->marks[0].name, "ready");
  kiln_report_free(copy);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_once_and_sorted),
      cmocka_unit_test(test_a_report_for_others_has_none),
      cmocka_unit_test(test_marks_and_launches_come_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
