#include "op/tool/new.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "op/tool/export.h"
#include "op/tool/page.h"
#include "os/file.h"
#include "registry/op.h"

#define MOST_NAME 48
#define MOST_TEXT ((size_t)1 << 20)
#define REGISTRY "src/registry/op.c"
#define LAST_LINE "  /* the last */"

struct fresh {
  const struct kiln_sources *sources;
  char family[MOST_NAME + 1], name[MOST_NAME + 1];
  struct kiln_op op; /* the template under its new name */
  struct kiln_buf *out;
  struct kiln_error *error;
};

/* ---- names ---- */

static bool
good_word(const char *text, size_t len)
{
  if (len == 0 || len > MOST_NAME || !islower((unsigned char)*text))
    return false;
  for (size_t i = 0; i < len; i++)
    if (!islower((unsigned char)text[i]) && !isdigit((unsigned char)text[i]) && text[i] != '_')
      return false;
  return true;
}

static enum kiln_status
take_name(struct fresh *fresh, const char *name)
{
  const char *slash = strchr(name, '/');
  const size_t len = slash ? (size_t)(slash - name) : 0;
  if (!slash || !good_word(name, len) || !good_word(slash + 1, strlen(slash + 1))) {
    kiln_error_set(fresh->error, KILN_ERROR_ARGUMENT, "'%s' is no name of a new op", name);
    kiln_error_advise(
        fresh->error, "Write <family>/<op>, both of lower-case letters, digits and '_', at most %d.", MOST_NAME);
    return KILN_ERROR_ARGUMENT;
  }
  memcpy(fresh->family, name, len);
  memcpy(fresh->name, slash + 1, strlen(slash + 1));
  if (kiln_op_find(fresh->name)) {
    kiln_error_set(fresh->error, KILN_ERROR_ARGUMENT, "there is an op '%s' already, in the family '%s'", fresh->name,
        kiln_op_find(fresh->name)->family);
    kiln_error_advise(fresh->error, "Choose another name.");
    return KILN_ERROR_ARGUMENT;
  }
  fresh->op = kiln_op_new_op;
  fresh->op.name = fresh->name;
  fresh->op.family = fresh->family;
  return KILN_OK;
}

/* ---- files ---- */

static enum kiln_status
write_file(struct fresh *fresh, const char *place, const struct kiln_buf *text)
{
  struct kiln_buf path;
  kiln_buf_init(&path);
  kiln_buf_printf(&path, "%s/../%s", fresh->sources->folder, place);
  const enum kiln_status status = kiln_file_write(kiln_buf_text(&path), kiln_buf_text(text), text->len, fresh->error);
  if (status == KILN_OK)
    kiln_buf_printf(fresh->out, "%s\n", place);
  kiln_buf_release(&path);
  return status;
}

/* Replace the template's names, in both cases of letters. */
static void
rename_all(const struct fresh *fresh, const char *text, size_t len, struct kiln_buf *out)
{
  for (size_t i = 0; i < len;)
    if (strncmp(text + i, "new_family", 10) == 0) {
      kiln_buf_text_append(out, fresh->family);
      i += 10;
    } else if (strncmp(text + i, "new_op", 6) == 0) {
      kiln_buf_text_append(out, fresh->name);
      i += 6;
    } else if (strncmp(text + i, "NEW_OP", 6) == 0) {
      for (const char *c = fresh->name; *c; c++)
        kiln_buf_printf(out, "%c", toupper((unsigned char)*c));
      i += 6;
    } else
      kiln_buf_append(out, text + i++, 1);
}

static enum kiln_status
write_folder(struct fresh *fresh)
{
  struct kiln_buf place, text;
  enum kiln_status status;
  kiln_buf_init(&place);
  kiln_buf_init(&text);
  kiln_buf_printf(&place, "%s/%s/%s", fresh->sources->folder, fresh->family, fresh->name);
  if (kiln_file_exists(kiln_buf_text(&place))) {
    status =
        kiln_error_set(fresh->error, KILN_ERROR_ARGUMENT, "the folder '%s' is there already", kiln_buf_text(&place));
    kiln_error_advise(fresh->error, "Remove it, or choose another name.");
  } else
    status = kiln_folder_make(kiln_buf_text(&place), fresh->error);
  for (const struct kiln_embedded_source *it = kiln_embedded_template; it->path && status == KILN_OK; it++) {
    kiln_buf_clear(&place);
    kiln_buf_clear(&text);
    kiln_buf_printf(&place, "kernels/%s/%s/%s", fresh->family, fresh->name, it->path);
    rename_all(fresh, it->text, it->len, &text);
    status = write_file(fresh, kiln_buf_text(&place), &text);
  }
  kiln_buf_release(&place);
  kiln_buf_release(&text);
  return status;
}

