/*
 * What the two halves of the stand-in share.
 */
#ifndef KILN_FAKE_H
#define KILN_FAKE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "device/cuda/symbols.h"

/* fake_init stands behind cuInit, and so on: the short names of the list. */
#define DECLARE(need, member, symbol, arguments)                                                                       \
  int fake_##member arguments __asm__(symbol);                                                                         \
  int fake_##member arguments;
KILN_DRIVER_SYMBOLS(DECLARE)
void *kiln_fake_new_context(int device);
int kiln_fake_capture_state(void *stream);
unsigned kiln_fake_calls(const char *symbol);
void kiln_fake_reset(void);

enum { MOST_DEVICES = 16, MOST_CALLS = 64, MOST_FUNCTIONS = 32 };

struct context {
  int device;
  unsigned long long id;
};
struct function {
  struct module *module;
  char name[128];
  int shared;
};
struct module {
  struct context *context;
  const char *image;
  size_t len;
  char *owned; /* the image, when it was read from a file */
  struct function functions[MOST_FUNCTIONS];
  int function_count;
};
struct stream {
  int capture, mode; /* KILN_CU_CAPTURING … */
  int nodes;
  pthread_t thread;
  struct stream *next;
};
struct event {
  double ms;
};

struct fake_state {
  pthread_mutex_t mutex;
  int pid, count;
  int devices[MOST_DEVICES]; /* 90 */
  struct context primary[MOST_DEVICES];
  unsigned long long next_id;
  struct stream *streams;
  struct {
    char symbol[48];
    unsigned times;
  } calls[MOST_CALLS];
};
extern struct fake_state kiln_fake_driver;
#define driver kiln_fake_driver

extern _Thread_local struct context *kiln_fake_current;
extern _Thread_local int kiln_fake_thread_mode;
#define current kiln_fake_current
#define thread_mode kiln_fake_thread_mode

/* Recorded; refused when it should fail. */
void kiln_fake_count(const char *symbol);
int kiln_fake_failure(const char *symbol);
void kiln_fake_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool kiln_fake_breaks(void);

/* The start of every function: recorded; refused when it should fail, before cuInit, and in a forked child. */
#define BEGIN(symbol, ...)                                                                                             \
  do {                                                                                                                 \
    kiln_fake_count(symbol);                                                                                           \
    kiln_fake_say(symbol __VA_ARGS__);                                                                                 \
    if (kiln_fake_failure(symbol))                                                                                     \
      return kiln_fake_failure(symbol);                                                                                \
    if (driver.pid != getpid())                                                                                        \
      return KILN_CU_NOT_INITIALIZED;                                                                                  \
  } while (0)

#define NEED_CONTEXT                                                                                                   \
  if (!current)                                                                                                        \
  return KILN_CU_INVALID_CONTEXT

#define NOT_WHILE_CAPTURING                                                                                            \
  if (kiln_fake_breaks())                                                                                              \
  return KILN_CU_CAPTURE_UNSUPPORTED

#endif
