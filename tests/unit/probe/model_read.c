#include "unit/probe/events.h"

static void
folder_may_hold_anything(void **state)
{
  struct events *events = *state;
  struct kiln_buf path;
  add(events, 1, 1, 10, "'ev':'mark','name':'boot','python':'3'");
  flush(events, "1.1.jsonl");
  add(events, 2, 2, 10, "'ev':'mark','name':'boot','python':'3'");
  flush(events, "notes.txt");
  write_file(events, "3.1.jsonl", "", 0);
  write_file(events, "4.1.count", "", 0);
  write_file(events, "5.1.jsonl", "\0\0\0", 3);
  kiln_buf_init(&path);
  kiln_buf_printf(&path, "%s/6.1.jsonl/7.1.jsonl", events->folder.data); /* a folder of that name */
  assert_int_equal(kiln_folder_make(path.data, NULL), KILN_OK);
  kiln_buf_release(&path);
  const struct kiln_model *model = finish(events);
  assert_int_equal(model->process_count, 1);
  assert_int_equal(model->events, 1);
  assert_int_equal(model->bad_lines, 2); /* the zeros and the counter file */
  assert_true(model->event_bytes > 3);
}

static void
torn_last_line_is_counted(void **state)
{
  struct events *events = *state;
  add_span(events, 1, 1, 10, 20, "'ev':'load','module':'m','result':'cached'");
  add_span(events, 1, 1, 30, 40, "'ev':'load','module':'n','result':'cached'");
  write_file(events, "1.1.jsonl", events->text.data, events->text.len - 20);
  kiln_buf_clear(&events->text);
  add_span(events, 2, 2, 50, 60, "'ev':'load','module':'o','result':'cached'");
  flush(events, "2.1.jsonl");
  const struct kiln_model *model = finish(events);
  assert_int_equal(model->bad_lines, 1);
  assert_int_equal(model->counts.loads, 2);
}

static void
several_folders_make_one_model(void **state)
{
  struct events *events = *state;
  add_span(events, 1, 1, 10, 20, "'ev':'load','module':'m','result':'cached'");
  flush(events, "1.1.jsonl");
  assert_int_equal(kiln_model_read(events->model, events->folder.data, NULL), KILN_OK);
  assert_int_equal(finish(events)->load_count, 2);
}

static void
bytes_that_are_no_text_are_taken(void **state)
{
  struct events *events = *state;
  add(events, 1, 1, 10, "'ev':'cache','what':'root','path':'/c/\xff\xfe\x80'");
  const struct kiln_model *model = finish_one(events);
  assert_int_equal(model->bad_lines, 0);
  assert_string_equal(model->caches[0].path, "/c/\xff\xfe\x80");
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      EVENTS_TEST(folder_may_hold_anything),
      EVENTS_TEST(torn_last_line_is_counted),
      EVENTS_TEST(several_folders_make_one_model),
      EVENTS_TEST(bytes_that_are_no_text_are_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
