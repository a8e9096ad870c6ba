#include "probe/report_read.h"
#include "unit/probe/made.h"

static struct kiln_report *
read(const char *list)
{
  struct kiln_report *report = kiln_report_new();
  struct cJSON *tree;
  assert_non_null(report);
  assert_int_equal(kiln_json_parse(list, strlen(list), "list", &tree, NULL), KILN_OK);
  assert_true(kiln_report_read_identities(report, tree));
  kiln_json_free(tree);
  return report;
}

static void
test_tables_are_sorted_by_name(void **state)
{
  (void)state;
  struct kiln_report *report =
      read("{\"identities\": [{\"framework\": \"warp\", \"module\": \"m\", \"identity\": \"abc\","
           "\"block_dim\": 256, \"kernels\": {\"z\": \"1\", \"a\": null}, \"options\": {}}]}");
  assert_int_equal(report->identity_count, 1);
  const struct kiln_model_hash *hash = &report->identities[0];
  assert_int_equal(hash->block_dim, 256);
  assert_int_equal(hash->kernel_count, 2);
  assert_string_equal(hash->kernels[0].name, "a");
  assert_null(hash->kernels[0].value);
  assert_string_equal(hash->kernels[1].value, "1");
  assert_int_equal(hash->option_count, 0);
  kiln_report_free(report);
}

static void
test_what_is_no_list_is_nothing(void **state)
{
  (void)state;
  static const char *const hostile[] = {"{}", "{\"identities\": 3}", "{\"identities\": {}}", "{\"identities\": []}"};
  for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
    struct kiln_report *report = read(hostile[i]);
    assert_int_equal(report->identity_count, 0);
    kiln_report_free(report);
  }
  struct kiln_report *report = read("{\"identities\": [1, {\"kernels\": [1], \"block_dim\": -4}]}");
  assert_int_equal(report->identity_count, 2);
  assert_null(report->identities[0].module);
  assert_int_equal(report->identities[1].kernel_count, 0);
  assert_int_equal(report->identities[1].block_dim, 0);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tables_are_sorted_by_name),
      cmocka_unit_test(test_what_is_no_list_is_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
