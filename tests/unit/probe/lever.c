/* Every lever: what speaks for it in a run, what it writes, and that it says what it must. */
#include "unit/probe/made.h"

#include "base/json_read.h"
#include "probe/levers/facts.h"
#include "probe/levers/list.h"
#include "registry/probe.h"

struct fixture {
  struct kiln_report *report;
  struct kiln_lever_view view;
  struct kiln_buf reason, object;
};

static int
setup(void **state)
{
  struct fixture *fixture = calloc(1, sizeof *fixture);
  assert_non_null(fixture);
  fixture->report = made_report(1);
  kiln_report_summarise(fixture->report);
  fixture->view = (struct kiln_lever_view){.report = fixture->report,
      .cold = made_cold(fixture->report, 0),
      .warm = made_warm(fixture->report, 0),
      .cores = 4};
  kiln_buf_init(&fixture->reason);
  kiln_buf_init(&fixture->object);
  *state = fixture;
  return 0;
}

static int
teardown(void **state)
{
  struct fixture *fixture = *state;
  kiln_report_free(fixture->report);
  kiln_buf_release(&fixture->reason);
  kiln_buf_release(&fixture->object);
  free(fixture);
  return 0;
}

static void
answers(struct fixture *fixture, const struct kiln_lever *lever, enum kiln_lever_answer expected, const char *part)
{
  kiln_buf_clear(&fixture->reason);
  assert_int_equal(lever->supports(&fixture->view, &fixture->reason), expected);
  if (!strstr(kiln_buf_text(&fixture->reason), part))
    print_message("said: %s\n", kiln_buf_text(&fixture->reason));
  assert_non_null(strstr(kiln_buf_text(&fixture->reason), part));
}

static const char *
written(struct fixture *fixture, const struct kiln_lever *lever)
{
  struct kiln_json json;
  kiln_buf_clear(&fixture->object);
  kiln_json_init(&json, &fixture->object, false);
  lever->make(&fixture->view, &json);
  return kiln_buf_text(&fixture->object);
}

/* A build of 1 s, interned as a reader does; the header took a quarter of it. */
static struct kiln_model_build *
build(struct fixture *fixture, const char *module, const char *identity, const char *options)
{
  struct kiln_model *model = made_cold(fixture->report, 0);
  const char *name = kiln_intern_text(&model->intern, module), *hash = kiln_intern_text(&model->intern, identity);
  made_hash(model, name, hash, 1, 0, "k=1", options);
  return made_build(model, name, hash, 1, 0, 1000);
}

static void
every_lever_says_what_it_must(void **state)
{
  (void)state;
  for (size_t i = 0; i < kiln_registered_lever_count; i++) {
    const struct kiln_lever *lever = kiln_registered_levers[i];
    assert_ptr_equal(kiln_lever_find(lever->id), lever);
    assert_true(lever->title && lever->removes && lever->undo && lever->mechanisms && lever->supports && lever->make);
    assert_int_equal(lever->removes[strlen(lever->removes) - 1], '.');
    assert_int_equal(lever->undo[strlen(lever->undo) - 1], '.');
  }
  assert_null(kiln_lever_find("enable_back"));
  assert_null(kiln_lever_find("="));
  assert_ptr_equal(kiln_lever_find("pch=off"), &kiln_lever_pch);
}

/* Whatever the run, each answers with a reason and writes one object of a lever file. */
static void
every_lever_writes_an_object(void **state)
{
  struct fixture *fixture = *state;
  for (int filled = 0; filled < 2; filled++) {
    for (size_t i = 0; i < kiln_registered_lever_count; i++) {
      const struct kiln_lever *lever = kiln_registered_levers[i];
      struct cJSON *tree;
      answers(fixture, lever, lever->supports(&fixture->view, &fixture->reason), ".");
      written(fixture, lever);
      assert_int_equal(
          kiln_json_parse(kiln_buf_text(&fixture->object), fixture->object.len, NULL, &tree, NULL), KILN_OK);
      assert_non_null(kiln_json_get_string(tree, "id", NULL));
      kiln_json_free(tree);
    }
    build(fixture, "sim", "aa", "enable_backward=True");
  }
}

static void
nothing_built_is_nothing_to_gain(void **state)
{
  struct fixture *fixture = *state;
  for (size_t i = 0; i < kiln_registered_lever_count; i++)
    answers(fixture, kiln_registered_levers[i], KILN_LEVER_POINTLESS, "");
}

