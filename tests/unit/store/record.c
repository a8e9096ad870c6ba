#include "made.h"

#include "store/record.h"

static void
make(struct kiln_buf *buf)
{
  struct kiln_digest digest = made_key("x");
  kiln_buf_init(buf);
  kiln_record_begin(buf, "thing");
  kiln_record_append_digest(buf, "digest", &digest);
  kiln_buf_printf(buf, "number 42\nname two words\n");
  kiln_record_end(buf);
}

static void
test_what_is_written_is_read(void **state)
{
  struct kiln_buf buf;
  struct kiln_record_reader reader;
  struct kiln_digest digest, expected = made_key("x");
  uint64_t number;
  char text[10];
  const char *line;
  size_t len;
  (void)state;
  make(&buf);
  assert_true(kiln_record_open(&reader, &buf, "thing"));
  assert_true(kiln_record_digest(&reader, "digest", &digest));
  assert_true(kiln_digest_equal(&digest, &expected));
  assert_true(kiln_record_number(&reader, "number", &number));
  assert_int_equal(number, 42);
  assert_true(kiln_record_text(&reader, "name", text, sizeof text));
  assert_string_equal(text, "two words");
  assert_false(kiln_record_line(&reader, &line, &len));
  kiln_buf_release(&buf);
}

static void
test_labels_and_sizes_are_checked(void **state)
{
  struct kiln_buf buf;
  struct kiln_record_reader reader, again;
  char text[9];
  uint64_t number;
  (void)state;
  make(&buf);
  assert_false(kiln_record_open(&reader, &buf, "thin"));
  assert_false(kiln_record_open(&reader, &buf, "things"));
  assert_true(kiln_record_open(&reader, &buf, "thing"));
  again = reader;
  assert_false(kiln_record_number(&again, "digest", &number));
  again = reader;
  assert_false(kiln_record_text(&again, "dig", text, sizeof text));
  assert_false(kiln_record_text(&reader, "digest", text, sizeof text));
  assert_true(kiln_record_number(&reader, "number", &number));
  assert_false(kiln_record_text(&reader, "name", text, sizeof text)); /* nine bytes and a NUL */
  kiln_buf_release(&buf);
}

static void
test_every_change_is_noticed(void **state)
{
  struct kiln_buf buf;
  struct kiln_record_reader reader;
  (void)state;
  make(&buf);
  for (size_t i = 0; i < buf.len; i++)
    for (int bit = 0; bit < 8; bit++) {
      buf.data[i] ^= (char)(1 << bit);
      assert_false(kiln_record_open(&reader, &buf, "thing"));
      buf.data[i] ^= (char)(1 << bit);
    }
  while (buf.len > 0) {
    buf.len--;
    assert_false(kiln_record_open(&reader, &buf, "thing"));
  }
  kiln_buf_release(&buf);
}

static void
test_a_nul_is_refused(void **state)
{
  struct kiln_buf buf;
  struct kiln_record_reader reader;
  (void)state;
  kiln_buf_init(&buf);
  kiln_record_begin(&buf, "thing");
  kiln_buf_append(&buf, "a\0b\n", 4);
  kiln_record_end(&buf);
  assert_false(kiln_record_open(&reader, &buf, "thing"));
  kiln_buf_release(&buf);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_is_written_is_read),
      cmocka_unit_test(test_labels_and_sizes_are_checked),
      cmocka_unit_test(test_every_change_is_noticed),
      cmocka_unit_test(test_a_nul_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
