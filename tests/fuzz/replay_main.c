/*
 * Runs a fuzz target over every file of a corpus folder, so that the corpus is a plain test with any compiler.
 * An empty folder is a failure: it would test nothing.
 */
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "os/file.h"

#define MAX_BYTES ((size_t)16 * 1024 * 1024)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct replay {
  int files, failures;
};

static bool
run_file(void *context, const char *path, const struct kiln_file_info *info)
{
  struct replay *replay = context;
  if (info->kind != KILN_FILE_REGULAR)
    return true;
  struct kiln_error error = {0};
  struct kiln_buf buf;
  kiln_buf_init(&buf);
  replay->files++;
  if (kiln_file_read(path, MAX_BYTES, &buf, &error) != KILN_OK) {
    fprintf(stderr, "%s\n", error.what);
    replay->failures++;
  } else if (LLVMFuzzerTestOneInput((const uint8_t *)kiln_buf_text(&buf), buf.len) != 0) {
    fprintf(stderr, "the target refused '%s'\n", path);
    replay->failures++;
  }
  kiln_buf_release(&buf);
  return true;
}

int
main(int argc, char **argv)
{
  struct replay replay = {0};
  struct kiln_error error = {0};
  if (argc != 2) {
    fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  if (kiln_folder_walk(argv[1], 0, run_file, &replay, &error) != KILN_OK) {
    fprintf(stderr, "%s\n", error.what);
    return 1;
  }
  if (replay.files == 0)
    fprintf(stderr, "no file in '%s'\n", argv[1]);
  printf("%d files, %d failures\n", replay.files, replay.failures);
  return replay.files == 0 || replay.failures > 0;
}