static void
backward_code(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_model *model = made_cold(fixture->report, 0);
  struct kiln_model_build *without = build(fixture, "other", "bb", "enable_backward=False");
  assert_false(kiln_lever_enable_backward.meant(&fixture->view, without));
  answers(fixture, &kiln_lever_enable_backward, KILN_LEVER_POINTLESS, "None of the 1 builds");
  assert_true(kiln_lever_enable_backward.meant(&fixture->view, build(fixture, "sim", "aa", "enable_backward=True")));
  answers(fixture, &kiln_lever_enable_backward, KILN_LEVER_SUPPORTED, "1 of 2 builds have backward code");
  assert_string_equal(written(fixture, &kiln_lever_enable_backward), "{\"id\":\"enable_backward\",\"value\":false}");
  model->tape_backward = 3;
  answers(fixture, &kiln_lever_enable_backward, KILN_LEVER_UNSAFE, "passes in a run: 3");
  model->tape_backward = 0;
  made_launch(model, "k", 1, 4, 2);
  model->launches[0].direction = "backward";
  answers(fixture, &kiln_lever_enable_backward, KILN_LEVER_UNSAFE, "launched backward: 2");
}

static void
headers(void **state)
{
  struct fixture *fixture = *state;
  build(fixture, "sim", "aa", "use_precompiled_headers=True")->pch.wall_ns = 250 * MS;
  answers(fixture, &kiln_lever_pch, KILN_LEVER_SUPPORTED, "headers made: 1, for 1 builds, in 0.25 s");
  assert_string_equal(written(fixture, &kiln_lever_pch), "{\"id\":\"pch\",\"value\":false}");
  fixture->view.value = "on";
  assert_string_equal(written(fixture, &kiln_lever_pch), "{\"id\":\"pch\",\"value\":true}");
  answers(fixture, &kiln_lever_shared_pch, KILN_LEVER_SUPPORTED, "every start makes it again");
  fixture->view.folder = "/kept";
  assert_string_equal(written(fixture, &kiln_lever_shared_pch), "{\"id\":\"shared_pch\",\"folder\":\"/kept\"}");
  fixture->report->framework = "warp 1.12.1";
  answers(fixture, &kiln_lever_shared_pch, KILN_LEVER_POINTLESS, "This version");
}

static void
building_ahead(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_model *model = made_cold(fixture->report, 0);
  build(fixture, "sim", "aa", "a=1")->pch.wall_ns = 250 * MS;
  build(fixture, "other", "bb", "a=1");
  build(fixture, "other", "bb", "a=1"); /* again: one identity */
  made_declaration(model, model->builds[0].module, "k", 1, 0, false, 7);
  answers(fixture, &kiln_lever_prebuild, KILN_LEVER_SUPPORTED, "takes 2.00 s (builds: 2), the largest (other)");
  answers(fixture, &kiln_lever_prebuild, KILN_LEVER_SUPPORTED, "at best 1.25 s instead of 3.00 s on 4 cores");
  assert_non_null(strstr(written(fixture, &kiln_lever_prebuild), "\"how\":\"processes\""));
  assert_non_null(strstr(kiln_buf_text(&fixture->object), "{\"name\":\"sim\",\"file\":\"/home/somebody/app.py\","
                                                          "\"device\":\"cpu\",\"block_dim\":1,\"identity\":\"aa\","
                                                          "\"kernels\":[\"k\"],\"cost_ms\":1000}"));
  fixture->view.cores = 1;
  answers(fixture, &kiln_lever_prebuild, KILN_LEVER_POINTLESS, "1 cores");
}

/* Several loads at once on the CPU give wrong results until 1.16, mixed lists of devices included. */
static void
building_by_threads(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_model_build *first;
  build(fixture, "sim", "aa", "a=1");
  build(fixture, "other", "bb", "a=1")->device = "cuda:0";
  answers(fixture, &kiln_lever_prebuild_threads, KILN_LEVER_POINTLESS, "one at a time");
  fixture->report->framework = "warp 1.16.0";
  answers(fixture, &kiln_lever_prebuild_threads, KILN_LEVER_UNSAFE, "wrong results");
  first = &made_cold(fixture->report, 0)->builds[0];
  first->device = "cuda:0";
  answers(fixture, &kiln_lever_prebuild_threads, KILN_LEVER_SUPPORTED, "2.0 times faster");
}

