/* Where a header is: the order of the search, files read once, and the places where nothing was. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "jit/toolchain/nvrtc/nvrtc.h"
#include "os/clock.h"
#include "os/file.h"

#define MOST_TEXT ((size_t)64 << 20)
#define MOST_BYTES ((uint64_t)512 << 20)
#define MOST_ABSENCES 1024 /* each costs a warm start half a microsecond */

static enum kiln_status
no_memory(struct kiln_error *error)
{
  return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the headers of a build");
}

/* ---- answers: a hash table by the address of an interned question ---- */

static size_t
slot_of(const struct kiln_nvrtc_answers *answers, const char *question)
{
  size_t at = ((uintptr_t)question >> 4) * 0x9e3779b1U & (answers->capacity - 1);
  while (answers->questions[at] && answers->questions[at] != question)
    at = (at + 1) & (answers->capacity - 1);
  return at;
}

static bool
grow_answers(struct kiln_nvrtc_answers *answers)
{
  struct kiln_nvrtc_answers larger = {.capacity = answers->capacity ? answers->capacity * 2 : 256};
  larger.questions = calloc(larger.capacity, sizeof *larger.questions);
  larger.indices = calloc(larger.capacity, sizeof *larger.indices);
  if (!larger.questions || !larger.indices) {
    free(larger.questions);
    free(larger.indices);
    return false;
  }
  for (size_t i = 0; i < answers->capacity; i++)
    if (answers->questions[i]) {
      const size_t at = slot_of(&larger, answers->questions[i]);
      larger.questions[at] = answers->questions[i];
      larger.indices[at] = answers->indices[i];
      larger.used++;
    }
  free(answers->questions);
  free(answers->indices);
  *answers = larger;
  return true;
}

/* The place of the answer to this question; *fresh: there was none. NULL: memory is short. */
static size_t *
answer_to(struct kiln_nvrtc_texts *texts, const char *question, bool *fresh)
{
  struct kiln_nvrtc_answers *answers = &texts->answers;
  const char *key = kiln_intern_text(&texts->words, question);
  if (!key || ((answers->used + 1) * 2 > answers->capacity && !grow_answers(answers)))
    return NULL;
  const size_t at = slot_of(answers, key);
  *fresh = !answers->questions[at];
  if (*fresh) {
    answers->questions[at] = key;
    answers->used++;
  }
  return &answers->indices[at];
}

/* ---- spelling ---- */

/* Without empty, "." and "name/.." parts; a leading ".." stays. An absolute path stays one. */
static void
shorten(const char *path, struct kiln_buf *out)
{
  kiln_buf_clear(out);
  const bool absolute = path[0] == '/';
  size_t ups = 0; /* ".." at the beginning, which cannot be taken back */
  while (*path) {
    const size_t len = strcspn(path, "/");
    const bool up = len == 2 && path[0] == '.' && path[1] == '.';
    const char *slash = out->len > 0 ? strrchr(out->data, '/') : NULL;
    const size_t last = slash ? (size_t)(slash - out->data) + 1 : 0;
    if (up && out->len > ups) {
      out->len = absolute || last > 0 ? (last > 0 ? last - 1 : 0) : 0;
      out->data[out->len] = '\0';
    } else if (len > 0 && !(len == 1 && path[0] == '.') && !(up && absolute)) {
      kiln_buf_text_append(out, out->len > 0 || absolute ? "/" : "");
      kiln_buf_append(out, path, len);
      ups = up ? out->len : ups;
    }
    path += len + (path[len] == '/');
  }
}

/* The deepest root that holds the path, by spelling. */
static int
root_of(const struct kiln_build_input *input, const char *path, const char **relative)
{
  int root = KILN_ROOT_SYSTEM;
  size_t longest = 0;
  for (size_t i = 0; i < input->root_count; i++) {
    const size_t len = strlen(input->roots[i]);
    if (len > longest && strncmp(path, input->roots[i], len) == 0 && path[len] == '/') {
      root = (int)i;
      longest = len;
    }
  }
  *relative = root == KILN_ROOT_SYSTEM ? path : path + longest + 1;
  return root;
}

/* The name that says nothing of the place; for a file outside of all folders its last part. */
static const char *
name_of(const struct kiln_nvrtc_texts *texts, const char *path)
{
  const char *relative;
  if (root_of(texts->input, path, &relative) != KILN_ROOT_SYSTEM)
    return relative;
  for (size_t i = 2; i-- > 0;) {
    const size_t len = strlen(texts->folders[i]);
    if (len > 0 && strncmp(path, texts->folders[i], len) == 0 && path[len] == '/')
      return path + len + 1;
  }
  return kiln_text_base_name(path);
}

