/* ELF files read without trust: real ones, and every truncation and byte flip of one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jit/elf.h"
#include "os/cpu.h"
#include "os/file.h"

/* This program: made by a linker, with an interpreter; its C library exports symbols. */
static struct kiln_buf self;

static int
read_self(void **state)
{
  (void)state;
  kiln_buf_init(&self);
  return kiln_file_read("/proc/self/exe", (size_t)64 << 20, &self, NULL) == KILN_OK ? 0 : -1;
}

static int
release_self(void **state)
{
  (void)state;
  kiln_buf_release(&self);
  return 0;
}

static void
test_this_program(void **state)
{
  struct kiln_elf elf;
  (void)state;
  assert_true(kiln_elf_open(&elf, self.data, self.len));
  assert_int_equal(elf.machine, kiln_cpu_elf_machine());
  assert_true(kiln_elf_has_interpreter(&elf));
  assert_false(kiln_elf_defines(&elf, "malloc")); /* used, not defined */
  assert_false(kiln_elf_defines(&elf, ""));
}

static void
test_no_elf(void **state)
{
  struct kiln_elf elf;
  char other[64];
  (void)state;
  assert_false(kiln_elf_open(&elf, "", 0));
  assert_false(kiln_elf_open(&elf, "#!/bin/sh\n", 10));
  memcpy(other, self.data, sizeof other);
  other[4] = 1; /* 32 bits */
  assert_false(kiln_elf_open(&elf, other, sizeof other));
  memcpy(other, self.data, sizeof other);
  other[5] ^= 3; /* the other byte order */
  assert_false(kiln_elf_open(&elf, other, sizeof other));
}

/* A file of one note segment, built by hand. */
static size_t
with_note(unsigned char *file, uint32_t name_len, uint32_t value_len, uint32_t type, const char *name)
{
  const uint64_t segments = 64, note = 120, note_len = 12 + 4 + 20;
  const uint16_t size = 56, count = 1;
  const uint32_t kind = 4;
  memset(file, 0, 256);
  memcpy(file, self.data, 20);
  memcpy(file + 32, &segments, 8);
  memcpy(file + 54, &size, 2);
  memcpy(file + 56, &count, 2);
  memcpy(file + 64, &kind, 4);
  memcpy(file + 72, &note, 8);
  memcpy(file + 96, &note_len, 8);
  memcpy(file + 120, &name_len, 4);
  memcpy(file + 124, &value_len, 4);
  memcpy(file + 128, &type, 4);
  memcpy(file + 132, name, 4);
  for (unsigned i = 0; i < 20; i++)
    file[136 + i] = (unsigned char)i;
  return 156;
}

static void
test_build_id(void **state)
{
  struct kiln_elf elf;
  struct kiln_buf hex;
  unsigned char file[256];
  (void)state;
  kiln_buf_init(&hex);
  size_t len = with_note(file, 4, 20, 3, "GNU");
  assert_true(kiln_elf_open(&elf, file, len));
  assert_true(kiln_elf_build_id(&elf, &hex));
  assert_string_equal(kiln_buf_text(&hex), "000102030405060708090a0b0c0d0e0f10111213");
  assert_true(kiln_elf_open(&elf, file, len - 1)); /* the note is cut */
  assert_false(kiln_elf_build_id(&elf, &hex));
  static const uint32_t bad[][3] = {
      {4, 20, 1}, {5, 20, 3}, {4, 0, 3}, {4, UINT32_MAX, 3}, {UINT32_MAX, 20, 3}, {4, 21, 3}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    len = with_note(file, bad[i][0], bad[i][1], bad[i][2], "GNU");
    assert_true(kiln_elf_open(&elf, file, len));
    assert_false(kiln_elf_build_id(&elf, &hex));
  }
  with_note(file, 4, 20, 3, "Go\0");
  assert_true(kiln_elf_open(&elf, file, len));
  assert_false(kiln_elf_build_id(&elf, &hex));
  kiln_buf_release(&hex);
}

static void
ask_everything(const void *data, size_t len)
{
  struct kiln_elf elf;
  struct kiln_buf hex;
  if (!kiln_elf_open(&elf, data, len))
    return;
  kiln_buf_init(&hex);
  kiln_elf_build_id(&elf, &hex);
  kiln_elf_has_interpreter(&elf);
  kiln_elf_defines(&elf, "main");
  kiln_buf_release(&hex);
}

/* Copies of exact size, so that a sanitizer sees every step beyond the end. */
static void
test_damage(void **state)
{
  uint32_t random = 1;
  (void)state;
  for (size_t round = 0; round < 2000; round++) {
    random = random * 1664525 + 1013904223;
    const size_t len = round % 2 ? random % self.len : self.len < 8192 ? self.len : 8192;
    char *copy = malloc(len + 1);
    memcpy(copy, self.data, len);
    for (int flips = 0; flips < 4 && len > 64; flips++) {
      random = random * 1664525 + 1013904223;
      copy[16 + (random >> 8) % 48] = (char)(random >> 24);
    }
    ask_everything(copy, len);
    free(copy);
  }
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_this_program), cmocka_unit_test(test_no_elf),
      cmocka_unit_test(test_build_id), cmocka_unit_test(test_damage)};
  return cmocka_run_group_tests(tests, read_self, release_self);
}