static void
kept_caches(void **state)
{
  struct fixture *fixture = *state;
  build(fixture, "sim", "aa", "a=1");
  answers(fixture, &kiln_lever_persistent_cache, KILN_LEVER_POINTLESS, "already finds all builds");
  fixture->view.production = true;
  answers(fixture, &kiln_lever_readonly_cache, KILN_LEVER_SUPPORTED, "already finds all builds");
  fixture->view.production = false;
  made_warm(fixture->report, 0)->counts.builds = 1;
  made_cache(made_cold(fixture->report, 0), "clear", "/c", NULL, 5);
  answers(fixture, &kiln_lever_persistent_cache, KILN_LEVER_SUPPORTED, "because the program moves, clears");
}

static void
add_link(struct fixture *fixture, const char *symbol, uint64_t wall_ms, const char *call)
{
  struct kiln_model *model = made_cold(fixture->report, 0);
  assert_true(KILN_GROW(model->links, model->link_count, model->link_capacity));
  model->links[model->link_count++] = (struct kiln_model_link){
      .symbol = symbol, .module = "sim", .call = call, .wall_ns = wall_ms * MS, .result = KILN_BUILD_COMPILED};
}

static void
link_time_objects(void **state)
{
  struct fixture *fixture = *state;
  build(fixture, "sim", "aa", "a=1");
  answers(fixture, &kiln_lever_lto_ahead, KILN_LEVER_POINTLESS, "No link-time object");
  add_link(fixture, "dot_8", 2000, "{\"symbol\":\"dot_8\",\"arguments\":{\"M\":64}}");
  add_link(fixture, "dot_8", 2000, "{\"symbol\":\"dot_8\",\"arguments\":{\"M\":64}}"); /* by another process */
  add_link(fixture, "fft_8", 500, NULL);
  answers(fixture, &kiln_lever_lto_ahead, KILN_LEVER_SUPPORTED, "2 in 2.50 s, the largest 2.00 s; of 1");
  assert_string_equal(written(fixture, &kiln_lever_lto_ahead),
      "{\"id\":\"lto_ahead\",\"calls\":[{\"symbol\":\"dot_8\",\"arguments\":{\"M\":64}}]}");
  fixture->view.cores = 1;
  answers(fixture, &kiln_lever_lto_ahead, KILN_LEVER_POINTLESS, "one core");
}

/* Each option is for its own operations: the others have nothing to gain, and modules without them are not meant. */
static void
mathdx(void **state)
{
  struct fixture *fixture = *state;
  const struct kiln_model_build *other;
  build(fixture, "sim", "aa", "a=1");
  build(fixture, "plain", "bb", "a=1");
  add_link(fixture, "dot_8", 2000, NULL);
  answers(fixture, &kiln_lever_mathdx_gemm, KILN_LEVER_SUPPORTED, "tile products built: 1 in 2.00 s");
  answers(fixture, &kiln_lever_mathdx_fft, KILN_LEVER_POINTLESS, "No link-time object of tile Fourier transforms");
  answers(fixture, &kiln_lever_mathdx_solver, KILN_LEVER_POINTLESS, "No link-time object of tile solvers");
  other = &made_cold(fixture->report, 0)->builds[1];
  assert_true(kiln_lever_mathdx_gemm.meant(&fixture->view, other - 1));
  assert_false(kiln_lever_mathdx_gemm.meant(&fixture->view, other));
  assert_false(kiln_lever_mathdx_solver.meant(&fixture->view, other - 1));
  add_link(fixture, "potrf_8", 500, NULL);
  add_link(fixture, "fft_8", 250, NULL);
  answers(fixture, &kiln_lever_mathdx_solver, KILN_LEVER_SUPPORTED, "tile solvers built: 1 in 0.50 s");
  answers(fixture, &kiln_lever_mathdx_fft, KILN_LEVER_SUPPORTED, "built: 1 in 0.25 s");
  assert_true(kiln_lever_mathdx_solver.meant(&fixture->view, other - 1));
  assert_non_null(strstr(kiln_lever_mathdx_fft.removes, "powers of two"));
}

