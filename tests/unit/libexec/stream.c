#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "libexec/line_watch.c"
#include "libexec/stream.c" /* a program, not a library: its parts are compiled into their tests */

struct file {
  struct kiln_buf folder, path;
  struct kiln_stream stream;
  struct kiln_buf content;
};

static void
file_begin(struct file *file, uint64_t limit)
{
  kiln_buf_init(&file->folder);
  kiln_buf_init(&file->path);
  kiln_buf_init(&file->content);
  assert_int_equal(kiln_folder_make_private("/tmp", "kiln-stream-", &file->folder, NULL), KILN_OK);
  kiln_buf_printf(&file->path, "%s/out", kiln_buf_text(&file->folder));
  const int fd = kiln_fd_open(kiln_buf_text(&file->path), KILN_OPEN_WRITE | KILN_OPEN_NEW);
  assert_true(fd >= 0);
  kiln_stream_init(&file->stream, -1, fd, limit);
}

static const char *
file_end(struct file *file)
{
  kiln_stream_finish(&file->stream);
  assert_int_equal(kiln_file_read(kiln_buf_text(&file->path), 1u << 20, &file->content, NULL), KILN_OK);
  return kiln_buf_text(&file->content);
}

static void
file_release(struct file *file)
{
  kiln_folder_remove(kiln_buf_text(&file->folder), NULL);
  kiln_buf_release(&file->folder);
  kiln_buf_release(&file->path);
  kiln_buf_release(&file->content);
}

static void
take(struct file *file, const char *text)
{
  kiln_stream_take(&file->stream, text, strlen(text));
}

static void
test_below_the_limit_nothing_changes(void **state)
{
  (void)state;
  struct file file;
  file_begin(&file, 10);
  take(&file, "abc");
  take(&file, "defg");
  take(&file, "hij");
  assert_false(kiln_stream_is_cut(&file.stream));
  assert_string_equal(file_end(&file), "abcdefghij");
  assert_int_equal(file.stream.total, 10);
  file_release(&file);
}

static void
test_beyond_the_limit_head_and_tail_stay(void **state)
{
  (void)state;
  struct file file;
  file_begin(&file, 10);
  take(&file, "abcdefghij");
  take(&file, "k");
  assert_true(kiln_stream_is_cut(&file.stream));
  take(&file, "lmnopqrstuvwxyz");
  assert_string_equal(file_end(&file), "abcde\n[kiln: 16 bytes left out]\nvwxyz");
  assert_int_equal(file.stream.total, 26);
  file_release(&file);
}

static void
test_the_notice_adds_no_empty_line(void **state)
{
  (void)state;
  struct file file;
  file_begin(&file, 4);
  take(&file, "a\nbcdefg");
  assert_string_equal(file_end(&file), "a\n[kiln: 4 bytes left out]\nfg");
  file_release(&file);
}

/* Every split of the same bytes into calls gives the same file. */
static void
test_splits_do_not_matter(void **state)
{
  (void)state;
  char text[400];
  char expected[512] = "";
  for (size_t i = 0; i < sizeof text; i++)
    text[i] = (char)('!' + i % 90);
  for (size_t step = 1; step <= sizeof text; step++) {
    struct file file;
    file_begin(&file, 101);
    for (size_t at = 0; at < sizeof text; at += step)
      kiln_stream_take(&file.stream, text + at, step < sizeof text - at ? step : sizeof text - at);
    const char *got = file_end(&file);
    if (step == 1) {
      snprintf(expected, sizeof expected, "%.50s\n[kiln: 299 bytes left out]\n%.51s", text, text + 349);
    }
    assert_string_equal(got, expected);
    file_release(&file);
  }
}

static void
test_the_ring_grows_only_as_needed(void **state)
{
  (void)state;
  struct file file;
  file_begin(&file, UINT64_MAX);
  file.stream.head_left = 1;
  take(&file, "abc");
  assert_true(file.stream.ring_capacity < 1024);
  assert_string_equal(file_end(&file), "abc");
  file_release(&file);
}

static void
test_a_refusing_disk_loses_output_only(void **state)
{
  (void)state;
  struct file file;
  file_begin(&file, 10);
  close(file.stream.file);
  file.stream.file = kiln_fd_open(kiln_buf_text(&file.path), KILN_OPEN_READ); /* every write is refused */
  take(&file, "abcdefghijklmnop");
  assert_true(file.stream.lost);
  assert_int_equal(file.stream.total, 16);
  /* Space again: a file with a hole in it would mislead, so it stays as it is. */
  kiln_fd_close(file.stream.file);
  file.stream.file = kiln_fd_open(kiln_buf_text(&file.path), KILN_OPEN_WRITE);
  take(&file, "qrs");
  assert_string_equal(file_end(&file), "");
  file_release(&file);
}

static void
test_drain_takes_what_is_there_and_does_not_wait(void **state)
{
  (void)state;
  struct file file;
  int ends[2];
  assert_true(kiln_pipe(ends));
  file_begin(&file, 100);
  file.stream.pipe = ends[0];
  assert_int_equal(write(ends[1], "hello", 5), 5);
  kiln_stream_drain(&file.stream); /* the writer is still there */
  assert_int_equal(file.stream.total, 5);
  assert_true(file.stream.pipe >= 0);
  close(ends[1]);
  kiln_stream_drain(&file.stream);
  assert_int_equal(file.stream.pipe, -1);
  assert_string_equal(file_end(&file), "hello");
  file_release(&file);
}

/* What is silent leaves no file; what speaks leaves the same as ever; a place that refuses is a refused write. */
static void
test_a_late_file_comes_with_the_first_byte(void **state)
{
  (void)state;
  struct file file;
  file_begin(&file, 100);
  kiln_stream_finish(&file.stream);
  assert_int_equal(kiln_folder_remove(kiln_buf_text(&file.path), NULL), KILN_OK);
  kiln_stream_init_late(&file.stream, -1, kiln_buf_text(&file.path), 100);
  assert_false(kiln_file_exists(kiln_buf_text(&file.path)));
  kiln_stream_finish(&file.stream);
  assert_false(kiln_file_exists(kiln_buf_text(&file.path)));
  kiln_stream_init_late(&file.stream, -1, kiln_buf_text(&file.path), 100);
  take(&file, "one ");
  take(&file, "two\n");
  assert_string_equal(file_end(&file), "one two\n");
  kiln_stream_init_late(&file.stream, -1, "/nowhere/at/all", 100);
  take(&file, "lost");
  assert_true(file.stream.lost);
  kiln_stream_finish(&file.stream);
  file_release(&file);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_below_the_limit_nothing_changes),
      cmocka_unit_test(test_beyond_the_limit_head_and_tail_stay),
      cmocka_unit_test(test_the_notice_adds_no_empty_line),
      cmocka_unit_test(test_splits_do_not_matter),
      cmocka_unit_test(test_the_ring_grows_only_as_needed),
      cmocka_unit_test(test_a_refusing_disk_loses_output_only),
      cmocka_unit_test(test_drain_takes_what_is_there_and_does_not_wait),
      cmocka_unit_test(test_a_late_file_comes_with_the_first_byte),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
