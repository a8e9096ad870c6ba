#include "probe/report/processes.h"
#include "unit/probe/made.h"

static void
add_process(struct kiln_model *model, int pid, uint64_t start_ms, const char *python)
{
  assert_true(KILN_GROW(model->processes, model->process_count, model->process_capacity));
  model->processes[model->process_count++] =
      (struct kiln_model_process){.pid = pid, .start_ns = start_ms * MS, .python = python};
}

static void
add_launches(struct kiln_model *model, int pid, uint64_t count)
{
  assert_true(KILN_GROW(model->launches, model->launch_count, model->launch_capacity));
  model->launches[model->launch_count++] = (struct kiln_model_launch){.pid = pid, .count = count};
}

/* Process 5 was a shell that became an interpreter; 9 is another one, listed first. */
static void
work_belongs_to_the_image_that_ran(void **state)
{
  (void)state;
  struct kiln_model *model = kiln_model_new();
  add_process(model, 9, 50, "3.11");
  add_process(model, 5, 10, NULL);
  add_process(model, 5, 20, "3.11");
  made_build(model, "m", "a", 5, 30, 5);
  made_build(model, "m", "b", 9, 60, 5);
  made_build(model, "m", "c", 9, 70, 5)->result = KILN_BUILD_FAILED;
  made_build(model, "m", "d", 4, 70, 5); /* of a process that was not seen */
  add_launches(model, 5, 7);
  add_launches(model, 5, 3);
  add_launches(model, 9, 1);
  struct kiln_process_work *work = kiln_processes_work(model);
  assert_non_null(work);
  assert_int_equal(work[0].builds, 1);
  assert_int_equal(work[0].launches, 1);
  assert_int_equal(work[1].builds, 0);
  assert_int_equal(work[1].launches, 0);
  assert_int_equal(work[2].builds, 1);
  assert_int_equal(work[2].launches, 10);
  free(work);
  kiln_model_free(model);
}

static void
no_process_no_work(void **state)
{
  (void)state;
  struct kiln_model *model = kiln_model_new();
  assert_null(kiln_processes_work(model));
  kiln_model_free(model);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(work_belongs_to_the_image_that_ran),
      cmocka_unit_test(no_process_no_work),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
