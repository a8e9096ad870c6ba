/* A call of an op: compiled once, right, refused with a sentence; another signature, another kernel or the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "kiln/device.h"
#include "kiln/op.h"
#include "op/call.h"
#include "os/thread.h"
#include "unit/jit/fixture.h"
#include "unit/op/tensors.h"

enum { OUT, INPUT, WEIGHT, EPS };

struct call {
  struct made_tensor out, input, weight;
  struct kiln_value values[4];
};

static void
call_make(struct call *call, enum kiln_dtype dtype, int64_t rows, int64_t columns)
{
  tensor_make(&call->out, dtype, 2, (int64_t[]){rows, columns});
  tensor_make(&call->input, dtype, 2, (int64_t[]){rows, columns});
  tensor_make(&call->weight, dtype, 1, (int64_t[]){columns});
  for (int64_t i = 0; i < rows * columns; i++)
    kiln_dtype_store(dtype, call->input.tensor.data, i, (double)(i % 7) - 3);
  for (int64_t i = 0; i < columns; i++)
    kiln_dtype_store(dtype, call->weight.tensor.data, i, 2);
  call->values[OUT] = value_tensor(&call->out);
  call->values[INPUT] = value_tensor(&call->input);
  call->values[WEIGHT] = value_tensor(&call->weight);
  call->values[EPS] = (struct kiln_value){0};
}

static void
call_free(struct call *call)
{
  free(call->out.tensor.data);
  free(call->input.tensor.data);
  free(call->weight.tensor.data);
}

static enum kiln_status
call_run(struct fixture *fixture, struct call *call)
{
  return kiln_op_call(fixture->kiln, kiln_op_find("rmsnorm"), NULL, call->values, 4, &fixture->error);
}

static void
assert_normalised(const struct call *call, enum kiln_dtype dtype, int64_t rows, int64_t columns, double tolerance)
{
  for (int64_t row = 0; row < rows; row++) {
    double squares = 0;
    for (int64_t i = 0; i < columns; i++)
      squares += pow((double)((row * columns + i) % 7) - 3, 2);
    const double scale = 1 / sqrt(squares / (double)columns + 1e-6);
    for (int64_t i = 0; i < columns; i++) {
      const double want = ((double)((row * columns + i) % 7) - 3) * scale * 2;
      assert_true(fabs(kiln_dtype_load(dtype, call->out.tensor.data, row * columns + i) - want) <= tolerance);
    }
  }
}

static void
test_right_in_every_dtype(void **state)
{
  static const struct {
    enum kiln_dtype dtype;
    double tolerance;
  } dtypes[] = {{KILN_DTYPE_F32, 1e-5}, {KILN_DTYPE_F16, 4e-3}, {KILN_DTYPE_BF16, 3e-2}};
  struct fixture *fixture = *state;
  for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
    struct call call;
    call_make(&call, dtypes[i].dtype, 3, 33);
    assert_int_equal(call_run(fixture, &call), KILN_OK);
    assert_normalised(&call, dtypes[i].dtype, 3, 33, dtypes[i].tolerance);
    call_free(&call);
  }
  assert_int_equal(fixture_compiles(fixture), 3);
}

/* The CPU kernel is compiled for a dtype, not for a size. */
static void
test_one_kernel_for_all_sizes(void **state)
{
  struct fixture *fixture = *state;
  for (int64_t rows = 0; rows < 5; rows++) {
    struct call call;
    call_make(&call, KILN_DTYPE_F32, rows, 17 + rows);
    assert_int_equal(call_run(fixture, &call), KILN_OK);
    assert_normalised(&call, KILN_DTYPE_F32, rows, 17 + rows, 1e-5);
    call_free(&call);
  }
  assert_int_equal(fixture_compiles(fixture), 1);
}

/* More signatures than the table holds are still right. */
static void
test_table_may_be_full(void **state)
{
  struct fixture *fixture = *state;
  struct call call;
  for (int64_t rows = 1; rows < 1200; rows++) {
    call_make(&call, KILN_DTYPE_F32, rows, 2);
    assert_int_equal(call_run(fixture, &call), KILN_OK);
    if (rows % 100 == 0)
      assert_normalised(&call, KILN_DTYPE_F32, rows, 2, 1e-5);
    call_free(&call);
  }
}

static void
test_refused_when_warm_too(void **state)
{
  struct fixture *fixture = *state;
  struct call call;
  call_make(&call, KILN_DTYPE_F32, 4, 8);
  for (int warm = 0; warm < 2; warm++) {
    call.values[EPS] = value_real(-1);
    assert_int_equal(call_run(fixture, &call), KILN_ERROR_ARGUMENT);
    assert_string_equal(fixture->error.what, "rmsnorm: eps is -1; expected 0 <= eps <= 1");
    void *data = call.input.tensor.data;
    call.input.tensor.data = (char *)call.out.tensor.data + 32;
    call.values[EPS] = value_real(0.5);
    assert_int_equal(call_run(fixture, &call), KILN_ERROR_ARGUMENT);
    assert_string_equal(
        fixture->error.what, "rmsnorm: out overlaps input by 96 bytes; the op writes out while it uses input");
    call.input.tensor.data = NULL;
    assert_int_equal(call_run(fixture, &call), KILN_ERROR_ARGUMENT);
    assert_string_equal(fixture->error.what, "rmsnorm: input has a null data pointer but 128 bytes");
    call.input.tensor.data = data;
    assert_int_equal(call_run(fixture, &call), KILN_OK);
  }
  call_free(&call);
}

