#include "unit/probe/events.h"

#include "base/text.h"
#include "probe/sweep.h"

static void
put(struct events *events, const char *relative, const char *text)
{
  struct kiln_buf path;
  kiln_buf_init(&path);
  kiln_buf_printf(&path, "%s/%s", events->folder.data, relative);
  *strrchr(path.data, '/') = '\0';
  assert_int_equal(kiln_folder_make(path.data, NULL), KILN_OK);
  kiln_buf_release(&path);
  write_file(events, relative, text, strlen(text));
}

static void
sweep_folder(struct events *events, struct kiln_sweep *sweep)
{
  kiln_sweep_init(sweep);
  assert_int_equal(kiln_sweep_caches(sweep, events->folder.data, NULL), KILN_OK);
}

static void
artefacts_are_found_and_sorted(void **state)
{
  struct events *events = *state;
  struct kiln_sweep sweep;
  put(events, "warp/1.19.0/wp_b/wp_b.o", "bb");
  put(events, "warp/1.19.0/wp_a/wp_a.o", "a");
  put(events, "warp/1.19.0/wp_a/wp_a.cpp", "source");
  put(events, "triton/k/k.cubin", "ccc");
  put(events, "unknown/x.o", "x");
  sweep_folder(events, &sweep);
  assert_int_equal(sweep.count, 3);
  assert_string_equal(sweep.entries[0].framework, "triton");
  assert_int_equal(sweep.entries[0].size, 3);
  assert_true(kiln_text_ends(sweep.entries[1].path, "/wp_a.o"));
  assert_true(kiln_text_ends(sweep.entries[2].path, "/wp_b.o"));
  assert_true(sweep.entries[2].mtime_ns > 0);
  assert_int_equal(kiln_sweep_new(NULL, &sweep, NULL), 3);
  assert_int_equal(kiln_sweep_new(NULL, &sweep, "warp"), 2);
  assert_int_equal(kiln_sweep_new(&sweep, &sweep, NULL), 0);
  kiln_sweep_release(&sweep);
}

static void
new_and_replaced_artefacts_are_told_from_old_ones(void **state)
{
  struct events *events = *state;
  struct kiln_sweep before, after;
  put(events, "warp/m/m.o", "m");
  put(events, "warp/n/n.o", "n");
  put(events, "warp/z/z.o", "z");
  sweep_folder(events, &before);
  put(events, "warp/a/a.o", "a");
  put(events, "warp/n/n.o", "longer");
  put(events, "triton/t.so", "t");
  sweep_folder(events, &after);
  assert_int_equal(kiln_sweep_new(&before, &after, NULL), 3);
  assert_int_equal(kiln_sweep_new(&before, &after, "warp"), 2);
  assert_int_equal(kiln_sweep_new(&before, &after, "triton"), 1);
  assert_int_equal(kiln_sweep_new(&before, &after, "numba"), 0);
  assert_int_equal(kiln_sweep_new(&after, &before, NULL), 1); /* gone ones are not new */
  kiln_sweep_release(&before);
  kiln_sweep_release(&after);
}

static void
missing_folder_is_an_empty_sweep(void **state)
{
  struct events *events = *state;
  struct kiln_sweep sweep;
  kiln_folder_remove(events->folder.data, NULL);
  sweep_folder(events, &sweep);
  assert_int_equal(sweep.count, 0);
  assert_int_equal(kiln_sweep_new(NULL, &sweep, NULL), 0);
  kiln_sweep_release(&sweep);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      EVENTS_TEST(artefacts_are_found_and_sorted),
      EVENTS_TEST(new_and_replaced_artefacts_are_told_from_old_ones),
      EVENTS_TEST(missing_folder_is_an_empty_sweep),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
