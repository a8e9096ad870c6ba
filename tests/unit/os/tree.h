/* A root with files of /proc and /sys that a test makes up. Include after cmocka.h. */
#ifndef KILN_TEST_OS_TREE_H
#define KILN_TEST_OS_TREE_H

#include <stdlib.h>

#include "tests/unit/os/scratch.h"

/* A new empty root in the test's folder; valid until the next call. */
static inline const char *
tree_root(struct scratch *scratch)
{
  static char root[600];
  static int number;
  snprintf(root, sizeof root, "%.500s/root%d", scratch->folder.data, number++);
  assert_int_equal(kiln_folder_make(root, NULL), KILN_OK);
  return root;
}

static inline void
tree_file(const char *root, const char *name, const char *text)
{
  char path[1200];
  snprintf(path, sizeof path, "%.600s/%.590s", root, name);
  char *slash = strrchr(path, '/');
  *slash = '\0';
  assert_int_equal(kiln_folder_make(path, NULL), KILN_OK);
  *slash = '/';
  assert_int_equal(kiln_file_write(path, text, strlen(text), NULL), KILN_OK);
}

/* 16 GiB, 64 processors, no groups. */
static inline void
tree_machine(const char *root)
{
  tree_file(root, "proc/meminfo", "MemTotal:       16777216 kB\nMemFree:        1 kB\nMemAvailable:   15728640 kB\n");
  tree_file(root, "sys/devices/system/cpu/online", "0-63\n");
}

#endif
