#include <signal.h>
#include <stdatomic.h>

#include "os/process.h"

/* The one state of the process that is not in a struct: a signal handler receives no context, so what it saw can only
 * stand at a fixed address. */
static atomic_int interrupt_seen;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler may use what takes no lock, and threads read it");

static void
note(int number)
{
  int none = 0;
  (void)atomic_compare_exchange_strong(&interrupt_seen, &none, number);
}

static void
watch(int number)
{
  struct sigaction action = {.sa_handler = note}; /* no SA_RESTART: a waiting call must return */
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

void
kiln_interrupt_watch(void)
{
  struct sigaction old;
  watch(SIGINT);
  watch(SIGTERM);
  /* A reader of our output that went away is seen by write(), not by dying with a report in hand. */
  signal(SIGPIPE, SIG_IGN);
  /* Under nohup the end of the terminal is not a wish to stop. */
  if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
    watch(SIGHUP);
}

int
kiln_interrupt_seen(void)
{
  return atomic_load(&interrupt_seen);
}
