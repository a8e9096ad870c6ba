/* Every header that a program can reach, read and rewritten so that names alone lead from one to the other. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "jit/toolchain/nvrtc/nvrtc.h"

/* What a macro may stand for, and where one is used. */
struct named {
  const char *macro;
  const char *name; /* of the header; NULL: a use */
  char open;
  size_t item;
};

/* "#define ROOT thrust/system": a part of a name, perhaps. */
struct part {
  const char *macro, *value;
};

enum { MOST_PARTS = 8, MOST_NAMES = 256 }; /* of one name; names that one use may mean */

struct collect {
  struct kiln_nvrtc_program *program;
  struct named *nameds;
  size_t named_count, named_capacity;
  struct part *parts;
  size_t part_count, part_capacity;
  size_t names; /* tried for the use that is looked at */
  /* of the item that is scanned */
  size_t item, copied; /* copied: how much of its text is in ready */
  const char *text;
  struct kiln_buf ready;
  enum kiln_status status;
  struct kiln_error *error;
};

static enum kiln_status
no_memory(struct kiln_error *error)
{
  return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the headers of a build");
}

/* ---- one text ---- */

static bool
keep_named(struct collect *collect, const struct named *named)
{
  if (named->macro && KILN_GROW(collect->nameds, collect->named_count, collect->named_capacity)) {
    collect->nameds[collect->named_count++] = *named;
    return true;
  }
  collect->status = no_memory(collect->error);
  return false;
}

static bool
keep_part(struct collect *collect, const char *macro, const char *value)
{
  if (macro && value && KILN_GROW(collect->parts, collect->part_count, collect->part_capacity)) {
    collect->parts[collect->part_count++] = (struct part){macro, value};
    return true;
  }
  collect->status = no_memory(collect->error);
  return false;
}

static const char *
word_of(struct collect *collect, const char *text, size_t len)
{
  return kiln_arena_copy(&collect->program->texts.arena, text, len);
}

/* #include_next has found its file already: what follows names it. The word is the last one in front of the name. */
static void
plain_include(struct kiln_buf *ready)
{
  static const char word[] = "include_next";
  for (size_t at = ready->len; at-- > 0;)
    if (strncmp(ready->data + at, word, sizeof word - 1) == 0) {
      memset(ready->data + at + strlen("include"), ' ', strlen("_next"));
      return;
    }
}

static bool
visit(void *context, const struct kiln_scan_hit *hit)
{
  struct collect *collect = context;
  struct kiln_nvrtc_texts *texts = &collect->program->texts;
  const char *name = collect->text + hit->begin;
  const size_t len = hit->end - hit->begin;
  int found;
  if (hit->kind == KILN_SCAN_BY_MACRO)
    return keep_named(collect, &(struct named){.macro = word_of(collect, name, len), .item = collect->item});
  if (hit->kind == KILN_SCAN_DEFINES && !hit->open)
    return keep_part(collect, word_of(collect, hit->macro, hit->macro_len), word_of(collect, name, len));
  if (hit->kind == KILN_SCAN_DEFINES)
    return keep_named(collect, &(struct named){.macro = word_of(collect, hit->macro, hit->macro_len),
                                   .name = word_of(collect, name, len),
                                   .open = hit->open,
                                   .item = collect->item});
  collect->status = kiln_nvrtc_search(texts, collect->item, hit, name, len, &found, collect->error);
  if (collect->status != KILN_OK)
    return false;
  if (found >= 0) {
    kiln_buf_append(&collect->ready, collect->text + collect->copied, hit->begin - collect->copied);
    if (hit->kind == KILN_SCAN_INCLUDE_NEXT && !collect->ready.failed)
      plain_include(&collect->ready);
    kiln_buf_text_append(&collect->ready, texts->items[found].name);
    collect->copied = hit->end;
  }
  return true;
}

static enum kiln_status
scan_item(struct collect *collect, size_t item)
{
  struct kiln_nvrtc_texts *texts = &collect->program->texts;
  const struct kiln_buf *text = &texts->items[item].text;
  const size_t len = text->len;
  collect->item = item;
  collect->copied = 0;
  collect->text = kiln_buf_text(text); /* stays where it is when the array moves */
  kiln_buf_init(&collect->ready);
  if (memchr(collect->text, '\0', len)) {
    kiln_error_set(collect->error, KILN_ERROR_ARGUMENT, "'%s' has a zero byte, which NVRTC takes for its end",
        texts->items[item].name);
    kiln_error_advise(collect->error, "Save it as plain text.");
    return KILN_ERROR_ARGUMENT;
  }
  if (!kiln_scan_includes(collect->text, len, visit, collect)) {
    kiln_buf_release(&collect->ready);
    return collect->status;
  }
  if (collect->copied > 0)
    kiln_buf_append(&collect->ready, collect->text + collect->copied, len - collect->copied);
  texts->items[item].ready = collect->ready;
  return collect->ready.failed ? no_memory(collect->error) : KILN_OK;
}

/* ---- names that macros make ---- */

static enum kiln_status
add_alias(struct collect *collect, const char *name, size_t item)
{
  struct kiln_nvrtc_program *program = collect->program;
  for (size_t i = 0; i < program->texts.count; i++)
    if (strcmp(program->texts.items[i].name, name) == 0)
      return KILN_OK; /* its own name, or that of another, which then is what NVRTC takes */
  for (size_t i = 0; i < program->alias_count; i++)
    if (strcmp(program->aliases[i].name, name) == 0)
      return KILN_OK;
  if (!KILN_GROW(program->aliases, program->alias_count, program->alias_capacity))
    return no_memory(collect->error);
  program->aliases[program->alias_count++] = (struct kiln_nvrtc_alias){name, item};
  return KILN_OK;
}

