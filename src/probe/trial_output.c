#include "probe/trial_output.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "os/file.h"
#include "probe/inputs.h"
#include "probe/trial_check.h"

#define TEXT_MOST (128u << 20)
#define PLACE_NAME "<private>/"
#define SHOWN 160 /* bytes of a line in a sentence */

const char *
kiln_output_name(enum kiln_output output)
{
  static const char *const names[] = {"not compared", "same", "nothing printed", "unsteady", "differs"};
  return names[output];
}

bool
kiln_outputs_init(struct kiln_outputs *outputs, const char *const *files, size_t file_count, const char *check,
    const char *supervisor)
{
  memset(outputs, 0, sizeof *outputs);
  kiln_buf_init(&outputs->text);
  kiln_buf_init(&outputs->wrong);
  outputs->check = check;
  outputs->supervisor = supervisor;
  outputs->files = calloc(file_count + 1, sizeof *outputs->files);
  if (!outputs->files) {
    return false;
  }
  for (size_t i = 0; i < file_count; i++) {
    struct kiln_output_file *file = &outputs->files[outputs->file_count++];
    struct kiln_file_info info;
    file->path = files[i];
    file->steady = true;
    if (kiln_file_target_info(files[i], &info, NULL) == KILN_OK) {
      file->mtime_ns = info.mtime_ns;
      file->inode = info.inode;
    }
  }
  return true;
}

void
kiln_outputs_release(struct kiln_outputs *outputs)
{
  kiln_buf_release(&outputs->text);
  kiln_buf_release(&outputs->wrong);
  free(outputs->files);
  free(outputs->lines);
  outputs->files = NULL;
  outputs->lines = NULL;
}

/* ---- standard output ---- */

static bool
line_has(const char *line, size_t len, const char *part)
{
  const size_t part_len = strlen(part);
  for (size_t i = 0; i + part_len <= len; i++) {
    if (memcmp(line + i, part, part_len) == 0) {
      return true;
    }
  }
  return false;
}

static bool
line_starts(const char *line, size_t len, const char *start)
{
  return len >= strlen(start) && memcmp(line, start, strlen(start)) == 0;
}

/* Warp tells of its initialisation in a paragraph, and of each module that it loads in a line. */
static bool
is_of_framework(const char *line, size_t len, bool *in_paragraph)
{
  if (line_starts(line, len, "Warp ") && line_has(line, len, " initialized:")) {
    *in_paragraph = true;
    return true;
  }
  *in_paragraph = *in_paragraph && line_starts(line, len, "   ");
  return *in_paragraph || (line_starts(line, len, "Module ") && line_has(line, len, " load on device '"));
}

static void
append_without_place(struct kiln_buf *out, const char *line, size_t len, const char *place)
{
  const size_t place_len = place ? strlen(place) : 0;
  size_t from = 0;
  for (size_t i = 0; place_len > 0 && i + place_len <= len;) {
    if (memcmp(line + i, place, place_len) != 0) {
      i++;
      continue;
    }
    kiln_buf_append(out, line + from, i - from);
    kiln_buf_text_append(out, PLACE_NAME);
    i += place_len;
    from = i;
  }
  kiln_buf_append(out, line + from, len - from);
}

void
kiln_output_normalise(const char *text, size_t len, const char *place, struct kiln_buf *out)
{
  bool in_paragraph = false;
  for (size_t at = 0; at < len;) {
    const char *end = memchr(text + at, '\n', len - at);
    const size_t line = end ? (size_t)(end - text) - at + 1 : len - at;
    if (!is_of_framework(text + at, line, &in_paragraph)) {
      append_without_place(out, text + at, line, place);
    }
    at += line;
  }
}

static void
read_normalised(const struct kiln_measure_seen *seen, struct kiln_buf *out)
{
  struct kiln_buf raw;
  kiln_buf_init(&raw);
  if (kiln_file_read(seen->stdout_path, TEXT_MOST, &raw, NULL) == KILN_OK) {
    kiln_output_normalise(kiln_buf_text(&raw), raw.len, seen->place, out);
  } else {
    out->failed = true;
  }
  kiln_buf_release(&raw);
}

/* The next line of text from *at; false at the end. */
static bool
next_line(const char *text, size_t text_len, size_t *at, size_t *len)
{
  const char *end;
  if (*at >= text_len) {
    return false;
  }
  end = memchr(text + *at, '\n', text_len - *at);
  *len = end ? (size_t)(end - text) - *at + 1 : text_len - *at;
  return true;
}

