/*
 * The stand-in driver (tests/fakes) in a test: a fresh one for each test, and small images that it takes.
 */
#ifndef KILN_TEST_DEVICE_CUDA_FAKE_H
#define KILN_TEST_DEVICE_CUDA_FAKE_H

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "device/cuda/driver.h"
#include "device/device_ops.h"

#define FAKE KILN_BINARY_DIR "/tests/fake/libcuda.so"
#define FAKE_OLD KILN_BINARY_DIR "/tests/fake/libcuda_old.so"

struct fake {
  void *handle;
  struct kiln_cuda *cuda;
  void *(*new_context)(int device);
  int (*capture_state)(void *stream);
  unsigned (*calls)(const char *symbol);
};

static inline void
fake_symbol(void *handle, const char *name, void *function)
{
  void *address = dlsym(handle, name);
  assert_non_null(address);
  memcpy(function, &address, sizeof address);
}

static inline int
fake_make(void **state)
{
  static struct fake fake;
  void (*reset)(void);
  unsetenv("KILN_FAKE_DEVICES");
  unsetenv("KILN_FAKE_DRIVER");
  unsetenv("KILN_FAKE_FAIL");
  unsetenv("CUDA_VISIBLE_DEVICES");
  fake.handle = dlopen(FAKE, RTLD_NOW | RTLD_LOCAL);
  assert_non_null(fake.handle);
  fake_symbol(fake.handle, "kiln_fake_new_context", &fake.new_context);
  fake_symbol(fake.handle, "kiln_fake_capture_state", &fake.capture_state);
  fake_symbol(fake.handle, "kiln_fake_calls", &fake.calls);
  fake_symbol(fake.handle, "kiln_fake_reset", &reset);
  reset();
  assert_int_equal(kiln_cuda_new(FAKE, &fake.cuda, NULL), KILN_OK);
  *state = &fake;
  return 0;
}

static inline int
fake_remove(void **state)
{
  struct fake *fake = *state;
  kiln_cuda_free(fake->cuda);
  dlclose(fake->handle);
  return 0;
}

/* An image that the fake takes for a cubin of sm_<sm> which defines these functions (words with spaces between). */
static inline void
fake_cubin(struct kiln_buf *image, unsigned sm, const char *functions)
{
  unsigned char header[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0x41, 8};
  const size_t len = sizeof header + strlen(functions) + 1;
  header[18] = 190;
  header[40] = (unsigned char)(len & 0xff); /* of the section headers: behind everything */
  header[41] = (unsigned char)(len >> 8);
  header[49] = (unsigned char)sm;
  kiln_buf_init(image);
  kiln_buf_append(image, header, sizeof header);
  kiln_buf_append(image, functions, strlen(functions) + 1);
}

/* The same as an entry that was found; give it back with kiln_buf_release(&found->entry.data). */
static inline void
fake_found(struct kiln_found *found, unsigned sm, const char *functions)
{
  *found = (struct kiln_found){.fd = -1};
  fake_cubin(&found->entry.data, sm, functions);
  found->entry.payload_len = found->entry.data.len;
  kiln_buf_text_append(&found->entry.data, "{manifest}footer");
}

#define FAKE_TEST(name) cmocka_unit_test_setup_teardown(name, fake_make, fake_remove)

#endif
