#include "base/json_read.h"
#include "probe/report/anonymise.h"
#include "probe/report/render.h"
#include "probe/report_read.h"
#include "probe/why.h"
#include "unit/probe/made.h"

static struct kiln_report *
with_why(void)
{
  static struct kiln_why_reason reasons[] = {{KILN_WHY_KERNEL_NEW, "secret_kernel", NULL, NULL},
      {KILN_WHY_OPTION, "fast_math", NULL, "True"}, {KILN_WHY_BLOCK_SIZE, NULL, "256", "128"},
      {KILN_WHY_VERSION, NULL, "warp 1.18.0", "warp 1.19.0"}};
  static struct kiln_why_module modules[1];
  static struct kiln_why why;
  struct kiln_report *report = made_report(1);
  reasons[0].name = "secret_kernel";
  modules[0] =
      (struct kiln_why_module){"warp", "secret_sim", "cuda:0", 128, "aaaaaaaaaaaa", "bbbbbbbbbbbb", reasons, 4};
  why = (struct kiln_why){"/home/somebody/before.json", 2, modules, 1};
  report->why = &why;
  return report;
}

static void
has(const struct kiln_buf *out, const char *text)
{
  if (!strstr(kiln_buf_text(out), text))
    fail_msg("'%s' is not in:\n%s", text, kiln_buf_text(out));
}

static void
test_every_page_says_it(void **state)
{
  (void)state;
  struct kiln_report *report = with_why();
  struct kiln_buf out;
  kiln_buf_init(&out);
  kiln_report_text(report, 100, false, &out);
  has(&out, "why it compiles anew\n  1 identity differs from '/home/somebody/before.json'; 2 are the same.\n");
  has(&out, "  secret_sim (cuda:0, block 128) aaaaaaa → bbbbbbb\n    kernel `secret_kernel` is new\n");
  has(&out, "    option `fast_math` was not set and is True\n    the block size was 256 and is 128\n");
  has(&out, "    the framework was warp 1.18.0 and is warp 1.19.0\n");
  kiln_buf_clear(&out);
  kiln_report_markdown(report, &out);
  has(&out, "### Why it compiles anew\n");
  has(&out, "- `secret_sim` (cuda:0, block 128) aaaaaaa → bbbbbbb\n  - kernel `secret_kernel` is new\n");
  kiln_buf_clear(&out);
  kiln_report_html(report, &out);
  has(&out, "<section id=\"why\">");
  has(&out, "href=\"#why\"");
  has(&out, "<code>secret_kernel</code> is new");
  kiln_buf_release(&out);
  kiln_report_free(report);
}

static void
test_written_and_read_again(void **state)
{
  (void)state;
  struct kiln_report *report = with_why(), *copy;
  struct kiln_buf out, again;
  kiln_buf_init(&out);
  kiln_buf_init(&again);
  kiln_report_json(report, &out);
  assert_int_equal(kiln_report_parse(out.data, out.len, "made", &copy, NULL), KILN_OK);
  assert_non_null(copy->why);
  assert_int_equal(copy->why->same, 2);
  assert_int_equal(copy->why->modules[0].reason_count, 4);
  assert_int_equal(copy->why->modules[0].reasons[2].kind, KILN_WHY_BLOCK_SIZE);
  kiln_buf_clear(&out);
  kiln_report_text(report, 80, false, &out);
  kiln_report_text(copy, 80, false, &again);
  assert_string_equal(strstr(kiln_buf_text(&out), "why it"), strstr(kiln_buf_text(&again), "why it"));
  kiln_report_free(copy);
  kiln_report_free(report);
  kiln_buf_release(&out);
  kiln_buf_release(&again);
}

static void
test_without_names(void **state)
{
  (void)state;
  struct kiln_report *report = with_why();
  struct kiln_buf out;
  kiln_buf_init(&out);
  assert_int_equal(kiln_report_anonymise(report, NULL), KILN_OK);
  kiln_report_text(report, 100, false, &out);
  kiln_report_json(report, &out);
  assert_null(strstr(kiln_buf_text(&out), "secret"));
  assert_null(strstr(kiln_buf_text(&out), "somebody"));
  has(&out, "option `fast_math` was not set and is True");
  kiln_buf_release(&out);
  kiln_report_free(report);
}

static void
test_hostile_json(void **state)
{
  (void)state;
  static const char *const texts[] = {"3", "null", "{}", "{\"modules\": 3}",
      "{\"same\": -1, \"modules\": [1, {\"reasons\": [2, {\"kind\": \"no such kind\"}], \"block_dim\": 1e18}]}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct kiln_arena arena;
    struct cJSON *tree;
    struct kiln_buf out;
    kiln_arena_init(&arena);
    kiln_buf_init(&out);
    assert_int_equal(kiln_json_parse(texts[i], strlen(texts[i]), "why", &tree, NULL), KILN_OK);
    struct kiln_page page;
    kiln_page_init(&page, &out, 80, false);
    kiln_why_text(&page, kiln_why_read(tree, &arena));
    assert_int_equal(out.len > 0, i > 1);
    kiln_json_free(tree);
    kiln_buf_release(&out);
    kiln_arena_release(&arena);
  }
}

static void
test_every_kind_has_a_name_and_a_sentence(void **state)
{
  (void)state;
  struct kiln_buf out;
  kiln_buf_init(&out);
  for (int i = 0; i < KILN_WHY_KIND_COUNT; i++) {
    const struct kiln_why_reason reason = {(enum kiln_why_kind)i, NULL, NULL, NULL};
    kiln_buf_clear(&out);
    kiln_why_sentence(&reason, &out);
    assert_true(out.len > 10);
    assert_string_not_equal(kiln_why_kind_name((enum kiln_why_kind)i), "unknown");
  }
  kiln_buf_release(&out);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_page_says_it),
      cmocka_unit_test(test_written_and_read_again),
      cmocka_unit_test(test_without_names),
      cmocka_unit_test(test_hostile_json),
      cmocka_unit_test(test_every_kind_has_a_name_and_a_sentence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