/* The same name for two files: the later one gets a number. */
static const char *
unique_name(struct kiln_nvrtc_texts *texts, const char *name)
{
  char numbered[4200];
  const char *wanted = kiln_intern_text(&texts->words, name);
  for (size_t number = 2; wanted; number++) {
    size_t i = 0;
    while (i < texts->count && texts->items[i].name != wanted)
      i++;
    if (i == texts->count)
      return wanted;
    snprintf(numbered, sizeof numbered, "%zu/%s", number, name);
    wanted = kiln_intern_text(&texts->words, numbered);
  }
  return NULL;
}

/* ---- dependencies ---- */

static enum kiln_status
append_dependency(struct kiln_nvrtc_texts *texts, const struct kiln_dependency *dependency, struct kiln_error *error)
{
  struct kiln_request_record *record = &texts->output->dependencies;
  const size_t size = strlen(dependency->path) + 1;
  if (record->count >= KILN_REQUEST_MAX_DEPENDENCIES)
    return kiln_error_set(error, KILN_ERROR_FORMAT, "more than %d headers in one build", KILN_REQUEST_MAX_DEPENDENCIES);
  char *copy = malloc(size);
  if (!copy || !KILN_GROW(record->dependencies, record->count, record->capacity)) {
    free(copy);
    return no_memory(error);
  }
  record->dependencies[record->count] = *dependency;
  record->dependencies[record->count++].path = memcpy(copy, dependency->path, size);
  return KILN_OK;
}

/* Nothing is there now: a file that appears would be taken. */
static enum kiln_status
note_absence(struct kiln_nvrtc_texts *texts, const char *path, struct kiln_error *error)
{
  const char *relative;
  bool fresh;
  const int root = root_of(texts->input, path, &relative);
  if (root == KILN_ROOT_SYSTEM || texts->absences >= MOST_ABSENCES)
    return KILN_OK;
  struct kiln_buf question;
  kiln_buf_init(&question);
  kiln_buf_printf(&question, "absent %s", path);
  const size_t *answer = question.failed ? NULL : answer_to(texts, kiln_buf_text(&question), &fresh);
  kiln_buf_release(&question);
  if (!answer)
    return no_memory(error);
  if (!fresh)
    return KILN_OK;
  texts->absences++;
  return append_dependency(texts, &(struct kiln_dependency){.root = root, .path = (char *)relative}, error);
}

static enum kiln_status
note_file(struct kiln_nvrtc_texts *texts, const struct kiln_nvrtc_text *text, const struct kiln_file_info *info,
    struct kiln_error *error)
{
  const char *relative;
  struct kiln_dependency dependency = {.size = info->size, .inode = info->inode, .mtime_ns = info->mtime_ns};
  if (kiln_content_digest(texts->contents, text->path, info, &dependency.content, NULL) != KILN_OK ||
      (info->mtime_ns >= texts->begin_ns && info->mtime_ns <= kiln_clock_real())) /* a time to come says nothing */
    texts->output->unstable = true;
  dependency.root = root_of(texts->input, text->path, &relative);
  dependency.path = (char *)relative;
  return append_dependency(texts, &dependency, error);
}

/* ---- files ---- */

static enum kiln_status
read_file(struct kiln_nvrtc_texts *texts, const char *path, int position, const struct kiln_file_info *info, int *found,
    struct kiln_error *error)
{
  struct kiln_nvrtc_text text = {.position = position, .device = info->device, .inode = info->inode};
  kiln_buf_init(&text.text);
  kiln_buf_init(&text.ready);
  enum kiln_status status = kiln_file_read(path, MOST_TEXT, &text.text, error);
  texts->bytes += text.text.len;
  if (status == KILN_OK && texts->bytes > MOST_BYTES)
    status = kiln_error_set(error, KILN_ERROR_FORMAT, "the headers of '%s' have more than %llu bytes",
        texts->input->spec->name, (unsigned long long)MOST_BYTES);
  if (status == KILN_OK) {
    text.path = kiln_arena_strdup(&texts->arena, path);
    text.name = unique_name(texts, name_of(texts, path));
    if (!text.path || !text.name || !KILN_GROW(texts->items, texts->count, texts->capacity))
      status = no_memory(error);
  }
  if (status == KILN_OK)
    status = note_file(texts, &text, info, error);
  if (status == KILN_OK) {
    *found = (int)texts->count;
    texts->items[texts->count++] = text;
  } else {
    kiln_buf_release(&text.text);
  }
  return status;
}

