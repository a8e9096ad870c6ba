/*
 * Plays a program of a framework: writes the events that one would cause, and counts launches.
 *
 *   proc.play STEP…
 *
 *   use:MODULE:IDENTITY      compiled unless the cache has it, then loaded; "*" as identity: another in each process
 *   build:MODULE:IDENTITY    compiled whatever the cache has, then loaded
 *   hash:MODULE:IDENTITY:KERNELS:OPTIONS   what an identity is made of: "a=1,b=2"
 *   launch:N                 N launches of one kernel
 *   mark:NAME                as kiln_mark
 *   bad                      a line that is no event
 *   spin:MS                  so much CPU time
 *   exit:CODE  kill  wait    ends so; waits for ever
 *
 * The cache is the folder WARP_CACHE_PATH. Lines are numbered: the step's number is the line of its `where`.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "event/counters.h"
#include "event/writer.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/shared.h"

#define WORDS 6

static struct {
  struct kiln_event_writer writer;
  struct kiln_counters *counters;
  uint64_t launches;
  int line;
} play;

static void
common(struct kiln_event_line *line, char *const words[WORDS], const char *result)
{
  kiln_json_member_text(&line->json, "framework", "warp");
  kiln_json_member_text(&line->json, "module", words[1]);
  kiln_json_member_text(&line->json, "identity", words[2]);
  kiln_json_member_int(&line->json, "block_dim", 1);
  if (!result)
    return;
  kiln_json_member_text(&line->json, "device", "cpu");
  kiln_json_member_text(&line->json, "result", result);
  kiln_json_member_object(&line->json, "where");
  kiln_json_member_text(&line->json, "file", "/src/sim.py");
  kiln_json_member_int(&line->json, "line", play.line);
  kiln_json_object_end(&line->json);
}

static bool
begin(struct kiln_event_line *line, enum kiln_event_kind kind, bool span)
{
  const uint64_t t = kiln_clock_now(), cpu = kiln_clock_thread_cpu();
  if (!kiln_event_begin(&play.writer, line, kind, t, cpu))
    return false;
  if (span)
    kiln_event_span_of(&play.writer, line, 1000, 1000);
  return true;
}

/* Is the artefact there? It is from now on. */
static bool
cached(char *const words[WORDS], char *folder, size_t size)
{
  const char *cache = getenv("WARP_CACHE_PATH");
  char path[4096];
  snprintf(folder, size, "%s/wp_%s_%.7s", cache ? cache : "/nonexistent", words[1], words[2]);
  snprintf(path, sizeof path, "%s/%s.o", folder, words[1]);
  const bool there = kiln_file_exists(path);
  if (!there && cache) {
    kiln_folder_make(folder, NULL);
    kiln_file_write(path, "x", 1, NULL);
  }
  return there;
}

static void
do_use(char *words[WORDS], bool always)
{
  char folder[3000], own[24];
  struct kiln_event_line line;
  snprintf(own, sizeof own, "%016d", (int)getpid());
  words[2] = strcmp(words[2], "*") == 0 ? own : words[2];
  const char *result = cached(words, folder, sizeof folder) && !always ? "cached" : "compiled";
  if (begin(&line, KILN_EVENT_COMPILE, true)) {
    kiln_json_member_text(&line.json, "step", "module");
    common(&line, words, result);
    kiln_json_member_uint(&line.json, "launches", play.launches);
    kiln_json_member_int(&line.json, "bytes", 1000);
    kiln_json_member_text(&line.json, "path", folder);
    kiln_event_end(&play.writer, &line);
  }
  if (begin(&line, KILN_EVENT_LOAD, true)) {
    common(&line, words, result);
    kiln_event_end(&play.writer, &line);
  }
}

static void
pairs(struct kiln_json *json, const char *key, char *text)
{
  kiln_json_member_object(json, key);
  for (char *at = text; at && *at;) {
    char *next = strchr(at, ','), *value = strchr(at, '=');
    if (next)
      *next++ = '\0';
    if (value) {
      *value++ = '\0';
      kiln_json_member_text(json, at, value);
    }
    at = next;
  }
  kiln_json_object_end(json);
}