static void
learn_lines(struct kiln_outputs *outputs)
{
  const char *text = kiln_buf_text(&outputs->text);
  size_t at = 0, len;
  while (next_line(text, outputs->text.len, &at, &len)) {
    if (!KILN_GROW(outputs->lines, outputs->line_count, outputs->line_capacity)) {
      outputs->whole_unsteady = true;
      return;
    }
    outputs->lines[outputs->line_count++] = (struct kiln_output_line){at, len, true};
    at += len;
  }
}

/* The line of the baseline that is steady and not equal to that of the other text; line_count when there is none, and
 * *count: how many lines the other has. settle: such lines are unsteady from now on. */
static size_t
first_difference(struct kiln_outputs *outputs, const struct kiln_buf *other, bool settle, size_t *count)
{
  const char *text = kiln_buf_text(&outputs->text), *theirs = kiln_buf_text(other);
  size_t at = 0, len, row = 0, found = outputs->line_count;
  for (; next_line(theirs, other->len, &at, &len); at += len, row++) {
    struct kiln_output_line *line = row < outputs->line_count ? &outputs->lines[row] : NULL;
    if (!line || !line->steady || (line->len == len && memcmp(text + line->at, theirs + at, len) == 0)) {
      continue;
    }
    found = found == outputs->line_count ? row : found;
    line->steady = !settle;
  }
  *count = row;
  return found;
}

static size_t
steady_lines(const struct kiln_outputs *outputs)
{
  size_t n = 0;
  for (size_t i = 0; i < outputs->line_count; i++) {
    n += outputs->lines[i].steady;
  }
  return n;
}

static void
text_baseline(struct kiln_outputs *outputs, const struct kiln_measure_seen *seen)
{
  struct kiln_buf text;
  size_t count;
  kiln_buf_init(&text);
  read_normalised(seen, &text);
  if (text.failed) {
    outputs->whole_unsteady = true;
  } else if (outputs->runs == 0) {
    kiln_buf_append(&outputs->text, kiln_buf_text(&text), text.len);
    learn_lines(outputs);
  } else {
    first_difference(outputs, &text, true, &count);
    outputs->whole_unsteady = outputs->whole_unsteady || count != outputs->line_count;
  }
  kiln_buf_release(&text);
}

static void
say_line(struct kiln_buf *sentence, const char *before, const char *text, size_t len)
{
  while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r')) {
    len--;
  }
  kiln_buf_text_append(sentence, before);
  kiln_buf_append(sentence, text, len < SHOWN ? len : SHOWN);
  kiln_buf_text_append(sentence, len < SHOWN ? "'" : "…'");
}

static void
say_difference(const struct kiln_outputs *outputs, const struct kiln_buf *other, size_t row, struct kiln_buf *sentence)
{
  size_t at = 0, len = 0;
  for (size_t i = 0; next_line(kiln_buf_text(other), other->len, &at, &len) && i < row; i++) {
    at += len;
  }
  kiln_buf_printf(sentence, "Line %zu of what it prints is another: without ", row + 1);
  say_line(sentence, "'", kiln_buf_text(&outputs->text) + outputs->lines[row].at, outputs->lines[row].len);
  say_line(sentence, ", with '", kiln_buf_text(other) + at, len);
  kiln_buf_text_append(sentence, ".");
}

static enum kiln_output
text_candidate(struct kiln_outputs *outputs, const struct kiln_measure_seen *seen, struct kiln_buf *sentence)
{
  struct kiln_buf text;
  enum kiln_output found = KILN_OUTPUT_SAME;
  size_t count = 0, row;
  if (outputs->whole_unsteady || (outputs->line_count > 0 && steady_lines(outputs) == 0)) {
    return KILN_OUTPUT_UNSTEADY;
  }
  kiln_buf_init(&text);
  read_normalised(seen, &text);
  row = first_difference(outputs, &text, false, &count);
  if (text.failed) {
    found = KILN_OUTPUT_UNSTEADY;
  } else if (row < outputs->line_count) {
    found = KILN_OUTPUT_DIFFERS;
    say_difference(outputs, &text, row, sentence);
  } else if (count != outputs->line_count) {
    found = KILN_OUTPUT_DIFFERS;
    kiln_buf_printf(sentence, "It prints %zu lines with it and %zu without.", count, outputs->line_count);
  } else if (count == 0) {
    found = KILN_OUTPUT_EMPTY;
  }
  kiln_buf_release(&text);
  return found;
}

/* ---- files ---- */

