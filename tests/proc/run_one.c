/*
 * An owner: run one command under kiln-spawn as kiln does, and print the result as NAME=VALUE lines.
 *
 * usage: proc.run_one SUPERVISOR FOLDER TIMEOUT LIMIT REMOVE COMMAND…
 * Output goes to FOLDER/stdout and FOLDER/stderr; TIMEOUT 0, LIMIT 0 and REMOVE "" mean none.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "os/process.h"
#include "os/runner.h"

extern char **environ;

static void
print(const struct kiln_run_result *result)
{
  static const char *const ends[] = {"ended", "not_started", "timeout", "interrupted"};
  printf("end=%s\npid=%d\ncode=%d\nsignal=%d\nerrno=%d\nreaped=%d\nkilled=%d\n", ends[result->end], result->pid,
      result->exit_code, result->signal, result->start_errno, result->reaped, result->killed);
  printf("stdout=%" PRIu64 "\nstderr=%" PRIu64 "\ncut=%d\nlost=%d\nsurvivors=%d\n", result->stdout_bytes,
      result->stderr_bytes, result->output_cut, result->output_lost, result->survivors);
  printf("ms=%" PRIu64 "\nus=%" PRIu64 "\ncpu_ms=%" PRIu64 "\n", (result->end_ns - result->begin_ns) / 1000000,
      (result->end_ns - result->begin_ns) / 1000, (result->usage.user_ns + result->usage.system_ns) / 1000000);
}

int
main(int argc, char **argv)
{
  char out[4096], err[4096];
  struct kiln_run_result result;
  struct kiln_error error;
  if (argc < 7)
    return 2;
  snprintf(out, sizeof out, "%s/stdout", argv[2]);
  snprintf(err, sizeof err, "%s/stderr", argv[2]);
  const struct kiln_run_options options = {.supervisor = argv[1],
      .command = argv + 6,
      .environment = environ,
      .stdout_path = out,
      .stderr_path = err,
      .timeout_s = strtod(argv[3], NULL),
      .output_limit = strtoull(argv[4], NULL, 10),
      .remove_on_owner_death = argv[5][0] != '\0' ? argv[5] : NULL,
      .terminal_input = getenv("RUN_ONE_TTY") != NULL};
  kiln_interrupt_watch();
  const enum kiln_status status = kiln_run(&options, &result, &error);
  printf("status=%d\n", (int)status);
  if (status != KILN_OK)
    printf("what=%s\n", error.what);
  else
    print(&result);
  return 0;
}
