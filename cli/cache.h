/*
 * What the commands of `kiln cache` share: two options, at most one argument, and the kiln they work with.
 *
 * Options may stand before and behind the argument. Order: kiln_cli_cache_parse, kiln_cli_cache_open, …,
 * kiln_cli_cache_close.
 */
#ifndef KILN_CLI_CACHE_H
#define KILN_CLI_CACHE_H

#include "cli.h"
#include "kiln/cache.h"

/* The head of each command's options; its own ones begin at KILN_CLI_CACHE_OWN. */
#define KILN_CLI_CACHE_OPTIONS                                                                                         \
  {"json", 0, NULL, "as JSON"},                                                                                        \
  {                                                                                                                    \
    "cache", 0, "FOLDER", "the store (default: KILN_CACHE_DIR, XDG_CACHE_HOME/kiln, ~/.cache/kiln)"                    \
  }
enum { KILN_CLI_CACHE_OWN = 2 };

struct kiln_cli_cache {
  const char *needs; /* what the argument is, "a spec (a file or -)"; NULL: none is taken. Set by the command. */
  bool json;
  const char *folder, *argument;
  struct kiln *kiln;
  struct kiln_buf path; /* folder, absolute */
};

/* An option of the command's own: its index in the table and its value. Returns 0, or an exit code after a sentence. */
typedef int kiln_cli_cache_take(void *context, size_t option, const char *value);

/* 0 to go on; else *code is what to return. take may be NULL. */
bool kiln_cli_cache_parse(struct kiln_cli_cache *cache, const struct kiln_cli_command *command, int argc, char **argv,
    kiln_cli_cache_take *take, void *context, int *code);
/* Make the kiln; warnings go to stderr. options may be NULL, else it is completed here. Status as kiln_new. */
enum kiln_status kiln_cli_cache_open(
    struct kiln_cli_cache *cache, struct kiln_options *options, struct kiln_error *error);
void kiln_cli_cache_close(struct kiln_cli_cache *cache);

/* A spec from a file, or from standard input for "-". */
enum kiln_status kiln_cli_spec_read(const char *path, struct kiln_spec **spec, struct kiln_error *error);
/* Print and release. Returns `code`, or 5 when stdout refuses. */
int kiln_cli_cache_say(struct kiln_buf *out, int code);

#endif
