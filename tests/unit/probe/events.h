/*
 * For unit tests of the model: events written as text. In the fields ' stands for ". CPU time is half of the clock, so
 * that a mistake in either shows.
 */
#ifndef KILN_TESTS_UNIT_PROBE_EVENTS_H
#define KILN_TESTS_UNIT_PROBE_EVENTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "event/counters.h"
#include "os/file.h"
#include "probe/model.h"

struct events {
  struct kiln_buf folder, text;
  struct kiln_model *model;
};

static inline int
events_setup(void **state)
{
  struct events *events = calloc(1, sizeof *events);
  kiln_buf_init(&events->folder);
  kiln_buf_init(&events->text);
  kiln_folder_make_private(kiln_folder_temporary(), "kiln-test-", &events->folder, NULL);
  events->model = kiln_model_new();
  *state = events;
  return events->folder.len > 0 && events->model ? 0 : -1;
}

static inline int
events_teardown(void **state)
{
  struct events *events = *state;
  kiln_folder_remove(kiln_buf_text(&events->folder), NULL);
  kiln_buf_release(&events->folder);
  kiln_buf_release(&events->text);
  kiln_model_free(events->model);
  free(events);
  return 0;
}

#define EVENTS_TEST(function) cmocka_unit_test_setup_teardown(function, events_setup, events_teardown)

/* An event that is no span. */
static inline void
add(struct events *events, int pid, int tid, unsigned long t, const char *fields)
{
  size_t from = events->text.len;
  kiln_buf_printf(&events->text, "{'v':1,'t':%lu,'cpu':%lu,'pid':%d,'tid':%d,%s}\n", t, t / 2, pid, tid, fields);
  for (size_t i = from; i < events->text.len; i++)
    if (events->text.data[i] == '\'')
      events->text.data[i] = '"';
}

/* A span of thread tid. */
static inline void
add_span(struct events *events, int pid, int tid, unsigned long begin, unsigned long end, const char *fields)
{
  struct kiln_buf buf;
  kiln_buf_init(&buf);
  kiln_buf_printf(&buf, "'id':1,'dur':%lu,'dcpu':%lu,%s", end - begin, (end - begin) / 2, fields);
  add(events, pid, tid, begin, kiln_buf_text(&buf));
  kiln_buf_release(&buf);
}

/* Write what was added as a file of the folder, and begin a new one. */
static inline void
write_file(struct events *events, const char *name, const void *data, size_t len)
{
  struct kiln_buf path;
  kiln_buf_init(&path);
  kiln_buf_printf(&path, "%s/%s", events->folder.data, name);
  assert_int_equal(kiln_file_write(path.data, data, len, NULL), KILN_OK);
  kiln_buf_release(&path);
}

static inline void
flush(struct events *events, const char *name)
{
  write_file(events, name, kiln_buf_text(&events->text), events->text.len);
  kiln_buf_clear(&events->text);
}

/* Read the folder and finish. */
static inline struct kiln_model *
finish(struct events *events)
{
  assert_int_equal(kiln_model_read(events->model, events->folder.data, NULL), KILN_OK);
  assert_int_equal(kiln_model_finish(events->model, NULL), KILN_OK);
  return events->model;
}

/* One file of one process, then finish. */
static inline struct kiln_model *
finish_one(struct events *events)
{
  flush(events, "100.1.jsonl");
  return finish(events);
}

#endif
