/* Toolkits on made-up disks: which one is used, and what is said when none can be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "jit/toolkit.h"
#include "os/file.h"

/* A root folder for one test; "…" in expected texts stands for it. */
struct disk {
  struct kiln_buf root, path, other, shown, cuda, home, env;
  struct kiln_toolkit_search search;
};

static int
set_up(void **state)
{
  struct disk *disk = test_calloc(1, sizeof *disk);
  struct kiln_buf made = {0};
  assert_int_equal(kiln_folder_make_private(kiln_folder_temporary(), "kiln-toolkit-", &made, NULL), KILN_OK);
  char *real = realpath(kiln_buf_text(&made), NULL);
  kiln_buf_text_append(&disk->root, real);
  free(real);
  kiln_buf_release(&made);
  disk->search = (struct kiln_toolkit_search){.root = disk->root.data, .path = ""};
  *state = disk;
  return 0;
}

static int
tear_down(void **state)
{
  struct disk *disk = *state;
  struct kiln_buf *const texts[] = {
      &disk->root, &disk->path, &disk->other, &disk->shown, &disk->cuda, &disk->home, &disk->env};
  kiln_folder_remove(disk->root.data, NULL);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    kiln_buf_release(texts[i]);
  test_free(disk);
  return 0;
}

static const char *
at(struct disk *disk, struct kiln_buf *buf, const char *relative)
{
  kiln_buf_clear(buf);
  kiln_buf_printf(buf, "%s%s%s", disk->root.data, *relative ? "/" : "", relative);
  return kiln_buf_text(buf);
}

static void
write_text(struct disk *disk, const char *relative, const char *text, bool program)
{
  const char *path = at(disk, &disk->path, relative);
  struct kiln_buf folder = {0};
  kiln_buf_append(&folder, path, (size_t)(kiln_text_base_name(path) - path));
  assert_int_equal(kiln_folder_make(kiln_buf_text(&folder), NULL), KILN_OK);
  assert_int_equal(kiln_file_write(path, text, strlen(text), NULL), KILN_OK);
  assert_int_equal(chmod(path, program ? 0755 : 0644), 0);
  kiln_buf_release(&folder);
}

static void
put(struct disk *disk, const char *folder, const char *file, const char *text, bool program)
{
  struct kiln_buf relative = {0};
  write_text(disk, kiln_text_join(&relative, folder, file), text, program);
  kiln_buf_release(&relative);
}

static void
put_headers(struct disk *disk, const char *folder, unsigned number)
{
  char text[80];
  snprintf(text, sizeof text, "// a header\n#define CUDART_VERSION  %u\n", number);
  put(disk, folder, "cuda_runtime.h", "", false);
  put(disk, folder, "cuda_runtime_api.h", text, false);
}

/* All of nvcc, and headers of a version such as 13000. */
static void
put_nvcc(struct disk *disk, const char *folder, unsigned number)
{
  struct kiln_buf include = {0};
  put(disk, folder, "bin/nvcc", "#!/bin/sh\n", true);
  put(disk, folder, "bin/ptxas", "#!/bin/sh\n", true);
  put(disk, folder, "nvvm/bin/cicc", "#!/bin/sh\n", true);
  put_headers(disk, kiln_text_join(&include, folder, "include"), number);
  kiln_buf_release(&include);
}

static void
link_to(struct disk *disk, const char *target, const char *relative)
{
  assert_int_equal(symlink(target, at(disk, &disk->path, relative)), 0);
}

/* A text with the disk's root as "…". */
static const char *
shown(struct disk *disk, const char *text)
{
  kiln_buf_clear(&disk->shown);
  for (const char *hit = strstr(text, disk->root.data); hit; hit = strstr(text, disk->root.data)) {
    kiln_buf_append(&disk->shown, text, (size_t)(hit - text));
    kiln_buf_text_append(&disk->shown, "…");
    text = hit + disk->root.len;
  }
  kiln_buf_text_append(&disk->shown, text);
  return kiln_buf_text(&disk->shown);
}