/* ---- what is made from the table ---- */

static enum kiln_status
write_definition(struct fresh *fresh)
{
  struct kiln_trial trial;
  struct kiln_buf place, reference, text;
  const struct kiln_embedded_source *it = kiln_embedded_template;
  kiln_buf_init(&place);
  kiln_buf_init(&reference);
  kiln_buf_init(&text);
  while (it->path && !kiln_text_equal(it->path, "reference.py"))
    it++;
  rename_all(fresh, it->text, it->len, &reference);
  kiln_definition_trial(&fresh->op, &trial);
  kiln_definition_write(&trial, kiln_buf_text(&reference), &text);
  kiln_buf_printf(&place, "kernels/%s/%s/definition.json", fresh->family, fresh->name);
  const enum kiln_status status = write_file(fresh, kiln_buf_text(&place), &text);
  kiln_buf_release(&place);
  kiln_buf_release(&reference);
  kiln_buf_release(&text);
  return status;
}

static enum kiln_status
write_made(struct fresh *fresh)
{
  struct kiln_buf place, text;
  kiln_buf_init(&place);
  kiln_buf_init(&text);
  kiln_buf_printf(&place, "include/kiln/ops/%s.h", fresh->name);
  kiln_export_header(&fresh->op, &text);
  enum kiln_status status = write_file(fresh, kiln_buf_text(&place), &text);
  kiln_buf_clear(&place);
  kiln_buf_clear(&text);
  kiln_buf_printf(&place, "docs/ops/%s.md", fresh->name);
  kiln_page_write(&fresh->op, &text);
  if (status == KILN_OK)
    status = write_file(fresh, kiln_buf_text(&place), &text);
  kiln_buf_release(&place);
  kiln_buf_release(&text);
  return status == KILN_OK ? write_definition(fresh) : status;
}

/* ---- the line in the registry ---- */

static enum kiln_status
write_registry(struct fresh *fresh)
{
  struct kiln_buf path, text, line;
  kiln_buf_init(&path);
  kiln_buf_init(&text);
  kiln_buf_init(&line);
  kiln_buf_printf(&path, "%s/../" REGISTRY, fresh->sources->folder);
  enum kiln_status status = kiln_file_read(kiln_buf_text(&path), MOST_TEXT, &text, fresh->error);
  const char *last = status == KILN_OK ? strstr(kiln_buf_text(&text), LAST_LINE) : NULL;
  if (status == KILN_OK && !last)
    status = kiln_error_set(fresh->error, KILN_ERROR_FORMAT, "'%s' has no line '%s'", kiln_buf_text(&path), LAST_LINE);
  if (status == KILN_OK) {
    kiln_buf_append(&line, text.data, (size_t)(last - text.data));
    kiln_buf_printf(&line, "  OP(%s) \\\n%s", fresh->name, last);
    status = write_file(fresh, REGISTRY, &line);
  }
  kiln_buf_release(&path);
  kiln_buf_release(&text);
  kiln_buf_release(&line);
  return status;
}

enum kiln_status
kiln_op_new(const struct kiln_sources *sources, const char *name, struct kiln_buf *out, struct kiln_error *error)
{
  struct fresh fresh = {.sources = sources, .out = out, .error = error};
  if (!sources->folder) {
    kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "a new op needs a source tree, and this kiln is not in one");
    kiln_error_advise(error, "Let KILN_KERNELS name the folder kernels/ of a tree.");
    return KILN_ERROR_ENVIRONMENT;
  }
  enum kiln_status status = take_name(&fresh, name);
  if (status == KILN_OK)
    status = write_folder(&fresh);
  if (status == KILN_OK)
    status = write_made(&fresh);
  return status == KILN_OK ? write_registry(&fresh) : status;
}