static void
test_in_place(void **state)
{
  struct fixture *fixture = *state;
  struct call call;
  call_make(&call, KILN_DTYPE_F32, 2, 8);
  call.values[OUT] = call.values[INPUT];
  assert_int_equal(call_run(fixture, &call), KILN_OK);
  memcpy(call.out.tensor.data, call.input.tensor.data, 2 * 8 * 4);
  assert_normalised(&call, KILN_DTYPE_F32, 2, 8, 1e-5);
  call_free(&call);
}

/* Prepared means that the call itself compiles nothing. */
static void
test_prepare(void **state)
{
  struct fixture *fixture = *state;
  struct call call;
  call_make(&call, KILN_DTYPE_F32, 2, 8);
  assert_int_equal(
      kiln_op_prepare_call(fixture->kiln, kiln_op_find("rmsnorm"), NULL, call.values, 4, &fixture->error), KILN_OK);
  assert_int_equal(fixture_compiles(fixture), 1);
  assert_true(kiln_dtype_load(KILN_DTYPE_F32, call.out.tensor.data, 0) == 0);
  assert_int_equal(call_run(fixture, &call), KILN_OK);
  assert_int_equal(fixture_compiles(fixture), 1);
  assert_normalised(&call, KILN_DTYPE_F32, 2, 8, 1e-5);
  call_free(&call);
}

static void
test_no_such_device(void **state)
{
  struct fixture *fixture = *state;
  struct call call;
  call_make(&call, KILN_DTYPE_F32, 2, 8);
  call.out.tensor.device.type = 8;
  assert_int_equal(call_run(fixture, &call), KILN_ERROR_ARGUMENT);
  assert_string_equal(fixture->error.what, "nothing runs on device 8:0");
  call_free(&call);
}

static void
test_no_sources(void **state)
{
  struct fixture *fixture = *state;
  struct call call;
  fixture->options.kernels = "/no/such/kernels";
  fixture_open(fixture);
  call_make(&call, KILN_DTYPE_F32, 2, 8);
  assert_int_equal(call_run(fixture, &call), KILN_ERROR_NOT_FOUND);
  assert_string_equal(fixture->error.what, "'/no/such/kernels' (option) is no folder with kernels");
  fixture->options.kernels = "embedded";
  fixture_open(fixture);
  assert_int_equal(call_run(fixture, &call), KILN_OK);
  assert_normalised(&call, KILN_DTYPE_F32, 2, 8, 1e-5);
  call_free(&call);
}

/* Tensors on another GPU than the current one: its kernel, its context, and the thread is left as it was. */
static void
test_device_of_the_tensors(void **state)
{
  struct fixture *fixture = *state;
  const struct kiln_op_request request = {kiln_op_find("rmsnorm"), NULL, NULL, 4, true};
  struct kiln_op_request with = request;
  const struct kiln_signature *signature;
  static struct kiln_signature scratch;
  struct kiln_ops *ops;
  struct call call;
  int current = -1;
  setenv("KILN_FAKE_DEVICES", "9.0,8.0", 1);
  fixture->options.driver = KILN_BINARY_DIR "/tests/fake/libcuda.so";
  fixture_open(fixture);
  call_make(&call, KILN_DTYPE_F16, 2, 64);
  call.out.tensor.device = call.input.tensor.device = call.weight.tensor.device =
      (struct kiln_tensor_device){KILN_DEVICE_CUDA, 1};
  with.values = call.values;
  assert_int_equal(kiln_device_use(fixture->kiln, 0, &fixture->error), KILN_OK);
  assert_int_equal(kiln_ops_of(fixture->kiln, &ops, NULL), KILN_OK);
  const enum kiln_status status = kiln_op_resolve(ops, &with, &scratch, &signature, NULL, &fixture->error);
  if (status == KILN_OK) {
    assert_string_equal(signature->kernel->uri, "rmsnorm.vec@sm80_T.float16_h64");
    assert_int_equal(call_run(fixture, &call), KILN_OK);
  } else
    printf("not compiled for a GPU here: %s\n", fixture->error.what);
  assert_int_equal(kiln_device_current(fixture->kiln, &current, NULL), KILN_OK);
  assert_int_equal(current, 0);
  call_free(&call);
}

/* ---- threads ---- */

struct worker {
  struct fixture *fixture;
  int64_t first;
  bool good;
};

/* Each with its own tensors; signatures and kernels are shared. */
static void *
work(void *context)
{
  struct worker *worker = context;
  worker->good = true;
  for (int64_t i = 0; i < 200; i++) {
    struct kiln_error error = {0};
    struct call call;
    call_make(&call, i % 2 ? KILN_DTYPE_F32 : KILN_DTYPE_BF16, 1 + (worker->first + i) % 40, 9);
    worker->good = worker->good && kiln_op_call(worker->fixture->kiln, kiln_op_find("rmsnorm"), NULL, call.values, 4,
                                       &error) == KILN_OK;
    worker->good = worker->good && kiln_dtype_load(KILN_DTYPE_BF16, call.out.tensor.data, 1) != 0;
    call_free(&call);
  }
  return NULL;
}

static void
test_threads(void **state)
{
  struct kiln_thread threads[6];
  struct worker workers[6];
  for (int i = 0; i < 6; i++) {
    workers[i] = (struct worker){*state, i * 7, false};
    assert_true(kiln_thread_start(&threads[i], work, &workers[i]));
  }
  for (int i = 0; i < 6; i++)
    kiln_thread_join(&threads[i]);
  for (int i = 0; i < 6; i++)
    assert_true(workers[i].good);
  assert_int_equal(fixture_compiles(*state), 2);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_right_in_every_dtype, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_one_kernel_for_all_sizes, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_table_may_be_full, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_refused_when_warm_too, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_in_place, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_prepare, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_no_such_device, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_no_sources, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_device_of_the_tensors, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_threads, fixture_set_up, fixture_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
