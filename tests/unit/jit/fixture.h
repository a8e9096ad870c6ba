/* A private folder with a store, a kiln on it, and a stub compiler that counts. Include after cmocka.h. */
#ifndef KILN_TESTS_UNIT_JIT_FIXTURE_H
#define KILN_TESTS_UNIT_JIT_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "jit/context.h"
#include "kiln/module.h"
#include "os/file.h"

struct fixture {
  char folder[64], cache[96], log[96], compiler[96];
  struct kiln_options options;
  struct kiln *kiln;
  struct kiln_error error;
  char messages[4096]; /* what the log callback was told */
};

static inline void
fixture_log(void *context, enum kiln_log_level level, const char *message)
{
  struct fixture *fixture = context;
  size_t len = strlen(fixture->messages);
  (void)level;
  snprintf(fixture->messages + len, sizeof fixture->messages - len, "%s\n", message);
}

static inline void
fixture_write(const char *folder, const char *name, const char *text)
{
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  assert_int_equal(kiln_file_write(path, text, strlen(text), NULL), KILN_OK);
}

/* A compiler that notes each compile and hands it to the real one. */
static inline void
fixture_stub(struct fixture *fixture, const char *body)
{
  char text[1024];
  snprintf(text, sizeof text, "#!/bin/sh\ncase \"$*\" in *\" -o \"*) echo compile >>'%s'; %s;; esac\nexec cc \"$@\"\n",
      fixture->log, body);
  fixture_write(fixture->folder, "stub-cc", text);
  assert_int_equal(chmod(fixture->compiler, 0755), 0);
}

static inline int
fixture_compiles(const struct fixture *fixture)
{
  struct kiln_buf text;
  int lines = 0;
  kiln_buf_init(&text);
  if (kiln_file_read(fixture->log, 1 << 20, &text, NULL) == KILN_OK)
    for (size_t i = 0; i < text.len; i++)
      lines += text.data[i] == '\n';
  kiln_buf_release(&text);
  return lines;
}

static inline void
fixture_open(struct fixture *fixture)
{
  kiln_free(fixture->kiln);
  fixture->kiln = NULL;
  memset(&fixture->error, 0, sizeof fixture->error);
  if (kiln_new(&fixture->options, &fixture->kiln, &fixture->error) != KILN_OK)
    fail_msg("%s", fixture->error.what);
}

static inline int
fixture_set_up(void **state)
{
  struct fixture *fixture = calloc(1, sizeof *fixture);
  struct kiln_buf folder;
  kiln_buf_init(&folder);
  assert_int_equal(kiln_folder_make_private("/tmp", "kiln-test-", &folder, NULL), KILN_OK);
  snprintf(fixture->folder, sizeof fixture->folder, "%s", folder.data);
  snprintf(fixture->cache, sizeof fixture->cache, "%s/cache", folder.data);
  snprintf(fixture->log, sizeof fixture->log, "%s/log", folder.data);
  snprintf(fixture->compiler, sizeof fixture->compiler, "%s/stub-cc", folder.data);
  kiln_buf_release(&folder);
  fixture_stub(fixture, ":");
  kiln_options_init(&fixture->options);
  fixture->options.cache_folder = fixture->cache;
  fixture->options.compiler = fixture->compiler;
  fixture->options.libexec = KILN_BINARY_DIR "/bin";
  fixture->options.budget_folder = fixture->folder;
  fixture->options.jobs = 64;
  fixture->options.log = fixture_log;
  fixture->options.callback_context = fixture;
  fixture_open(fixture);
  *state = fixture;
  return 0;
}

static inline int
fixture_tear_down(void **state)
{
  struct fixture *fixture = *state;
  kiln_free(fixture->kiln);
  kiln_folder_remove(fixture->folder, NULL);
  free(fixture);
  return 0;
}

/* A spec of one text that defines `int answer(void)`. */
static inline struct kiln_spec *
fixture_spec(const char *text)
{
  struct kiln_spec *spec;
  assert_int_equal(kiln_spec_new("answer", "hostcc", &spec, NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_source(spec, "answer.c", text, strlen(text), NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_entry_point(spec, "answer", NULL), KILN_OK);
  return spec;
}

/* Load and call; -1 when the load fails (fixture->error says why). */
static inline int
fixture_answer(struct fixture *fixture, const struct kiln_spec *spec, enum kiln_result *result)
{
  struct kiln_module *module;
  struct kiln_module_info info;
  if (kiln_module_load(fixture->kiln, spec, &module, &fixture->error) != KILN_OK)
    return -1;
  int (*answer)(void);
  void *address = kiln_module_function(module, "answer", NULL);
  assert_non_null(address);
  memcpy(&answer, &address, sizeof answer);
  const int value = answer();
  kiln_module_info(module, &info);
  if (result)
    *result = info.result;
  kiln_module_release(module);
  return value;
}

#endif
