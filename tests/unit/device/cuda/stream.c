#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/cuda/graph.h"
#include "unit/device/cuda/fake.h"

static void
test_streams(void **state)
{
  struct fake *fake = *state;
  void *stream;
  bool captured = true;
  assert_int_equal(kiln_cuda_stream_is_captured(fake->cuda, NULL, &captured, NULL), KILN_OK);
  assert_false(captured); /* no context yet */
  assert_int_equal(kiln_cuda_stream_new(fake->cuda, &stream, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_stream_wait(fake->cuda, stream, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_stream_wait(fake->cuda, NULL, NULL), KILN_OK);
  kiln_cuda_stream_free(fake->cuda, stream);
  kiln_cuda_stream_free(fake->cuda, NULL);
  assert_int_equal(fake->calls("cuStreamDestroy"), 1);
}

static void
test_waiting_does_not_break_a_capture(void **state)
{
  struct fake *fake = *state;
  struct kiln_error error;
  void *stream, *graph;
  bool captured;
  assert_int_equal(kiln_cuda_stream_new(fake->cuda, &stream, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_capture_begin(fake->cuda, stream, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_stream_is_captured(fake->cuda, stream, &captured, NULL), KILN_OK);
  assert_true(captured);
  assert_int_equal(kiln_cuda_stream_wait(fake->cuda, stream, &error), KILN_ERROR_CAPTURE);
  assert_int_equal(fake->calls("cuStreamSynchronize"), 0);
  assert_int_equal(kiln_cuda_capture_end(fake->cuda, stream, &graph, NULL), KILN_OK);
  kiln_cuda_graph_free(fake->cuda, graph);
  kiln_cuda_stream_free(fake->cuda, stream);
}

/* The default stream, while one that is ordered with it is captured. */
static void
test_captured_by_implication(void **state)
{
  struct fake *fake = *state;
  bool captured = false;
  setenv("KILN_FAKE_FAIL", "cuStreamIsCapturing=906", 1);
  assert_int_equal(kiln_cuda_stream_is_captured(fake->cuda, NULL, &captured, NULL), KILN_OK);
  assert_true(captured);
  setenv("KILN_FAKE_FAIL", "cuStreamIsCapturing=400", 1);
  assert_int_equal(kiln_cuda_stream_is_captured(fake->cuda, NULL, &captured, NULL), KILN_ERROR_ARGUMENT);
  assert_false(captured);
}

static void
test_a_broken_capture(void **state)
{
  struct fake *fake = *state;
  struct kiln_error error;
  void *stream, *graph;
  assert_int_equal(kiln_cuda_stream_new(fake->cuda, &stream, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_capture_begin(fake->cuda, stream, NULL), KILN_OK);
  assert_int_equal(fake->cuda->call.context_synchronize(), KILN_CU_CAPTURE_UNSUPPORTED);
  assert_int_equal(kiln_cuda_capture_end(fake->cuda, stream, &graph, &error), KILN_ERROR_CAPTURE);
  assert_null(graph);
  kiln_cuda_stream_free(fake->cuda, stream);
}

static void
test_events(void **state)
{
  struct fake *fake = *state;
  void *from, *to;
  double ms = 0;
  assert_int_equal(kiln_cuda_event_new(fake->cuda, true, &from, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_event_new(fake->cuda, true, &to, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_event_record(fake->cuda, from, NULL, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_event_record(fake->cuda, to, NULL, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_event_wait(fake->cuda, to, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_event_wait_in(fake->cuda, to, NULL, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_event_elapsed(fake->cuda, from, to, &ms, NULL), KILN_OK);
  assert_true(ms > 0.4 && ms < 0.6);
  kiln_cuda_event_free(fake->cuda, from);
  kiln_cuda_event_free(fake->cuda, to);
  kiln_cuda_event_free(fake->cuda, NULL);
  assert_int_equal(fake->calls("cuEventDestroy"), 2);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {FAKE_TEST(test_streams), FAKE_TEST(test_waiting_does_not_break_a_capture),
      FAKE_TEST(test_captured_by_implication), FAKE_TEST(test_a_broken_capture), FAKE_TEST(test_events)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