static void
expect(struct disk *disk, enum kiln_toolkit_part part, const char *wanted, const char *folder, const char *source)
{
  struct kiln_toolkit toolkit;
  struct kiln_arch_list archs = {.count = 0};
  struct kiln_error error = {0};
  kiln_toolkit_init(&toolkit);
  if (wanted)
    assert_int_equal(kiln_arch_list_parse(&archs, wanted, NULL), KILN_OK);
  const enum kiln_status status = kiln_toolkit_find(&disk->search, part, &archs, &toolkit, &error);
  assert_string_equal(error.what, "");
  assert_int_equal(status, KILN_OK);
  assert_string_equal(shown(disk, kiln_buf_text(&toolkit.folder)), folder);
  assert_string_equal(kiln_buf_text(&toolkit.source), source);
  kiln_toolkit_release(&toolkit);
}

static void
expect_error(
    struct disk *disk, enum kiln_toolkit_part part, const char *wanted, enum kiln_status status, const char *what)
{
  struct kiln_toolkit toolkit;
  struct kiln_arch_list archs = {.count = 0};
  struct kiln_error error = {0};
  kiln_toolkit_init(&toolkit);
  if (wanted)
    assert_int_equal(kiln_arch_list_parse(&archs, wanted, NULL), KILN_OK);
  assert_int_equal(kiln_toolkit_find(&disk->search, part, &archs, &toolkit, &error), status);
  assert_string_equal(shown(disk, error.what), what);
  assert_true(error.remedy[0] != '\0');
  assert_int_equal(error.status, status);
  kiln_toolkit_release(&toolkit);
}

/* ---- nvcc ---- */

static void
test_old_first_in_path(void **state)
{
  struct disk *disk = *state;
  put_nvcc(disk, "usr/old", 11050);
  put_nvcc(disk, "usr/local/cuda-13.0", 13000);
  at(disk, &disk->env, "usr/old/bin");
  disk->search.path = kiln_buf_text(&disk->env);
  expect(disk, KILN_TOOLKIT_NVCC, NULL, "…/usr/local/cuda-13.0", "/usr/local");
  expect(disk, KILN_TOOLKIT_NVCC, "9.0a", "…/usr/local/cuda-13.0", "/usr/local");
}

static void
test_only_an_old_one(void **state)
{
  struct disk *disk = *state;
  put_nvcc(disk, "usr/old", 11050);
  at(disk, &disk->env, "usr/old/bin");
  disk->search.path = kiln_buf_text(&disk->env);
  expect(disk, KILN_TOOLKIT_NVCC, "8.0", "…/usr/old", "PATH");
  expect_error(disk, KILN_TOOLKIT_NVCC, "8.0 9.0a", KILN_ERROR_NOT_FOUND,
      "nvcc 11.5 in '…/usr/old' does not compile for sm_90a, which needs CUDA 12.0 or newer");
}

/* The newest is not always the right one. */
static void
test_newest_that_knows_it(void **state)
{
  struct disk *disk = *state;
  put_nvcc(disk, "usr/local/cuda-12.9", 12090);
  put_nvcc(disk, "usr/local/cuda-13.0", 13000);
  put_nvcc(disk, "usr/local/cuda-12.4", 12040);
  expect(disk, KILN_TOOLKIT_NVCC, "12.0", "…/usr/local/cuda-13.0", "/usr/local");
  expect(disk, KILN_TOOLKIT_NVCC, "7.0", "…/usr/local/cuda-12.9", "/usr/local");
  expect_error(disk, KILN_TOOLKIT_NVCC, "7.0 8.8", KILN_ERROR_NOT_FOUND,
      "nvcc 13.0 in '…/usr/local/cuda-13.0' does not compile for sm_70, which needs CUDA 12.9 or older");
  expect(disk, KILN_TOOLKIT_NVCC, "14.0", "…/usr/local/cuda-13.0", "/usr/local"); /* the compiler will say */
}