static void
do_hash(char *words[WORDS])
{
  struct kiln_event_line line;
  if (!begin(&line, KILN_EVENT_HASH, true))
    return;
  common(&line, words, NULL);
  pairs(&line.json, "kernels", words[3]);
  pairs(&line.json, "options", words[4]);
  kiln_event_end(&play.writer, &line);
}

static void
do_launch(uint64_t count)
{
  static const char name[] = "{\"framework\":\"warp\",\"module\":\"sim\",\"kernel\":\"step\",\"device\":\"cpu\","
                             "\"block_dim\":1,\"direction\":\"forward\"}";
  const struct kiln_counter_name record = {0, sizeof name - 1};
  char path[4096];
  if (!play.counters && play.writer.folder[0]) {
    const uint64_t start = kiln_event_writer_start(&play.writer);
    snprintf(path, sizeof path, "%s/%d.%" PRIu64 ".count", play.writer.folder, (int)getpid(), start);
    play.counters = kiln_shared_create(path, sizeof *play.counters, NULL);
    if (!play.counters)
      exit(9);
    memcpy(play.counters->magic, KILN_COUNTERS_MAGIC, sizeof play.counters->magic);
    play.counters->pid = (uint32_t)getpid();
    play.counters->slots = KILN_COUNTERS_SLOTS;
    play.counters->start_ns = start;
    memcpy(play.counters->names, &record, sizeof record);
    memcpy(play.counters->names + sizeof record, name, sizeof name - 1);
    play.counters->names_used = (uint32_t)((sizeof record + sizeof name - 1 + 7) / 8 * 8);
    play.counters->slot[0].first_ns = kiln_clock_now();
    play.counters->slot[0].dim = 64;
    play.counters->slot[0].key = 1;
  }
  play.launches += count;
  if (play.counters)
    play.counters->slot[0].count = play.launches;
}

static void
do_mark(const char *name)
{
  struct kiln_event_line line;
  if (!begin(&line, KILN_EVENT_MARK, false))
    return;
  kiln_json_member_text(&line.json, "name", "user");
  kiln_json_member_text(&line.json, "text", name);
  kiln_event_end(&play.writer, &line);
}

static void
do_bad(void)
{
  if (play.writer.folder[0] && kiln_event_writer_start(&play.writer) && write(play.writer.fd, "no event\n", 9) != 9)
    exit(9);
}

static void
do_spin(int ms)
{
  const uint64_t end = kiln_clock_thread_cpu() + (uint64_t)ms * 1000000u;
  while (kiln_clock_thread_cpu() < end)
    ;
}

static void
step(char *words[WORDS])
{
  const char *what = words[0];
  if (strcmp(what, "use") == 0 || strcmp(what, "build") == 0)
    do_use(words, what[0] == 'b');
  else if (strcmp(what, "hash") == 0)
    do_hash(words);
  else if (strcmp(what, "launch") == 0)
    do_launch(strtoull(words[1], NULL, 10));
  else if (strcmp(what, "mark") == 0)
    do_mark(words[1]);
  else if (strcmp(what, "bad") == 0)
    do_bad();
  else if (strcmp(what, "spin") == 0)
    do_spin(atoi(words[1]));
  else if (strcmp(what, "exit") == 0)
    exit(atoi(words[1]));
  else if (strcmp(what, "kill") == 0)
    raise(SIGKILL);
  else if (strcmp(what, "wait") == 0)
    pause();
  else
    exit(8);
}

int
main(int argc, char **argv)
{
  kiln_event_writer_open(&play.writer, NULL);
  for (int i = 1; i < argc; i++) {
    static char nothing[1];
    char *words[WORDS] = {nothing, nothing, nothing, nothing, nothing, nothing};
    char *at = argv[i];
    for (int k = 0; at && k < WORDS; k++) {
      words[k] = at;
      at = strchr(at, ':');
      if (at)
        *at++ = '\0';
    }
    play.line = i;
    step(words);
  }
  kiln_event_writer_close(&play.writer);
  return 0;
}