/* What is optimised no more than that already has nothing to gain, and its identity would not move. */
static void
levels(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_model_build *builds;
  build(fixture, "set", "aa", "optimization_level=1")->native.wall_ns = 900 * MS;
  answers(fixture, &kiln_lever_optimization_level, KILN_LEVER_POINTLESS, "level 1 already");
  build(fixture, "cpu", "bb", "optimization_level=None")->native.wall_ns = 900 * MS;
  answers(fixture, &kiln_lever_optimization_level, KILN_LEVER_SUPPORTED, "0.90 s of the 2.00 s");
  builds = made_cold(fixture->report, 0)->builds;
  assert_false(kiln_lever_optimization_level.meant(&fixture->view, &builds[0]));
  assert_true(kiln_lever_optimization_level.meant(&fixture->view, &builds[1]));
  fixture->view.value = "2"; /* the CPU's own */
  answers(fixture, &kiln_lever_optimization_level, KILN_LEVER_POINTLESS, "level 2 already");
  builds[1].device = "cuda:0"; /* a GPU's is 3 */
  answers(fixture, &kiln_lever_optimization_level, KILN_LEVER_SUPPORTED, "0.90 s of the 2.00 s");
  fixture->view.value = "0";
  assert_true(kiln_lever_optimization_level.meant(&fixture->view, &builds[0]));
}

/* Where the lines belong: fast_math is no setting of the whole program. */
static void
places(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_model *model = made_cold(fixture->report, 0);
  struct kiln_buf where;
  kiln_buf_init(&where);
  build(fixture, "sim", "aa", "a=1");
  build(fixture, "flow", "bb", "a=1");
  made_declaration(model, "warp.utils", "k", 1, 0, false, 7)->where.file = "/opt/warp/utils.py";
  made_declaration(model, "sim", "k", 1, 0, false, 7);
  made_declaration(model, "sim", "l", 1, 0, false, 9);
  made_declaration(model, "flow", "m", 1, 0, false, 1)->where.file = "/home/somebody/flow.py";
  kiln_lever_files(&fixture->view, &where);
  assert_string_equal(
      kiln_buf_text(&where), "in each file that declares kernels, before its first launch: 'app.py', 'flow.py'");
  assert_true(kiln_lever_fast_math.flags & KILN_LEVER_IN_FILES);
  kiln_buf_release(&where);
}

static void
kernels(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_model_build *only = build(fixture, "sim", "aa", "a=1");
  only->source_bytes = 199999;
  answers(fixture, &kiln_lever_max_unroll, KILN_LEVER_POINTLESS, "200.0 KB (sim)");
  only->source_bytes = 200000;
  answers(fixture, &kiln_lever_max_unroll, KILN_LEVER_SUPPORTED, "200.0 KB (sim)");
  only->native.wall_ns = 299 * MS;
  answers(fixture, &kiln_lever_optimization_level, KILN_LEVER_POINTLESS, "0.30 s of the 1.00 s");
  only->native.wall_ns = 300 * MS;
  answers(fixture, &kiln_lever_optimization_level, KILN_LEVER_SUPPORTED, "0.30 s of the 1.00 s");
  fixture->view.value = "0";
  assert_string_equal(written(fixture, &kiln_lever_optimization_level), "{\"id\":\"optimization_level\",\"value\":0}");
  assert_false(kiln_lever_optimization_level.accepts("4"));
  assert_false(kiln_lever_max_unroll.accepts("-1"));
  assert_true(kiln_lever_fast_math.flags & KILN_LEVER_KERNELS);
}

static void
lever_files(void **state)
{
  struct fixture *fixture = *state;
  const char *good[] = {"{\"id\":\"pch\",\"value\":false}"}, *bad[] = {"[1]"};
  struct kiln_error error = {0};
  assert_int_equal(kiln_lever_file(good, 1, &fixture->object, &error), KILN_OK);
  assert_non_null(strstr(kiln_buf_text(&fixture->object), "\"schema\": \"kiln-levers-1\""));
  assert_int_equal(kiln_lever_file(bad, 1, &fixture->object, &error), KILN_ERROR_FORMAT);
  assert_non_null(strstr(error.what, "[1]"));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_lever_says_what_it_must),
      TEST(every_lever_writes_an_object),
      TEST(nothing_built_is_nothing_to_gain),
      TEST(backward_code),
      TEST(headers),
      TEST(building_ahead),
      TEST(building_by_threads),
      TEST(kept_caches),
      TEST(link_time_objects),
      TEST(mathdx),
      TEST(levels),
      TEST(places),
      TEST(kernels),
      TEST(lever_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