/* The first toolkit that has it, and the last. */
static void
test_borders(void **state)
{
  struct disk *disk = *state;
  put_nvcc(disk, "usr/local/cuda-12.0", 12000);
  expect(disk, KILN_TOOLKIT_NVCC, "9.0a", "…/usr/local/cuda-12.0", "/usr/local");
  expect_error(disk, KILN_TOOLKIT_NVCC, "10.0", KILN_ERROR_NOT_FOUND,
      "nvcc 12.0 in '…/usr/local/cuda-12.0' does not compile for sm_100, which needs CUDA 12.8 or newer");
  put_nvcc(disk, "usr/local/cuda-12.9", 12090);
  expect(disk, KILN_TOOLKIT_NVCC, "7.0 12.0f", "…/usr/local/cuda-12.9", "/usr/local");
}

static void
test_spaces_and_links(void **state)
{
  struct disk *disk = *state;
  put_nvcc(disk, "usr/local/cuda 13", 13000);
  link_to(disk, "cuda 13", "usr/local/cuda");
  expect(disk, KILN_TOOLKIT_NVCC, NULL, "…/usr/local/cuda 13", "/usr/local");
  at(disk, &disk->cuda, "usr/local/cuda");
  disk->search.cuda = kiln_buf_text(&disk->cuda);
  expect(disk, KILN_TOOLKIT_NVCC, NULL, "…/usr/local/cuda 13", "KILN_CUDA");
}

/* A link in PATH that leads into a toolkit, and one that leads to something else called nvcc. */
static void
test_links_in_path(void **state)
{
  struct disk *disk = *state;
  put_nvcc(disk, "apps/toolkit", 12080);
  put(disk, "apps", "wrapper", "#!/bin/sh\n", true);
  put(disk, "links", "keep", "", false);
  put(disk, "more", "keep", "", false);
  link_to(disk, "../apps/wrapper", "more/nvcc");
  link_to(disk, "../apps/toolkit/bin/nvcc", "links/nvcc");
  kiln_buf_printf(&disk->env, "relative::%s/more:%s/links", disk->root.data, disk->root.data);
  disk->search.path = kiln_buf_text(&disk->env);
  expect(disk, KILN_TOOLKIT_NVCC, "9.0a", "…/apps/toolkit", "PATH");
}

static void
test_named(void **state)
{
  struct disk *disk = *state;
  put_nvcc(disk, "usr/local/cuda-13.0", 13000);
  put_nvcc(disk, "mine", 12040);
  at(disk, &disk->home, "mine");
  disk->search.cuda_home = kiln_buf_text(&disk->home);
  expect(disk, KILN_TOOLKIT_NVCC, NULL, "…/mine", "CUDA_HOME"); /* older, but named */
  expect_error(disk, KILN_TOOLKIT_NVCC, "12.0f", KILN_ERROR_NOT_FOUND,
      "nvcc 12.4 in '…/mine' does not compile for sm_120f, which needs CUDA 12.9 or newer");
  disk->search.cuda_path = disk->search.cuda_home;
  disk->search.cuda_home = disk->root.data; /* nothing there */
  expect(disk, KILN_TOOLKIT_NVCC, NULL, "…/mine", "CUDA_PATH");
  disk->search.cuda_path = NULL;
  expect(disk, KILN_TOOLKIT_NVCC, NULL, "…/usr/local/cuda-13.0", "/usr/local");
}

