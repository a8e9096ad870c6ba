#include "spec_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "os/file.h"

#define MOST_BYTES ((size_t)16 << 20)

static bool
add(struct kiln_cli_spec_list *list, const char *path, size_t len)
{
  const char *copy = kiln_arena_copy(&list->arena, path, len);
  if (!copy || !KILN_GROW(list->paths, list->count, list->capacity)) {
    return false;
  }
  list->paths[list->count++] = copy;
  return true;
}

static enum kiln_status
no_memory(struct kiln_error *error)
{
  return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short for a list of specs.");
}

/* ---- a folder ---- */

struct walk {
  struct kiln_cli_spec_list *list;
  bool failed;
};

static bool
visit(void *context, const char *path, const struct kiln_file_info *info)
{
  struct walk *walk = context;
  if (info->kind != KILN_FILE_FOLDER && kiln_text_ends(path, ".json") && !add(walk->list, path, strlen(path))) {
    walk->failed = true;
  }
  return !walk->failed;
}

static int
by_path(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum kiln_status
read_folder(struct kiln_cli_spec_list *list, const char *folder, struct kiln_error *error)
{
  struct walk walk = {list, false};
  enum kiln_status status = kiln_folder_walk(folder, 0, visit, &walk, error);
  if (walk.failed) {
    return no_memory(error);
  }
  if (list->count > 1) {
    qsort(list->paths, list->count, sizeof *list->paths, by_path);
  }
  return status;
}

/* ---- a list ---- */

/* The length of a line without comment and blanks around it; *line moves to its first character. */
static size_t
trim(const char **line, size_t len)
{
  const char *comment = memchr(*line, '#', len);
  if (comment) {
    len = (size_t)(comment - *line);
  }
  while (len > 0 && strchr(" \t\r", **line)) {
    (*line)++;
    len--;
  }
  while (len > 0 && strchr(" \t\r", (*line)[len - 1])) {
    len--;
  }
  return len;
}

/* A relative path is relative to the folder of the list. */
static bool
add_line(struct kiln_cli_spec_list *list, const char *folder, size_t folder_len, const char *line, size_t len)
{
  struct kiln_buf path;
  bool added;
  kiln_buf_init(&path);
  if (*line != '/') {
    kiln_buf_append(&path, folder, folder_len);
  }
  kiln_buf_append(&path, line, len);
  added = !path.failed && add(list, kiln_buf_text(&path), path.len);
  kiln_buf_release(&path);
  return added;
}

static enum kiln_status
take_lines(struct kiln_cli_spec_list *list, const char *file, const char *text, struct kiln_error *error)
{
  size_t folder_len = (size_t)(kiln_text_base_name(file) - file);
  while (*text) {
    const char *line = text;
    size_t len = strcspn(text, "\n");
    text += len + (text[len] == '\n');
    len = trim(&line, len);
    if (len > 0 && !add_line(list, file, folder_len, line, len)) {
      return no_memory(error);
    }
  }
  return KILN_OK;
}

static enum kiln_status
read_stdin(struct kiln_buf *text, struct kiln_error *error)
{
  char block[4096];
  size_t got;
  while ((got = fread(block, 1, sizeof block, stdin)) > 0) {
    if (text->len + got > MOST_BYTES) {
      return kiln_error_set(error, KILN_ERROR_FORMAT, "The list on standard input is longer than 16 MiB.");
    }
    kiln_buf_append(text, block, got);
  }
  if (ferror(stdin)) {
    return kiln_error_system(error, KILN_ERROR_IO, errno, "The list could not be read from standard input");
  }
  return text->failed ? no_memory(error) : KILN_OK;
}

/* A file that begins like a JSON object is a spec itself. */
static enum kiln_status
read_file(struct kiln_cli_spec_list *list, const char *path, struct kiln_error *error)
{
  struct kiln_buf text;
  enum kiln_status status;
  bool standard = kiln_text_equal(path, "-");
  kiln_buf_init(&text);
  status = standard ? read_stdin(&text, error) : kiln_file_read(path, MOST_BYTES, &text, error);
  if (status == KILN_OK) {
    const char *first = kiln_buf_text(&text) + strspn(kiln_buf_text(&text), " \t\r\n");
    if (*first == '{' && !standard) {
      status = add(list, path, strlen(path)) ? KILN_OK : no_memory(error);
    } else {
      status = take_lines(list, standard ? "" : path, kiln_buf_text(&text), error);
    }
  }
  kiln_buf_release(&text);
  return status;
}

enum kiln_status
kiln_cli_spec_list_read(struct kiln_cli_spec_list *list, const char *argument, struct kiln_error *error)
{
  struct kiln_file_info info;
  enum kiln_status status = KILN_OK;
  bool folder = false;
  memset(list, 0, sizeof *list);
  kiln_arena_init(&list->arena);
  if (!kiln_text_equal(argument, "-")) {
    status = kiln_file_target_info(argument, &info, error);
    folder = status == KILN_OK && info.kind == KILN_FILE_FOLDER;
  }
  if (status == KILN_OK) {
    status = folder ? read_folder(list, argument, error) : read_file(list, argument, error);
  }
  if (status == KILN_OK && list->count == 0) {
    status = kiln_error_set(error, KILN_ERROR_FORMAT, "'%s' names no spec", argument);
    kiln_error_advise(
        error, folder ? "Put specs into it whose names end in .json." : "Write the path of one spec into each line.");
  }
  return status;
}

void
kiln_cli_spec_list_release(struct kiln_cli_spec_list *list)
{
  free(list->paths);
  list->paths = NULL;
  kiln_arena_release(&list->arena);
}
