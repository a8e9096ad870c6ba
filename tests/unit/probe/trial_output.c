/* Outputs with a lever against outputs without: what counts, what is left out, what is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "os/file.h"
#include "probe/trial_output.h"

struct fixture {
  struct kiln_outputs outputs;
  struct kiln_buf folder, path, sentence;
  enum kiln_output found;
};

static int
setup(void **state)
{
  struct fixture *fixture = calloc(1, sizeof *fixture);
  kiln_buf_init(&fixture->folder);
  kiln_buf_init(&fixture->path);
  kiln_buf_init(&fixture->sentence);
  *state = fixture;
  return kiln_folder_make_private(kiln_folder_temporary(), "kiln-test-", &fixture->folder, NULL) == KILN_OK &&
                 kiln_outputs_init(&fixture->outputs, NULL, 0, NULL, NULL)
             ? 0
             : -1;
}

static int
teardown(void **state)
{
  struct fixture *fixture = *state;
  kiln_folder_remove(kiln_buf_text(&fixture->folder), NULL);
  kiln_outputs_release(&fixture->outputs);
  kiln_buf_release(&fixture->folder);
  kiln_buf_release(&fixture->path);
  kiln_buf_release(&fixture->sentence);
  free(fixture);
  return 0;
}

static struct kiln_measure_seen
seen(struct fixture *fixture, const char *text)
{
  kiln_buf_clear(&fixture->path);
  kiln_buf_printf(&fixture->path, "%s/stdout", kiln_buf_text(&fixture->folder));
  assert_int_equal(kiln_file_write(kiln_buf_text(&fixture->path), text, strlen(text), NULL), KILN_OK);
  return (struct kiln_measure_seen){.arm = "base",
      .run = "cold",
      .sample = 1,
      .stdout_path = kiln_buf_text(&fixture->path),
      .place = "/tmp/kiln-abcdef/s1/"};
}

static void
without(struct fixture *fixture, const char *text)
{
  const struct kiln_measure_seen run = seen(fixture, text);
  kiln_outputs_baseline(&fixture->outputs, &run, false);
}

static void
with(struct fixture *fixture, const char *text, enum kiln_output expected)
{
  const struct kiln_measure_seen run = seen(fixture, text);
  fixture->found = KILN_OUTPUT_NONE;
  kiln_buf_clear(&fixture->sentence);
  kiln_outputs_candidate(&fixture->outputs, &run, false, &fixture->found, &fixture->sentence);
  assert_int_equal(fixture->found, expected);
}

static void
lines_of_the_framework_are_left_out(void **state)
{
  struct kiln_buf out;
  const char text[] = "Warp 1.19.0 initialized:\n   CUDA Toolkit 13\n   Kernel cache:\n     /x\nresult 1\n"
                      "   indented of the program\nModule m 12 load on device 'cpu' took 5 ms\nModule m is mine\n"
                      "kept in /tmp/kiln-abcdef/s1/tmp/x\n";
  (void)state;
  kiln_buf_init(&out);
  kiln_output_normalise(text, strlen(text), "/tmp/kiln-abcdef/s1/", &out);
  assert_string_equal(
      kiln_buf_text(&out), "result 1\n   indented of the program\nModule m is mine\nkept in <private>/tmp/x\n");
  kiln_buf_release(&out);
}

static void
equal_lines_are_the_same(void **state)
{
  struct fixture *fixture = *state;
  without(fixture, "a\nb\n");
  without(fixture, "a\nb\n");
  with(fixture, "a\nb\n", KILN_OUTPUT_SAME);
  with(fixture, "a\nc\n", KILN_OUTPUT_DIFFERS);
  assert_string_equal(kiln_buf_text(&fixture->sentence), "Line 2 of what it prints is another: without 'b', with 'c'.");
  with(fixture, "a\n", KILN_OUTPUT_DIFFERS);
  assert_string_equal(kiln_buf_text(&fixture->sentence), "It prints 1 lines with it and 2 without.");
}

static void
lines_that_vary_by_themselves_do_not_count(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_buf text;
  without(fixture, "a\ntook 1 s\n");
  without(fixture, "a\ntook 2 s\n");
  with(fixture, "a\ntook 3 s\n", KILN_OUTPUT_SAME);
  with(fixture, "b\ntook 3 s\n", KILN_OUTPUT_DIFFERS);
  kiln_buf_init(&text);
  kiln_outputs_describe(&fixture->outputs, &text);
  assert_string_equal(kiln_buf_text(&text), "standard output (1 of 2 lines vary by themselves and are not compared)");
  kiln_buf_release(&text);
}

static void
nothing_steady_shows_nothing(void **state)
{
  struct fixture *fixture = *state;
  without(fixture, "1\n");
  without(fixture, "2\n");
  with(fixture, "3\n", KILN_OUTPUT_UNSTEADY);
}

static void
another_number_of_lines_is_unsteady(void **state)
{
  struct fixture *fixture = *state;
  without(fixture, "1\n");
  without(fixture, "1\n2\n");
  with(fixture, "1\n", KILN_OUTPUT_UNSTEADY);
}

static void
a_silent_program_has_nothing_to_compare(void **state)
{
  struct fixture *fixture = *state;
  without(fixture, "");
  with(fixture, "", KILN_OUTPUT_EMPTY);
  with(fixture, "x\n", KILN_OUTPUT_DIFFERS);
}

/* The worst that was seen stays. */
static void
a_difference_is_not_forgotten(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_measure_seen run;
  without(fixture, "a\n");
  with(fixture, "b\n", KILN_OUTPUT_DIFFERS);
  run = seen(fixture, "a\n");
  kiln_outputs_candidate(&fixture->outputs, &run, false, &fixture->found, &fixture->sentence);
  assert_int_equal(fixture->found, KILN_OUTPUT_DIFFERS);
  run.failed = true;
  fixture->found = KILN_OUTPUT_NONE;
  kiln_outputs_candidate(&fixture->outputs, &run, false, &fixture->found, &fixture->sentence);
  assert_int_equal(fixture->found, KILN_OUTPUT_NONE);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_of_the_framework_are_left_out),
      cmocka_unit_test_setup_teardown(equal_lines_are_the_same, setup, teardown),
      cmocka_unit_test_setup_teardown(lines_that_vary_by_themselves_do_not_count, setup, teardown),
      cmocka_unit_test_setup_teardown(nothing_steady_shows_nothing, setup, teardown),
      cmocka_unit_test_setup_teardown(another_number_of_lines_is_unsteady, setup, teardown),
      cmocka_unit_test_setup_teardown(a_silent_program_has_nothing_to_compare, setup, teardown),
      cmocka_unit_test_setup_teardown(a_difference_is_not_forgotten, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
