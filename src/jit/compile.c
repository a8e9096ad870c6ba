#include "jit/compile.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

/* ---- words ---- */

void
kiln_words_release(struct kiln_words *words)
{
  for (size_t i = 0; i < words->count; i++)
    free(words->items[i]);
  free(words->items);
  *words = (struct kiln_words){0};
}

void
kiln_words_add(struct kiln_words *words, const char *format, ...)
{
  struct kiln_buf text;
  va_list args;
  kiln_buf_init(&text);
  va_start(args, format);
  kiln_buf_vprintf(&text, format, args);
  va_end(args);
  char *copy = text.failed ? NULL : malloc(text.len + 1);
  /* Two places: the list always ends in NULL. */
  if (!copy || !KILN_GROW(words->items, words->count + 1, words->capacity)) {
    words->failed = true;
    free(copy);
  } else {
    memcpy(copy, kiln_buf_text(&text), text.len + 1);
    words->items[words->count++] = copy;
    words->items[words->count] = NULL;
  }
  kiln_buf_release(&text);
}

void
kiln_words_split(struct kiln_words *words, const char *text)
{
  while (*text) {
    const size_t len = strcspn(text, " \t");
    if (len > 0)
      kiln_words_add(words, "%.*s", (int)len, text);
    text += len + (text[len] != '\0');
  }
}

/* ---- commands ---- */

/* Replace every `from` in text by `to`. */
static void
replace_all(struct kiln_buf *text, const char *from, const char *to)
{
  struct kiln_buf out;
  const size_t len = strlen(from);
  const char *at = kiln_buf_text(text);
  kiln_buf_init(&out);
  for (const char *hit = strstr(at, from); hit; hit = strstr(at, from)) {
    kiln_buf_append(&out, at, (size_t)(hit - at));
    kiln_buf_text_append(&out, to);
    at = hit + len;
  }
  kiln_buf_text_append(&out, at);
  if (out.failed) {
    kiln_buf_release(&out);
    return;
  }
  kiln_buf_release(text);
  *text = out;
}

/* Sources as the user knows them: a file by its path, a text by its name. */
static void
show_sources(const struct kiln_build_input *input, struct kiln_buf *log)
{
  struct kiln_buf prefix;
  kiln_buf_init(&prefix);
  for (size_t i = 0; i < input->spec->source_count; i++)
    if (input->spec->sources[i].path)
      replace_all(log, input->source_paths[i], input->spec->sources[i].path);
  replace_all(log, kiln_text_join(&prefix, input->folder, "src/"), "");
  replace_all(log, kiln_text_join(&prefix, input->folder, ""), "");
  kiln_buf_release(&prefix);
}

void
kiln_compile_show(
    struct kiln_compile *compile, const struct kiln_words *words, const char *left_out, const char *instead)
{
  struct kiln_buf *command = &compile->output->command;
  const struct kiln_build_input *input = compile->input;
  struct kiln_buf text, prefix;
  kiln_buf_init(&text);
  kiln_buf_init(&prefix);
  for (size_t i = 0; i < words->count; i++) {
    if (left_out && kiln_text_starts(words->items[i], left_out))
      continue;
    kiln_buf_text_append(&text, text.len ? " " : "");
    kiln_text_shell_word(&text, words->items[i]);
  }
  kiln_buf_text_append(&text, instead);
  replace_all(&text, kiln_text_join(&prefix, input->folder, ""), "");
  kiln_buf_printf(command, "%s%s", command->len ? " && " : "", kiln_buf_text(&text));
  kiln_buf_release(&text);
  kiln_buf_release(&prefix);
}

static enum kiln_status
refused(struct kiln_compile *compile, struct kiln_error *error)
{
  struct kiln_build_output *output = compile->output;
  const char *hint, *log = kiln_buf_text(&output->log);
  compile->diagnose(log, output->exit_code, output->signal, &output->first_error, &hint);
  output->passing = compile->is_passing(log, output->exit_code, output->signal);
  kiln_error_set(error, KILN_ERROR_COMMAND, "compiling '%s' failed: %s", compile->input->spec->name,
      kiln_buf_text(&output->first_error));
  kiln_error_advise(error, "%s", *hint ? hint : "Correct the source; KILN_KEEP=1 keeps everything the build made.");
  return KILN_ERROR_COMMAND;
}

enum kiln_status
kiln_compile_run(struct kiln_compile *compile, const struct kiln_words *words, struct kiln_error *error)
{
  struct kiln_command_result result;
  if (words->failed || compile->environment.failed)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the command of a compiler");
  const struct kiln_command command = {.argv = words->items,
      .environment = compile->environment.entries,
      .folder = compile->input->folder,
      .low_priority = compile->kiln->options.low_priority == KILN_ON,
      .tick = compile->tick,
      .context = compile->context};
  kiln_command_result_init(&result);
  enum kiln_status status = kiln_command_run(compile->kiln, &command, &result, error);
  show_sources(compile->input, &result.output);
  kiln_buf_text_append(&compile->output->log, kiln_buf_text(&result.output));
  compile->output->exit_code = result.exit_code;
  compile->output->signal = result.signal;
  if (result.peak_bytes > compile->output->peak_bytes)
    compile->output->peak_bytes = result.peak_bytes;
  if (status == KILN_OK && (result.exit_code != 0 || result.signal != 0))
    status = refused(compile, error);
  kiln_command_result_release(&result);
  return status;
}
