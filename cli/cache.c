#include "cache.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "os/file.h"
#include "os/path.h"

#define MAX_SPEC ((size_t)16 << 20)

/* A word that is no option. true when it was expected. */
static bool
take_argument(struct kiln_cli_cache *cache, const struct kiln_cli_command *command, const char *word)
{
  if (!cache->needs) {
    kiln_cli_usage("'kiln %s' takes no argument, but got '%s'.", command->name, word);
    return false;
  }
  if (cache->argument) {
    kiln_cli_usage("'kiln %s' takes one argument, but got '%s' and '%s'.", command->name, cache->argument, word);
    return false;
  }
  cache->argument = word;
  return true;
}

static int
take_option(struct kiln_cli_cache *cache, size_t option, const char *value, kiln_cli_cache_take *take, void *context)
{
  if (option == 0) {
    cache->json = true;
  } else if (option == 1) {
    cache->folder = value;
  } else {
    return take(context, option, value);
  }
  return 0;
}

bool
kiln_cli_cache_parse(struct kiln_cli_cache *cache, const struct kiln_cli_command *command, int argc, char **argv,
    kiln_cli_cache_take *take, void *context, int *code)
{
  struct kiln_cli_parser parser = {command, argc, argv, 1, NULL};
  enum kiln_cli_step step;
  bool only_words = false;
  size_t option;
  *code = KILN_EXIT_USAGE;
  while (parser.at < argc) {
    step = only_words ? KILN_CLI_END : kiln_cli_next(&parser, &option);
    if (step == KILN_CLI_OPTION) {
      *code = take_option(cache, option, parser.value, take, context);
      if (*code != 0) {
        return false;
      }
    } else if (step != KILN_CLI_END) {
      *code = kiln_cli_step_exit(command, step);
      return false;
    } else {
      only_words = only_words || kiln_text_equal(argv[parser.at - 1], "--");
      if (parser.at < argc && !take_argument(cache, command, argv[parser.at++])) {
        *code = KILN_EXIT_USAGE;
        return false;
      }
    }
  }
  if (cache->needs && !cache->argument) {
    *code = kiln_cli_usage("'kiln %s' needs %s.", command->name, cache->needs);
    return false;
  }
  return true;
}

static void
say_log(void *context, enum kiln_log_level level, const char *message)
{
  (void)context;
  if (level <= KILN_LOG_WARNING) {
    fprintf(stderr, "kiln: %s\n", message);
  }
}

/* A folder on the command line is relative to the current one, as everywhere. */
static const char *
absolute(struct kiln_cli_cache *cache)
{
  struct kiln_buf here;
  if (!cache->folder || *cache->folder == '/' || *cache->folder == '\0') {
    return cache->folder;
  }
  kiln_buf_init(&here);
  if (kiln_path_resolve(".", &here)) {
    kiln_text_join(&cache->path, kiln_buf_text(&here), cache->folder);
  }
  kiln_buf_release(&here);
  return cache->path.len > 0 ? kiln_buf_text(&cache->path) : cache->folder;
}

enum kiln_status
kiln_cli_cache_open(struct kiln_cli_cache *cache, struct kiln_options *options, struct kiln_error *error)
{
  struct kiln_options own;
  kiln_buf_init(&cache->path);
  if (!options) {
    kiln_options_init(&own);
    options = &own;
  }
  options->cache_folder = absolute(cache);
  if (!options->log) {
    options->log = say_log;
  }
  return kiln_new(options, &cache->kiln, error);
}

void
kiln_cli_cache_close(struct kiln_cli_cache *cache)
{
  kiln_free(cache->kiln);
  cache->kiln = NULL;
  kiln_buf_release(&cache->path);
}

static enum kiln_status
read_stdin(struct kiln_buf *text, struct kiln_error *error)
{
  char block[4096];
  size_t got;
  while ((got = fread(block, 1, sizeof block, stdin)) > 0) {
    if (text->len + got > MAX_SPEC) {
      return kiln_error_set(error, KILN_ERROR_FORMAT, "The spec on standard input is longer than 16 MiB.");
    }
    kiln_buf_append(text, block, got);
  }
  if (ferror(stdin)) {
    return kiln_error_system(error, KILN_ERROR_IO, errno, "The spec could not be read from standard input");
  }
  return text->failed ? kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short for the spec.") : KILN_OK;
}

enum kiln_status
kiln_cli_spec_read(const char *path, struct kiln_spec **spec, struct kiln_error *error)
{
  struct kiln_buf text;
  enum kiln_status status;
  kiln_buf_init(&text);
  if (kiln_text_equal(path, "-")) {
    status = read_stdin(&text, error);
  } else {
    status = kiln_file_read(path, MAX_SPEC, &text, error);
  }
  if (status == KILN_OK) {
    status = kiln_spec_parse(kiln_buf_text(&text), text.len, spec, error);
  }
  kiln_buf_release(&text);
  return status;
}

int
kiln_cli_cache_say(struct kiln_buf *out, int code)
{
  int printed = kiln_cli_print(out);
  kiln_buf_release(out);
  return printed ? printed : code;
}
