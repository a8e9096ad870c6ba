#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/json_read.h"
#include "base/text.h"
#include "os/file.h"
#include "probe/sequential.h"
#include "probe/wilcoxon.h"

#define VECTORS KILN_SOURCE_DIR "/tests/data/hl-seq-1.json"
#define PRECISION 1e-8 /* of the printed logarithms */

static struct cJSON *
read_vectors(void)
{
  struct kiln_buf text;
  struct kiln_error error = {0};
  struct cJSON *tree = NULL;
  kiln_buf_init(&text);
  if (kiln_file_read(VECTORS, 1 << 20, &text, &error) != KILN_OK ||
      kiln_json_parse(kiln_buf_text(&text), text.len, VECTORS, &tree, &error) != KILN_OK)
    fail_msg("%s", error.what);
  kiln_buf_release(&text);
  return tree;
}

static size_t
read_ratios(const struct cJSON *series, double *d)
{
  size_t n = 0;
  for (const struct cJSON *pair = kiln_json_first(kiln_json_get(series, "pairs_a_b")); pair;
       pair = kiln_json_next(pair)) {
    const struct cJSON *a = kiln_json_first(pair);
    assert_true(n < KILN_SEQUENTIAL_MAX);
    d[n++] = log(kiln_json_as_double(kiln_json_next(a), 0)) - log(kiln_json_as_double(a, 0));
  }
  return n;
}

/* Four digits behind the point, as the vectors print percentages. */
static void
same_percent(double expected, double value)
{
  char text[2][40];
  snprintf(text[0], sizeof text[0], "%.4f", expected);
  snprintf(text[1], sizeof text[1], "%.4f", kiln_log_percent(value));
  assert_string_equal(text[0], text[1]);
}

static void
same_log(const struct cJSON *object, const char *key, double value)
{
  char text[2][40];
  const double expected = kiln_json_get_double(object, key, NAN);
  assert_true(fabs(expected - value) <= PRECISION);
  snprintf(text[0], sizeof text[0], "%.9f", expected);
  snprintf(text[1], sizeof text[1], "%.9f", value);
  assert_string_equal(text[0], text[1]);
}

static void
check_look(const struct cJSON *expected, const struct kiln_look *look, const struct kiln_look_plan *plan)
{
  assert_int_equal(kiln_json_get_int(expected, "n", 0), look->pairs);
  assert_int_equal(kiln_json_get_int(expected, "k_alpha", -1), plan->k_alpha);
  assert_int_equal(kiln_json_get_int(expected, "k_beta", -1), plan->k_beta);
  same_log(expected, "est", look->estimate);
  same_log(expected, "L", look->low);
  same_log(expected, "U", look->high);
  same_log(expected, "l", look->inner_low);
  same_log(expected, "u", look->inner_high);
  same_percent(kiln_json_get_double(expected, "est_pct", NAN), look->estimate);
  const char *decision = look->verdict == KILN_VERDICT_INCONCLUSIVE ? "CONTINUE" : kiln_verdict_name(look->verdict);
  assert_string_equal(kiln_json_get_string(expected, "decision", ""), decision);
}

static void
check_series(const struct cJSON *series)
{
  double d[KILN_SEQUENTIAL_MAX];
  const struct cJSON *expected = kiln_json_get(series, "expected"), *looks = kiln_json_get(expected, "looks");
  struct kiln_sequence sequence;
  const size_t n = read_ratios(series, d);
  size_t i = 0;
  assert_int_equal(kiln_sequence_judge(d, n, KILN_SEQUENTIAL_RESOLUTION, &sequence, NULL), KILN_OK);
  assert_string_equal(kiln_json_get_string(expected, "verdict", ""), kiln_verdict_name(sequence.verdict));
  assert_int_equal(kiln_json_count(looks), sequence.look_count);
  for (const struct cJSON *look = kiln_json_first(looks); look; look = kiln_json_next(look), i++)
    check_look(look, &sequence.looks[i], &kiln_looks[i]);
  const struct kiln_look *last = &sequence.looks[sequence.look_count - 1];
  const struct cJSON *ci = kiln_json_first(kiln_json_get(expected, "ci_pct"));
  assert_int_equal(kiln_json_get_int(expected, "pairs_used", 0), last->pairs);
  same_percent(kiln_json_get_double(expected, "change_pct", NAN), last->estimate);
  same_percent(kiln_json_as_double(ci, NAN), last->low);
  same_percent(kiln_json_as_double(kiln_json_next(ci), NAN), last->high);
}

static void
test_vectors(void **state)
{
  (void)state;
  struct cJSON *tree = read_vectors();
  size_t n = 0;
  for (const struct cJSON *one = kiln_json_first(kiln_json_get(tree, "series")); one; one = kiln_json_next(one), n++)
    check_series(one);
  assert_int_equal(n, 7);
  kiln_json_free(tree);
}