static void
test_option(void **state)
{
  struct disk *disk = *state;
  put_nvcc(disk, "usr/local/cuda-13.0", 13000);
  at(disk, &disk->cuda, "nowhere");
  disk->search.cuda = kiln_buf_text(&disk->cuda);
  expect_error(disk, KILN_TOOLKIT_NVCC, NULL, KILN_ERROR_NOT_FOUND,
      "no CUDA toolkit with nvcc: KILN_CUDA '…/nowhere' does not exist");
  disk->search.cuda = "none";
  expect_error(disk, KILN_TOOLKIT_NVCC, NULL, KILN_ERROR_NOT_FOUND, "no CUDA toolkit: KILN_CUDA is 'none'");
  disk->search.cuda = "cuda-13.0";
  expect_error(
      disk, KILN_TOOLKIT_NVCC, NULL, KILN_ERROR_ARGUMENT, "option cuda is 'cuda-13.0', which is not an absolute path");
}

static void
test_incomplete(void **state)
{
  struct disk *disk = *state;
  const char *folder = at(disk, &disk->cuda, "kit");
  disk->search.cuda = folder;
  put(disk, "kit", "bin/nvcc", "#!/bin/sh\n", true);
  expect_error(disk, KILN_TOOLKIT_NVCC, NULL, KILN_ERROR_NOT_FOUND,
      "no CUDA toolkit with nvcc: KILN_CUDA '…/kit' has no nvvm/bin/cicc (wheel nvidia-nvvm)");
  put(disk, "kit", "nvvm/bin/cicc", "#!/bin/sh\n", true);
  expect_error(disk, KILN_TOOLKIT_NVCC, NULL, KILN_ERROR_NOT_FOUND,
      "no CUDA toolkit with nvcc: KILN_CUDA '…/kit' has no bin/ptxas");
  put(disk, "kit", "bin/ptxas", "#!/bin/sh\n", true);
  expect_error(disk, KILN_TOOLKIT_NVCC, NULL, KILN_ERROR_NOT_FOUND,
      "no CUDA toolkit with nvcc: KILN_CUDA '…/kit' has no include/cuda_runtime.h (wheel nvidia-cuda-runtime)");
  put(disk, "kit", "targets/x86_64-linux/include/cuda_runtime.h", "", false);
  expect_error(disk, KILN_TOOLKIT_NVCC, NULL, KILN_ERROR_NOT_FOUND,
      "no CUDA toolkit with nvcc: KILN_CUDA '…/kit' has no version in include/cuda_runtime_api.h and cuda.h");
  put(disk, "kit", "targets/x86_64-linux/include/cuda.h", "#define CUDA_VERSION 12080\n", false);
  expect(disk, KILN_TOOLKIT_NVCC, NULL, "…/kit", "KILN_CUDA");
}

static void
test_nothing(void **state)
{
  struct disk *disk = *state;
  disk->search.path = "/a:/b";
  expect_error(disk, KILN_TOOLKIT_NVRTC, NULL, KILN_ERROR_NOT_FOUND,
      "no CUDA toolkit with NVRTC: KILN_CUDA, CUDA_HOME and CUDA_PATH name none, and there is none in Python "
      "environments, in …/usr/local/cuda*, …/opt/cuda* and in PATH '/a:/b'");
}

/* ---- NVRTC ---- */

static void
expect_nvrtc(struct disk *disk, const char *library, unsigned major, unsigned minor)
{
  struct kiln_toolkit toolkit;
  struct kiln_error error = {0};
  kiln_toolkit_init(&toolkit);
  kiln_toolkit_find(&disk->search, KILN_TOOLKIT_NVRTC, NULL, &toolkit, &error);
  assert_string_equal(error.what, "");
  assert_string_equal(shown(disk, kiln_buf_text(&toolkit.nvrtc)), library);
  assert_int_equal(kiln_toolkit_version(&toolkit, KILN_TOOLKIT_NVRTC).major, major);
  assert_int_equal(kiln_toolkit_version(&toolkit, KILN_TOOLKIT_NVRTC).minor, minor);
  kiln_toolkit_release(&toolkit);
}