/* The file at `path` as an item; an absence when there is none. One file is one item, whatever it is called. */
static enum kiln_status
try_path(struct kiln_nvrtc_texts *texts, const char *path, int position, int *found, struct kiln_error *error)
{
  struct kiln_file_info info, shorter;
  const bool there = kiln_file_target_info(path, &info, NULL) == KILN_OK && info.kind == KILN_FILE_REGULAR;
  shorten(path, &texts->path);
  if (texts->path.failed)
    return no_memory(error);
  if (!there)
    return note_absence(texts, kiln_buf_text(&texts->path), error);
  for (size_t i = 0; i < texts->count && *found < 0; i++)
    if (texts->items[i].inode == info.inode && texts->items[i].device == info.device)
      *found = (int)i;
  if (*found >= 0)
    return KILN_OK;
  /* Folders may be links: the shorter spelling is used if it is the same file. */
  if (kiln_file_target_info(kiln_buf_text(&texts->path), &shorter, NULL) == KILN_OK && shorter.inode == info.inode &&
      shorter.device == info.device) {
    path = kiln_arena_strdup(&texts->arena, kiln_buf_text(&texts->path));
    if (!path)
      return no_memory(error);
  }
  return read_file(texts, path, position, &info, found, error);
}

static enum kiln_status
try_in(struct kiln_nvrtc_texts *texts, const char *folder, const char *name, int position, int *found,
    struct kiln_error *error)
{
  struct kiln_buf path;
  if (!*folder)
    return KILN_OK;
  kiln_buf_init(&path);
  kiln_text_join(&path, folder, name);
  enum kiln_status status =
      path.failed ? no_memory(error) : try_path(texts, kiln_buf_text(&path), position, found, error);
  kiln_buf_release(&path);
  return status;
}

/* ---- the order ---- */

/* A source of the spec by its name, seen from the item that includes it. */
static int
of_spec(struct kiln_nvrtc_texts *texts, const char *beside, const char *name)
{
  struct kiln_buf joined;
  int found = KILN_NVRTC_NOT_FOUND;
  const size_t len = (size_t)(kiln_text_base_name(beside) - beside);
  kiln_buf_init(&joined);
  kiln_buf_append(&joined, beside, len);
  kiln_buf_text_append(&joined, name);
  shorten(kiln_buf_text(&joined), &texts->path);
  for (size_t i = 0; i < texts->count && texts->items[i].of_spec && found < 0; i++)
    if (strcmp(texts->items[i].name, kiln_buf_text(&texts->path)) == 0)
      found = (int)i;
  kiln_buf_release(&joined);
  return found;
}

/* Folders by position: those of the spec, then the toolkit's. */
static const char *
folder_at(const struct kiln_nvrtc_texts *texts, size_t position)
{
  const size_t includes = texts->input->spec->includes.count;
  if (position < includes)
    return texts->input->roots[position];
  return position < includes + 2 ? texts->folders[position - includes] : NULL;
}

static enum kiln_status
search_beside(struct kiln_nvrtc_texts *texts, size_t from, const char *name, int *found, struct kiln_error *error)
{
  const struct kiln_nvrtc_text includer = texts->items[from]; /* the array may move */
  struct kiln_buf folder;
  if (includer.of_spec)
    *found = of_spec(texts, includer.name, name);
  if (*found >= 0 || !includer.path)
    return KILN_OK;
  kiln_buf_init(&folder);
  kiln_buf_append(&folder, includer.path, (size_t)(kiln_text_base_name(includer.path) - includer.path));
  enum kiln_status status = try_in(texts, kiln_buf_text(&folder), name, includer.position, found, error);
  kiln_buf_release(&folder);
  return status;
}