/* "-DNAME=<name>" of the spec. */
static enum kiln_status
add_spec_defines(struct collect *collect)
{
  const struct kiln_text_list *defines = &collect->program->texts.input->spec->defines;
  for (size_t i = 0; i < defines->count; i++) {
    const char *value = strchr(defines->items[i], '=');
    const size_t len = value ? strlen(value + 1) : 0;
    if (len < 3 || (value[1] != '"' && value[1] != '<'))
      continue;
    if (!keep_named(
            collect, &(struct named){.macro = word_of(collect, defines->items[i], (size_t)(value - defines->items[i])),
                         .name = word_of(collect, value + 2, len - 2),
                         .open = value[1]}))
      return collect->status;
  }
  return KILN_OK;
}

static bool
is_word(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static enum kiln_status
try_name(struct collect *collect, const struct named *use, char open, const char *name)
{
  int found;
  const struct kiln_scan_hit hit = {.kind = KILN_SCAN_INCLUDE, .open = open};
  enum kiln_status status =
      kiln_nvrtc_search(&collect->program->texts, use->item, &hit, name, strlen(name), &found, collect->error);
  return status == KILN_OK && found >= 0 ? add_alias(collect, name, (size_t)found) : status;
}

/* Try the name as it is, and with each of its words that is a macro replaced by each thing that it may be. */
static enum kiln_status
try_names(struct collect *collect, const struct named *use, char open, const char *name, int depth)
{
  enum kiln_status status = try_name(collect, use, open, name);
  for (const char *at = name; *at && depth < MOST_PARTS && status == KILN_OK;) {
    size_t len = 0;
    while (is_word(at[len]))
      len++;
    for (size_t i = 0; i < collect->part_count && len > 0 && status == KILN_OK; i++) {
      const struct part part = collect->parts[i];
      if (strncmp(part.macro, at, len) != 0 || part.macro[len] != '\0' || ++collect->names > MOST_NAMES)
        continue;
      struct kiln_buf other;
      kiln_buf_init(&other);
      kiln_buf_append(&other, name, (size_t)(at - name));
      kiln_buf_text_append(&other, part.value);
      kiln_buf_text_append(&other, at + len);
      const char *kept = kiln_intern_text(&collect->program->texts.words, kiln_buf_text(&other));
      kiln_buf_release(&other);
      status = kept ? try_names(collect, use, open, kept, depth + 1) : no_memory(collect->error);
    }
    at += len ? len : 1;
  }
  return status;
}

/* Each use with each thing that its macro may be; new texts may come of it. */
static enum kiln_status
follow_macros(struct collect *collect)
{
  enum kiln_status status = KILN_OK;
  for (size_t use = 0; use < collect->named_count && status == KILN_OK; use++) {
    const struct named used = collect->nameds[use];
    collect->names = 0;
    for (size_t i = 0; i < collect->named_count && !used.name && status == KILN_OK; i++)
      if (collect->nameds[i].name && strcmp(collect->nameds[i].macro, used.macro) == 0)
        status = try_names(collect, &used, collect->nameds[i].open, collect->nameds[i].name, 0);
  }
  return status;
}

static enum kiln_status
follow(struct collect *collect)
{
  struct kiln_nvrtc_texts *texts = &collect->program->texts;
  enum kiln_status status = add_spec_defines(collect);
  size_t done = 0;
  while (status == KILN_OK && done < texts->count) {
    for (; done < texts->count && status == KILN_OK; done++)
      status = scan_item(collect, done);
    if (status == KILN_OK)
      status = follow_macros(collect);
  }
  return status;
}

/* ---- all together ---- */

enum kiln_status
kiln_nvrtc_collect(struct kiln *kiln, const struct kiln_build_input *input, const struct kiln_nvrtc *nvrtc,
    uint64_t begin_ns, struct kiln_nvrtc_program *program, struct kiln_build_output *output, struct kiln_error *error)
{
  struct kiln_nvrtc_texts *texts = &program->texts;
  struct collect collect = {.program = program, .error = error};
  *program = (struct kiln_nvrtc_program){.alias_count = 0};
  texts->output = output;
  texts->input = input;
  texts->contents = kiln->contents;
  texts->begin_ns = begin_ns;
  kiln_arena_init(&texts->arena);
  kiln_intern_init(&texts->words, &texts->arena);
  kiln_buf_init(&texts->path);
  kiln_buf_init(&texts->question);
  texts->folders[0] = nvrtc->folders[0];
  texts->folders[1] = nvrtc->folders[1];
  enum kiln_status status = kiln_nvrtc_search_begin(texts, error);
  if (status == KILN_OK)
    status = follow(&collect);
  free(collect.nameds);
  free(collect.parts);
  if (status != KILN_OK)
    kiln_nvrtc_program_release(program);
  return status;
}

void
kiln_nvrtc_program_release(struct kiln_nvrtc_program *program)
{
  struct kiln_nvrtc_texts *texts = &program->texts;
  for (size_t i = 0; i < texts->count; i++) {
    kiln_buf_release(&texts->items[i].text);
    kiln_buf_release(&texts->items[i].ready);
  }
  free(texts->items);
  free(texts->answers.questions);
  free(texts->answers.indices);
  kiln_intern_release(&texts->words);
  kiln_arena_release(&texts->arena);
  kiln_buf_release(&texts->path);
  kiln_buf_release(&texts->question);
  free(program->aliases);
  *program = (struct kiln_nvrtc_program){.alias_count = 0};
}