static void
test_lib64(void **state)
{
  struct disk *disk = *state;
  put(disk, "opt/cuda/lib64", "libnvrtc.so.12.8.93", "", false);
  put(disk, "opt/cuda/lib64", "libnvrtc-builtins.so.12.8.93", "", false);
  link_to(disk, "libnvrtc.so.12.8.93", "opt/cuda/lib64/libnvrtc.so.12");
  link_to(disk, "libnvrtc.so.12", "opt/cuda/lib64/libnvrtc.so");
  expect_nvrtc(disk, "…/opt/cuda/lib64/libnvrtc.so.12.8.93", 12, 8);
}

/* As in the wheels: no plain name, and another build beside it. */
static void
test_lib_and_version_only(void **state)
{
  struct disk *disk = *state;
  put(disk, "opt/cuda/lib", "libnvrtc.alt.so.13", "", false);
  put(disk, "opt/cuda/lib", "libnvrtc-builtins.alt.so.13.0", "", false);
  put(disk, "opt/cuda/lib", "libnvrtc.so.13", "", false);
  put(disk, "opt/cuda/lib", "libnvrtc-builtins.so.13.0", "", false);
  expect_nvrtc(disk, "…/opt/cuda/lib/libnvrtc.so.13", 13, 0);
}

/* Two of them in one folder, as after an upgrade. */
static void
test_highest_number(void **state)
{
  struct disk *disk = *state;
  put(disk, "opt/cuda/lib64", "libnvrtc.so.11.2", "", false);
  put(disk, "opt/cuda/lib64", "libnvrtc.so.12", "", false);
  put(disk, "opt/cuda/lib64", "libnvrtc.so.10.2", "", false);
  put(disk, "opt/cuda/lib64", "libnvrtc-builtins.so.10.2", "", false);
  put(disk, "opt/cuda/lib64", "libnvrtc-builtins.so.12.10", "", false);
  put(disk, "opt/cuda/lib64", "libnvrtc-builtins.so.11.2", "", false);
  expect_nvrtc(disk, "…/opt/cuda/lib64/libnvrtc.so.12", 12, 10);
  put(disk, "opt/cuda/lib64", "libnvrtc.so", "", false); /* what the toolkit itself points to */
  expect_nvrtc(disk, "…/opt/cuda/lib64/libnvrtc.so", 12, 10);
}

static void
test_builtins_missing(void **state)
{
  struct disk *disk = *state;
  put_nvcc(disk, "kit", 13000);
  at(disk, &disk->cuda, "kit");
  disk->search.cuda = kiln_buf_text(&disk->cuda);
  expect_error(disk, KILN_TOOLKIT_NVRTC, NULL, KILN_ERROR_NOT_FOUND,
      "no CUDA toolkit with NVRTC: KILN_CUDA '…/kit' has no libnvrtc.so in lib64 or lib");
  put(disk, "kit/lib", "libnvrtc.so.13", "", false);
  expect_error(disk, KILN_TOOLKIT_NVRTC, NULL, KILN_ERROR_NOT_FOUND,
      "no CUDA toolkit with NVRTC: KILN_CUDA '…/kit' has no libnvrtc-builtins.so beside …/kit/lib/libnvrtc.so.13");
}

/* ---- Python ---- */

static void
test_wheels_of_an_environment(void **state)
{
  struct disk *disk = *state;
  put_nvcc(disk, "env/lib/python3.11/site-packages/nvidia/cu13", 13000);
  put_nvcc(disk, "usr/local/cuda-12.9", 12090);
  at(disk, &disk->env, "env");
  disk->search.virtual_env = kiln_buf_text(&disk->env);
  expect(disk, KILN_TOOLKIT_NVCC, NULL, "…/env/lib/python3.11/site-packages/nvidia/cu13",
      "the Python environment in VIRTUAL_ENV");
  expect(disk, KILN_TOOLKIT_NVCC, "7.0", "…/usr/local/cuda-12.9", "/usr/local");
}