static void
test_tables_are_the_exact_null(void **state)
{
  (void)state;
  for (int i = 0; i < KILN_SEQUENTIAL_LOOKS; i++) {
    size_t k = 0;
    assert_true(kiln_wilcoxon_rank(kiln_looks[i].pairs, KILN_SEQUENTIAL_P_ALPHA, &k));
    assert_int_equal(k, kiln_looks[i].k_alpha);
    assert_true(kiln_wilcoxon_rank(kiln_looks[i].pairs, KILN_SEQUENTIAL_P_BETA, &k));
    assert_int_equal(k, kiln_looks[i].k_beta);
  }
  assert_int_equal(kiln_looks[KILN_SEQUENTIAL_LOOKS - 1].pairs, KILN_SEQUENTIAL_MAX);
}

static void
fill(double *d, size_t n, double value)
{
  for (size_t i = 0; i < n; i++)
    d[i] = value;
}

static enum kiln_verdict
verdict_of(const double *d, size_t n, struct kiln_sequence *sequence)
{
  assert_int_equal(kiln_sequence_judge(d, n, KILN_SEQUENTIAL_RESOLUTION, sequence, NULL), KILN_OK);
  return sequence->verdict;
}

static void
test_nothing_is_decided_before_the_first_look(void **state)
{
  (void)state;
  struct kiln_sequence sequence;
  double d[11];
  fill(d, 11, 1);
  assert_int_equal(verdict_of(d, 10, &sequence), KILN_VERDICT_INCONCLUSIVE);
  assert_int_equal(sequence.look_count, 0);
  assert_int_equal(kiln_sequence_wanted(&sequence, 0.05), 0);
  assert_int_equal(verdict_of(d, 11, &sequence), KILN_VERDICT_REGRESSED);
}

static void
test_floor_and_resolution(void **state)
{
  (void)state;
  struct kiln_sequence sequence;
  double d[16];
  fill(d, 16, log(1.0101));
  assert_int_equal(verdict_of(d, 16, &sequence), KILN_VERDICT_REGRESSED);
  assert_int_equal(sequence.look_count, 1);
  fill(d, 16, -log(1.0101));
  assert_int_equal(verdict_of(d, 16, &sequence), KILN_VERDICT_IMPROVED);
  fill(d, 16, log(1.0099)); /* real, but idle */
  assert_int_equal(verdict_of(d, 16, &sequence), KILN_VERDICT_SAME);
  fill(d, 16, 0);
  d[0] = 0.2;
  d[1] = -0.2;
  assert_int_equal(kiln_sequence_judge(d, 16, 0.0001, &sequence, NULL), KILN_OK);
  assert_int_equal(sequence.verdict, KILN_VERDICT_SAME); /* two of sixteen do not reach the inner ranks */
}

static void
test_what_lies_between_looks_is_not_looked_at(void **state)
{
  (void)state;
  struct kiln_sequence before, after;
  double d[22];
  for (size_t i = 0; i < 22; i++)
    d[i] = i % 2 ? 0.3 : -0.3;
  verdict_of(d, 16, &before);
  fill(d + 16, 6, 5);
  assert_int_equal(verdict_of(d, 22, &after), KILN_VERDICT_INCONCLUSIVE);
  assert_memory_equal(&before, &after, sizeof before);
  assert_int_equal(kiln_look_reached(22), 16);
  assert_int_equal(kiln_look_reached(10), 0);
  assert_int_equal(kiln_look_reached(1000), KILN_SEQUENTIAL_MAX);
}

static void
test_wanted(void **state)
{
  (void)state;
  struct kiln_sequence sequence;
  double d[11];
  for (size_t i = 0; i < 11; i++)
    d[i] = i % 2 ? 0.3 : -0.3;
  verdict_of(d, 11, &sequence);
  const struct kiln_look *look = &sequence.looks[0];
  const double scale = (look->inner_high - look->inner_low) / (2 * log(1.05)) * 1.5;
  assert_int_equal(kiln_sequence_wanted(&sequence, 0.05), (size_t)ceil(11 * scale * scale));
  sequence.looks[0].inner_low = -0.01;
  sequence.looks[0].inner_high = 0.01;
  assert_int_equal(kiln_sequence_wanted(&sequence, 0.05), 16); /* never below the next look */
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_vectors),
      cmocka_unit_test(test_tables_are_the_exact_null),
      cmocka_unit_test(test_nothing_is_decided_before_the_first_look),
      cmocka_unit_test(test_floor_and_resolution),
      cmocka_unit_test(test_what_lies_between_looks_is_not_looked_at),
      cmocka_unit_test(test_wanted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
