/*
 * What counting adds to the call of a native kernel: a C loop with and without the thunk in between.
 *
 * Prints nanoseconds a call; with the argument "thunk" or "direct" only runs that loop once, for a tool that counts
 * instructions (run.sh does: the difference of the two, divided by the calls).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agents/preload/agent.h"
#include "agents/preload/count.h"
#include "event/event.h"
#include "os/clock.h"

#define CALLS 1000000
#define ROUNDS 15

typedef void kernel_function(const void *bounds, void *arguments);

struct bounds {
  uint64_t first, size;
};

static volatile uint64_t sink;

static void
kernel(const void *bounds, void *arguments)
{
  (void)arguments;
  sink += ((const struct bounds *)bounds)->size;
}

static void
loop(kernel_function *function)
{
  struct bounds bounds = {0, 64};
  kernel_function *volatile target = function;
  for (int i = 0; i < CALLS; i++)
    target(&bounds, NULL);
}

static double
nanoseconds(kernel_function *function)
{
  uint64_t begin = kiln_clock_thread_cpu();
  loop(function);
  return (double)(kiln_clock_thread_cpu() - begin) / CALLS;
}

static kernel_function *
counted_kernel(void)
{
  static const char name[] = "{\"kernel\":\"bench\"}";
  kernel_function *function = kernel;
  struct kiln_count_request request = {
      .kind = KILN_THUNK_POINTER, .offset = offsetof(struct bounds, size), .name = name, .len = sizeof name - 1};
  struct kiln_count_answer answer;
  uintptr_t address;
  memcpy(&address, &function, sizeof address);
  request.address = address;
  if (!kiln_count_thunk(&request, &answer))
    return NULL;
  address = (uintptr_t)answer.address;
  memcpy(&function, &address, sizeof function);
  return function;
}

int
main(int argc, char **argv)
{
  const char *folder = getenv(KILN_EVENT_VARIABLE);
  if (folder == NULL || !kiln_event_writer_open(&kiln_agent.writer, folder)) {
    fprintf(stderr, "thunk: KILN_EVENTS names the folder for the counter file\n");
    return 2;
  }
  kernel_function *counted = counted_kernel();
  if (counted == NULL) {
    printf("there are no thunks on this architecture\n");
    return 0;
  }
  if (argc > 1) {
    loop(strcmp(argv[1], "thunk") == 0 ? counted : kernel);
    return 0;
  }
  double direct = 1e9, thunk = 1e9, again = 1e9;
  for (int i = 0; i < ROUNDS; i++) {
    double one = nanoseconds(kernel), two = nanoseconds(counted), three = nanoseconds(kernel);
    direct = one < direct ? one : direct;
    thunk = two < thunk ? two : thunk;
    again = three < again ? three : again;
  }
  printf("a call: direct %.1f ns, counted %.1f ns, added %.1f ns (direct again %.1f ns); least of %d rounds of %d\n",
      direct, thunk, thunk - direct, again, ROUNDS, CALLS);
  return 0;
}
