#include <stdio.h>
#include <string.h>

#include "base/json_write.h"
#include "base/text.h"
#include "cache.h"
#include "cmd_cache.h"

enum { OPTION_QUIET = KILN_CLI_CACHE_OWN };

static const struct kiln_cli_option options[] = {
    KILN_CLI_CACHE_OPTIONS,
    [OPTION_QUIET] = {"quiet", 0, NULL, "no progress on standard error"},
};

struct build_request {
  struct kiln_cli_cache cache;
  bool quiet;
  double said_s; /* time of the last line of progress */
};

struct build_result {
  enum kiln_result result;
  char key[65];
  char *path;
  double ms;
};

static int
take(void *context, size_t option, const char *value)
{
  (void)option;
  (void)value;
  ((struct build_request *)context)->quiet = true;
  return 0;
}

/* Where files were kept, who is waited for; warnings also with --quiet. */
static void
say_log(void *context, enum kiln_log_level level, const char *message)
{
  const struct build_request *request = context;
  if (level <= KILN_LOG_WARNING || (level == KILN_LOG_INFO && !request->quiet)) {
    fprintf(stderr, "kiln: %s\n", message);
  }
}

/* A line every few seconds, so that a long build is not silent. Waiting is told by the log. */
static void
say_progress(void *context, const struct kiln_build_progress *now)
{
  struct build_request *request = context;
  if (now->elapsed_s < request->said_s) {
    request->said_s = 0; /* another phase */
  }
  if (request->quiet || kiln_text_equal(now->phase, "wait") || now->elapsed_s - request->said_s < 2) {
    return;
  }
  request->said_s = now->elapsed_s;
  fprintf(stderr, "kiln: %s of '%s': %.0f s\n", now->phase, now->name, now->elapsed_s);
}

static const char *
result_name(enum kiln_result result)
{
  return result == KILN_RESULT_HIT ? "hit" : result == KILN_RESULT_BUILT ? "built" : "failed";
}

/* What and what to do, in one text. */
static void
sentence(const struct kiln_error *error, struct kiln_buf *out)
{
  kiln_buf_text_append(out, error->what);
  if (*error->remedy) {
    kiln_buf_printf(out, "%s %s", kiln_text_ends(error->what, ".") ? "" : ".", error->remedy);
  }
}

static void
write_json(const struct build_result *result, const struct kiln_error *error, struct kiln_buf *out)
{
  struct kiln_json json;
  struct kiln_buf text;
  bool failed = result->result == KILN_RESULT_FAILED;
  kiln_buf_init(&text);
  sentence(error, &text);
  kiln_json_init(&json, out, false);
  kiln_json_object(&json);
  kiln_json_key(&json, "result");
  kiln_json_string(&json, result_name(result->result));
  kiln_json_key(&json, "key");
  kiln_json_string(&json, *result->key ? result->key : NULL);
  kiln_json_key(&json, "path");
  kiln_json_string(&json, result->path);
  kiln_json_key(&json, "ms");
  kiln_json_double(&json, result->ms);
  kiln_json_key(&json, "error");
  kiln_json_string(&json, failed ? kiln_buf_text(&text) : NULL);
  kiln_json_object_end(&json);
  kiln_buf_text_append(out, "\n");
  kiln_buf_release(&text);
}

/* The spec was read, so what is not found is a compiler or an entry that may not be built. */
static int
build_exit(enum kiln_status status)
{
  return status == KILN_ERROR_NOT_FOUND ? KILN_EXIT_ENVIRONMENT : kiln_cli_status_exit(status);
}

static int
finish(const struct build_request *request, const struct build_result *result, const struct kiln_error *error, int code)
{
  struct kiln_buf out;
  kiln_buf_init(&out);
  if (code != 0) {
    kiln_cli_complain(error);
  }
  if (request->cache.json) {
    write_json(result, error, &out);
  } else if (code == 0) {
    kiln_buf_printf(&out, "%s %s", result_name(result->result), result->key);
    if (result->result == KILN_RESULT_BUILT) {
      kiln_buf_text_append(&out, " in ");
      kiln_text_duration(&out, result->ms / 1000);
    }
    kiln_buf_printf(&out, "\n%s\n", result->path ? result->path : "(not kept: the store cannot be written)");
  }
  return kiln_cli_cache_say(&out, code);
}

static int
build(struct build_request *request, const struct kiln_spec *spec)
{
  struct build_result result = {KILN_RESULT_FAILED, "", NULL, 0};
  struct kiln_error error = {0};
  struct kiln_options settings;
  enum kiln_status status;
  int code;
  kiln_options_init(&settings);
  settings.log = say_log;
  settings.progress = say_progress;
  settings.callback_context = request;
  status = kiln_cli_cache_open(&request->cache, &settings, &error);
  code = kiln_cli_status_exit(status);
  if (status == KILN_OK) {
    status = kiln_cache_build(request->cache.kiln, spec, &result.result, result.key, &result.path, &result.ms, &error);
    code = build_exit(status);
  }
  if (status != KILN_OK) {
    result.result = KILN_RESULT_FAILED;
  }
  code = finish(request, &result, &error, code);
  kiln_cache_text_free(result.path);
  kiln_cli_cache_close(&request->cache);
  return code;
}

static int
run_build(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct build_request request = {{.needs = "a spec: a file, or - for standard input"}, false, 0};
  struct build_result none = {KILN_RESULT_FAILED, "", NULL, 0};
  struct kiln_spec *spec = NULL;
  struct kiln_error error = {0};
  int code;
  if (!kiln_cli_cache_parse(&request.cache, command, argc, argv, take, &request, &code)) {
    return code;
  }
  if (kiln_cli_spec_read(request.cache.argument, &spec, &error) != KILN_OK) {
    return finish(&request, &none, &error, error.status == KILN_ERROR_MEMORY ? KILN_EXIT_ENVIRONMENT : KILN_EXIT_USAGE);
  }
  code = build(&request, spec);
  kiln_spec_free(spec);
  return code;
}

static const char examples[] = "  kiln cache build scale.json\n"
                               "  kiln cache build --json - < scale.json | jq -r .path\n"
                               "  kiln cache show 3f2a91 --spec | kiln cache build -\n";

const struct kiln_cli_command kiln_cmd_cache_build = {"cache build",
    "make sure that what a spec describes is in the store", "[options] SPEC|-", examples, options,
    sizeof options / sizeof *options, NULL, run_build};
