/* The live view names what is being built, from events as they are written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "event/reader.h"
#include "probe/measure_live.h"

static struct kiln_progress last;
static char last_building[KILN_LIVE_NAME];
static unsigned calls;

static void
note(void *context, const struct kiln_progress *progress)
{
  (void)context;
  last = *progress;
  snprintf(last_building, sizeof last_building, "%s", progress->building ? progress->building : "");
  calls++;
}

static struct kiln_measure_options
options_with_view(void)
{
  struct kiln_measure_options options = {0};
  options.samples = 3;
  options.progress = note;
  return options;
}

static void
feed(struct kiln_live *live, const char *line)
{
  assert_true(kiln_event_parse_line(line, strlen(line), kiln_live_event, live));
}

static void
building_begins_and_ends(void **state)
{
  struct kiln_measure_options options = options_with_view();
  struct kiln_live live;
  (void)state;
  kiln_live_init(&live, &options, 2, "cold", "/nowhere");
  assert_string_equal(last.run, "cold");
  assert_int_equal(last.sample, 2);
  assert_false(last.run_ended);
  feed(&live, "{\"v\":1,\"t\":5,\"cpu\":0,\"pid\":7,\"tid\":7,\"ev\":\"mark\",\"name\":\"begin\",\"what\":\"compile\","
              "\"module\":\"a\"}");
  feed(&live, "{\"v\":1,\"t\":6,\"cpu\":0,\"pid\":8,\"tid\":8,\"ev\":\"mark\",\"name\":\"begin\",\"what\":\"compile\","
              "\"module\":\"b\"}");
  kiln_live_tick(&live);
  assert_string_equal(last_building, "a");
  assert_true(last.building_s > 0);
  feed(&live, "{\"v\":1,\"t\":5,\"cpu\":0,\"pid\":7,\"tid\":7,\"ev\":\"compile\",\"id\":1,\"dur\":9,\"dcpu\":9,"
              "\"step\":\"module\",\"module\":\"a\",\"result\":\"compiled\"}");
  kiln_live_tick(&live);
  assert_string_equal(last_building, "b");
  assert_int_equal(last.builds_done, 1);
  feed(&live, "{\"v\":1,\"t\":9,\"cpu\":0,\"pid\":8,\"tid\":8,\"ev\":\"process\",\"what\":\"end\"}");
  kiln_live_tick(&live);
  assert_string_equal(last_building, "");
  kiln_live_end(&live, 1.5, 4);
  assert_true(last.run_ended);
  assert_int_equal(last.builds_done, 4);
  kiln_live_release(&live);
}

static void
cached_is_not_built(void **state)
{
  struct kiln_measure_options options = options_with_view();
  struct kiln_live live;
  (void)state;
  kiln_live_init(&live, &options, 0, "cold", "/nowhere");
  assert_string_equal(last.run, "warm-up");
  feed(&live, "{\"v\":1,\"t\":5,\"cpu\":0,\"pid\":7,\"tid\":7,\"ev\":\"compile\",\"id\":1,\"dur\":9,\"dcpu\":9,"
              "\"step\":\"module\",\"module\":\"a\",\"result\":\"cached\"}");
  kiln_live_tick(&live);
  assert_int_equal(last.builds_done, 0);
  kiln_live_release(&live);
}

/* More than fit, and names that are too long: counted right, nothing overrun. */
static void
hostile_events(void **state)
{
  struct kiln_measure_options options = options_with_view();
  struct kiln_live live;
  char line[2048], name[1024];
  int i;
  (void)state;
  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  kiln_live_init(&live, &options, 1, "cold", "/nowhere");
  for (i = 0; i < 3 * KILN_LIVE_MODULES; i++) {
    snprintf(line, sizeof line, "{\"t\":%d,\"pid\":7,\"ev\":\"mark\",\"name\":\"begin\",\"module\":\"%d%s\"}", i + 1, i,
        name);
    feed(&live, line);
  }
  kiln_live_tick(&live);
  assert_int_equal(live.building_count, KILN_LIVE_MODULES);
  assert_int_equal(strlen(last_building), KILN_LIVE_NAME - 1);
  snprintf(line, sizeof line, "{\"t\":1,\"pid\":7,\"ev\":\"compile\",\"dur\":1,\"step\":\"native\",\"module\":\"0%s\"}",
      name);
  feed(&live, line);
  assert_int_equal(live.building_count, KILN_LIVE_MODULES - 1);
  assert_int_equal(live.builds_done, 0);
  kiln_live_release(&live);
}

static void
nobody_looks(void **state)
{
  struct kiln_measure_options options = {0};
  struct kiln_live live;
  unsigned before = calls;
  (void)state;
  kiln_live_init(&live, &options, 1, "cold", "/nowhere");
  kiln_live_tick(&live);
  kiln_live_end(&live, 1, 0);
  kiln_live_release(&live);
  assert_int_equal(calls, before);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(building_begins_and_ends),
      cmocka_unit_test(cached_is_not_built),
      cmocka_unit_test(hostile_events),
      cmocka_unit_test(nobody_looks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