/* Was the file written in the run that just ended, and what is in it now? */
static bool
look_at_file(struct kiln_output_file *file, uint64_t *digest, struct kiln_buf *sentence)
{
  struct kiln_file_info info;
  if (kiln_file_target_info(file->path, &info, NULL) != KILN_OK) {
    kiln_buf_printf(sentence, "It did not write the file '%s'.", file->path);
    return false;
  }
  if (info.mtime_ns == file->mtime_ns && info.inode == file->inode) {
    kiln_buf_printf(sentence, "It did not write the file '%s': what is there is of an earlier run.", file->path);
    return false;
  }
  file->mtime_ns = info.mtime_ns;
  file->inode = info.inode;
  if (!kiln_inputs_file(file->path, digest)) {
    kiln_buf_printf(
        sentence, "The file '%s' cannot be compared: it is no regular file of at most 256 MiB.", file->path);
    return false;
  }
  return true;
}

static void
files_baseline(struct kiln_outputs *outputs)
{
  for (size_t i = 0; i < outputs->file_count; i++) {
    struct kiln_output_file *file = &outputs->files[i];
    uint64_t digest;
    if (outputs->wrong.len > 0 || !look_at_file(file, &digest, &outputs->wrong)) {
      return;
    }
    file->steady = file->steady && (!file->known || file->digest == digest);
    file->known = true;
    file->digest = digest;
  }
}

static enum kiln_output
files_candidate(struct kiln_outputs *outputs, struct kiln_buf *sentence)
{
  enum kiln_output found = KILN_OUTPUT_SAME;
  for (size_t i = 0; i < outputs->file_count; i++) {
    struct kiln_output_file *file = &outputs->files[i];
    uint64_t digest;
    if (!look_at_file(file, &digest, sentence)) {
      return KILN_OUTPUT_DIFFERS;
    }
    if (!file->steady) {
      found = KILN_OUTPUT_UNSTEADY;
    } else if (digest != file->digest) {
      kiln_buf_printf(sentence, "The file '%s' has another content with it.", file->path);
      return KILN_OUTPUT_DIFFERS;
    }
  }
  return found;
}

/* ---- all three ---- */

static bool
is_cold(const struct kiln_measure_seen *seen)
{
  return kiln_text_equal(seen->run, "cold");
}

void
kiln_outputs_baseline(struct kiln_outputs *outputs, const struct kiln_measure_seen *seen, bool paired)
{
  if (seen->failed) {
    return;
  }
  if (outputs->file_count == 0 && !outputs->check) {
    text_baseline(outputs, seen);
  } else if (!paired) {
    files_baseline(outputs);
    if (outputs->check && outputs->wrong.len == 0 && is_cold(seen)) {
      kiln_check_run(outputs->check, outputs->supervisor, seen, &outputs->wrong);
    }
  }
  outputs->runs++;
}

void
kiln_outputs_candidate(struct kiln_outputs *outputs, const struct kiln_measure_seen *seen, bool paired,
    enum kiln_output *so_far, struct kiln_buf *sentence)
{
  enum kiln_output found = KILN_OUTPUT_SAME;
  struct kiln_buf said;
  if (seen->failed || (paired && (outputs->file_count > 0 || outputs->check))) {
    return;
  }
  kiln_buf_init(&said);
  if (outputs->file_count == 0 && !outputs->check) {
    found = text_candidate(outputs, seen, &said);
  } else {
    found = files_candidate(outputs, &said);
    if (found != KILN_OUTPUT_DIFFERS && outputs->check && is_cold(seen) &&
        !kiln_check_run(outputs->check, outputs->supervisor, seen, &said)) {
      found = KILN_OUTPUT_DIFFERS;
    }
  }
  if (found > *so_far) {
    *so_far = found;
    kiln_buf_clear(sentence);
    kiln_buf_text_append(sentence, kiln_buf_text(&said));
  }
  kiln_buf_release(&said);
}

void
kiln_outputs_describe(const struct kiln_outputs *outputs, struct kiln_buf *text)
{
  const size_t unsteady = outputs->line_count - steady_lines(outputs);
  if (outputs->file_count == 0 && !outputs->check) {
    kiln_buf_text_append(text, "standard output");
    if (outputs->whole_unsteady) {
      kiln_buf_text_append(text, " (differs from run to run by itself)");
    } else if (outputs->line_count == 0) {
      kiln_buf_text_append(text, " (nothing is printed)");
    } else if (unsteady > 0) {
      kiln_buf_printf(
          text, " (%zu of %zu lines vary by themselves and are not compared)", unsteady, outputs->line_count);
    }
    return;
  }
  for (size_t i = 0; i < outputs->file_count; i++) {
    kiln_buf_printf(text, "%s'%s'%s", i ? ", " : "files ", outputs->files[i].path,
        outputs->files[i].steady ? "" : " (differs from run to run by itself)");
  }
  if (outputs->check) {
    kiln_buf_printf(text, "%sthe check '%s'", outputs->file_count ? " and " : "", outputs->check);
  }
}