static enum kiln_status
search_all(struct kiln_nvrtc_texts *texts, size_t from, const struct kiln_scan_hit *hit, const char *name, int *found,
    struct kiln_error *error)
{
  const struct kiln_build_input *input = texts->input;
  const bool next = hit->kind == KILN_SCAN_INCLUDE_NEXT && texts->items[from].position >= 0;
  const bool quoted = hit->open == '"' && !next;
  enum kiln_status status = KILN_OK;
  if (name[0] == '/')
    return try_path(texts, name, KILN_NVRTC_NOT_FOUND, found, error);
  if (quoted)
    status = search_beside(texts, from, name, found, error);
  if (status == KILN_OK && *found < 0 && !next)
    *found = of_spec(texts, "", name);
  /* The folders of sources, for the headers of headers: as -iquote has it. */
  for (size_t i = input->spec->includes.count; i < input->root_count && quoted && status == KILN_OK && *found < 0; i++)
    status = try_in(texts, input->roots[i], name, KILN_NVRTC_NOT_FOUND, found, error);
  size_t position = next ? (size_t)texts->items[from].position + 1 : 0;
  for (; status == KILN_OK && *found < 0 && folder_at(texts, position); position++)
    status = try_in(texts, folder_at(texts, position), name, (int)position, found, error);
  return status;
}

enum kiln_status
kiln_nvrtc_search(struct kiln_nvrtc_texts *texts, size_t from, const struct kiln_scan_hit *hit, const char *name,
    size_t len, int *found, struct kiln_error *error)
{
  bool fresh;
  *found = KILN_NVRTC_NOT_FOUND;
  const char *word = kiln_arena_copy(&texts->arena, name, len);
  kiln_buf_clear(&texts->question);
  /* Names in quotes and "next" mean something else in each place. */
  if (hit->open == '"' || hit->kind == KILN_SCAN_INCLUDE_NEXT)
    kiln_buf_printf(&texts->question, "%d %zu %s", (int)(hit->kind == KILN_SCAN_INCLUDE_NEXT), from, word);
  else
    kiln_buf_printf(&texts->question, "<%s", word);
  const size_t *known =
      word && !texts->question.failed ? answer_to(texts, kiln_buf_text(&texts->question), &fresh) : NULL;
  if (!known)
    return no_memory(error);
  if (!fresh) {
    *found = (int)*known - 1;
    return KILN_OK;
  }
  const char *question = kiln_intern_text(&texts->words, kiln_buf_text(&texts->question));
  enum kiln_status status = search_all(texts, from, hit, word, found, error);
  size_t *answer = answer_to(texts, question, &fresh); /* the table may have grown */
  if (answer)
    *answer = (size_t)*found + 1; /* not found: 0 */
  return status;
}

/* ---- the sources of the spec ---- */

static enum kiln_status
add_source(struct kiln_nvrtc_texts *texts, size_t i, struct kiln_error *error)
{
  const struct kiln_spec_source *source = &texts->input->spec->sources[i];
  struct kiln_file_info info;
  struct kiln_nvrtc_text text = {.name = source->name, .path = source->path, .position = -1, .of_spec = true};
  kiln_buf_init(&text.text);
  kiln_buf_init(&text.ready);
  /* Not the file: the bytes that were hashed. */
  kiln_buf_append(&text.text, kiln_buf_text(&texts->input->texts[i]), texts->input->texts[i].len);
  enum kiln_status status = text.text.failed ? no_memory(error) : KILN_OK;
  if (status == KILN_OK && source->path && kiln_file_target_info(source->path, &info, NULL) == KILN_OK) {
    text.device = info.device;
    text.inode = info.inode;
  }
  text.name = kiln_intern_text(&texts->words, source->name);
  if (status == KILN_OK && (!text.name || !KILN_GROW(texts->items, texts->count, texts->capacity)))
    status = no_memory(error);
  if (status == KILN_OK)
    texts->items[texts->count++] = text;
  else
    kiln_buf_release(&text.text);
  return status;
}

enum kiln_status
kiln_nvrtc_search_begin(struct kiln_nvrtc_texts *texts, struct kiln_error *error)
{
  const struct kiln_spec *spec = texts->input->spec;
  size_t compiled = 0;
  while (compiled < spec->source_count && !kiln_text_ends(spec->sources[compiled].name, ".cu"))
    compiled++;
  if (compiled == spec->source_count)
    return kiln_error_set(error, KILN_ERROR_ARGUMENT, "spec '%s' has no source that ends in .cu", spec->name);
  enum kiln_status status = add_source(texts, compiled, error);
  for (size_t i = 0; i < spec->source_count && status == KILN_OK; i++)
    if (i != compiled)
      status = add_source(texts, i, error);
  return status;
}