/* Started by its path, without any variable; the interpreter is a link out of the environment. */
static void
test_wheels_of_this_interpreter(void **state)
{
  struct disk *disk = *state;
  put_nvcc(disk, "env/lib/python3.12/site-packages/nvidia/cu13", 13000);
  put(disk, "usr/bin", "python3.12", "", true);
  put(disk, "env/bin", "activate", "", false);
  link_to(disk, "../../usr/bin/python3.12", "env/bin/python");
  at(disk, &disk->env, "env/bin/python");
  disk->search.self = kiln_buf_text(&disk->env);
  expect(disk, KILN_TOOLKIT_NVCC, NULL, "…/env/lib/python3.12/site-packages/nvidia/cu13", "the Python of this process");
  at(disk, &disk->env, "env/bin");
  disk->search.path = kiln_buf_text(&disk->env);
  disk->search.self = "python";
  expect(disk, KILN_TOOLKIT_NVCC, NULL, "…/env/lib/python3.12/site-packages/nvidia/cu13", "the Python of this process");
  disk->search.self = "another";
  expect_error(disk, KILN_TOOLKIT_NVRTC, NULL, KILN_ERROR_NOT_FOUND,
      "no CUDA toolkit with NVRTC: KILN_CUDA, CUDA_HOME and CUDA_PATH name none, and there is none in Python "
      "environments, in …/usr/local/cuda*, …/opt/cuda* and in PATH '…/env/bin'");
}

static void
test_older_wheels(void **state)
{
  struct disk *disk = *state;
  struct kiln_toolkit toolkit;
  put(disk, "home/.local/lib/python3.10/site-packages/nvidia/cuda_nvrtc/lib", "libnvrtc.so.12", "", false);
  put(disk, "home/.local/lib/python3.10/site-packages/nvidia/cuda_nvrtc/lib", "libnvrtc-builtins.so.12.4", "", false);
  put_headers(disk, "home/.local/lib/python3.10/site-packages/nvidia/cuda_runtime/include", 12040);
  at(disk, &disk->home, "home");
  disk->search.home = kiln_buf_text(&disk->home);
  expect_nvrtc(disk, "…/home/.local/lib/python3.10/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", 12, 4);
  kiln_toolkit_init(&toolkit);
  assert_int_equal(kiln_toolkit_find(&disk->search, KILN_TOOLKIT_NVRTC, NULL, &toolkit, NULL), KILN_OK);
  assert_true(kiln_text_ends(kiln_buf_text(&toolkit.include), "/nvidia/cuda_runtime/include"));
  assert_string_equal(kiln_buf_text(&toolkit.cccl), "");
  kiln_toolkit_release(&toolkit);
}

/* ---- the list ---- */

static bool
note(void *context, const struct kiln_toolkit *toolkit)
{
  kiln_buf_printf(context, "%s %s\n", kiln_buf_text(&toolkit->source), kiln_buf_text(&toolkit->folder));
  return true;
}

static void
test_each_once(void **state)
{
  struct disk *disk = *state;
  struct kiln_buf list = {0};
  put_nvcc(disk, "usr/local/cuda-13.0", 13000);
  put_nvcc(disk, "usr/local/cuda-12.0", 12000);
  link_to(disk, "cuda-13.0", "usr/local/cuda");
  put(disk, "usr/local/cuda-docs", "readme", "", false);
  at(disk, &disk->env, "usr/local/cuda/bin");
  disk->search.path = kiln_buf_text(&disk->env);
  kiln_toolkit_each(&disk->search, note, &list);
  assert_string_equal(
      shown(disk, kiln_buf_text(&list)), "/usr/local …/usr/local/cuda-13.0\n/usr/local …/usr/local/cuda-12.0\n");
  kiln_buf_release(&list);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_old_first_in_path, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_only_an_old_one, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_newest_that_knows_it, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_borders, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_highest_number, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_spaces_and_links, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_links_in_path, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_named, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_option, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_incomplete, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_nothing, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_lib64, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_lib_and_version_only, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_builtins_missing, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_wheels_of_an_environment, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_wheels_of_this_interpreter, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_older_wheels, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_each_once, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
