#include "op/tool/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "op/call.h"
#include "op/tool/ahead.h"
#include "op/tool/export.h"
#include "op/tool/lint.h"
#include "op/tool/page.h"
#include "op/tool/run.h"
#include "os/file.h"
#include "registry/op.h"

#define MOST_TEXT ((size_t)4 << 20)

static void say(struct kiln_op_checking *checking, const char *op, const char *layer, const char *format, ...)
    KILN_PRINTF(4, 5);

static void
say(struct kiln_op_checking *checking, const char *op, const char *layer, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  kiln_buf_printf(checking->out, "%s: %s: ", op, layer);
  kiln_buf_vprintf(checking->out, format, args);
  kiln_buf_text_append(checking->out, "\n");
  va_end(args);
  checking->found++;
}

/* ---- the table ---- */

static void
check_table(struct kiln_op_checking *checking, const struct kiln_op *op)
{
  struct kiln_buf lines;
  kiln_buf_init(&lines);
  kiln_op_lint(op, &lines);
  for (char *line = lines.data; line && *line;) {
    char *end = strchr(line, '\n');
    *end = '\0';
    say(checking, op->name, "table", "%s", line);
    line = end + 1;
  }
  kiln_buf_release(&lines);
}

/* ---- files ---- */

static void
op_path(const struct kiln_op *op, const char *file, struct kiln_buf *path)
{
  kiln_buf_clear(path);
  kiln_buf_printf(path, "%s/%s/%s", op->family, op->name, file);
}

/* The table that runs is the one of the build: an edited op.c is not seen before the next one. */
static void
check_built(
    struct kiln_op_checking *checking, const struct kiln_sources *sources, const struct kiln_op *op, const char *file)
{
  const struct kiln_sources inside = {NULL, NULL};
  struct kiln_buf path, now, built;
  kiln_buf_init(&path);
  kiln_buf_init(&now);
  kiln_buf_init(&built);
  op_path(op, file, &path);
  if (kiln_sources_read(sources, kiln_buf_text(&path), &now, NULL) != KILN_OK)
    say(checking, op->name, "files", "kernels/%s is missing", kiln_buf_text(&path));
  else if (kiln_sources_read(&inside, kiln_buf_text(&path), &built, NULL) == KILN_OK &&
           !kiln_text_equal(kiln_buf_text(&now), kiln_buf_text(&built)))
    say(checking, op->name, "files", "kernels/%s changed since this kiln was built; build it again",
        kiln_buf_text(&path));
  kiln_buf_release(&path);
  kiln_buf_release(&now);
  kiln_buf_release(&built);
}

static void
check_files(struct kiln_op_checking *checking, const struct kiln_sources *sources, const struct kiln_op *op)
{
  static const char *const built[] = {"op.c", "params.h", "reference.c"};
  static const char *const texts[] = {"cpu.c", "device.cu", "README.md"};
  struct kiln_buf path;
  kiln_buf_init(&path);
  for (size_t i = 0; i < sizeof built / sizeof *built; i++)
    check_built(checking, sources, op, built[i]);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    kiln_buf_clear(&path);
    kiln_buf_printf(&path, "%s/%s/%s/%s", sources->folder, op->family, op->name, texts[i]);
    if (!kiln_file_exists(kiln_buf_text(&path)))
      say(checking, op->name, "files", "kernels/%s/%s/%s is missing", op->family, op->name, texts[i]);
  }
  kiln_buf_release(&path);
}

/* ---- what is made from the table ---- */

/* place: relative to the tree. */
static enum kiln_status
check_made(struct kiln_op_checking *checking, const struct kiln_sources *sources, const char *op, const char *place,
    const struct kiln_buf *text, struct kiln_error *error)
{
  struct kiln_buf path, there;
  enum kiln_status status = KILN_OK;
  kiln_buf_init(&path);
  kiln_buf_init(&there);
  kiln_buf_printf(&path, "%s/../%s", sources->folder, place);
  const bool read = kiln_file_read(kiln_buf_text(&path), MOST_TEXT, &there, NULL) == KILN_OK;
  if (!read || !kiln_text_equal(kiln_buf_text(&there), kiln_buf_text(text))) {
    if (checking->update) {
      status = kiln_file_write(kiln_buf_text(&path), text->data, text->len, error);
      checking->written += status == KILN_OK;
    } else
      say(checking, op, "made", "%s is %s; 'kiln op check --update' writes it", place,
          read ? "not what the table says" : "missing");
  }
  kiln_buf_release(&path);
  kiln_buf_release(&there);
  return status;
}

static enum kiln_status
check_header_and_page(struct kiln_op_checking *checking, const struct kiln_sources *sources, const struct kiln_op *op,
    struct kiln_error *error)
{
  struct kiln_buf place, text;
  kiln_buf_init(&place);
  kiln_buf_init(&text);
  kiln_buf_printf(&place, "include/kiln/ops/%s.h", op->name);
  kiln_export_header(op, &text);
  enum kiln_status status = check_made(checking, sources, op->name, kiln_buf_text(&place), &text, error);
  kiln_buf_clear(&place);
  kiln_buf_clear(&text);
  kiln_buf_printf(&place, "docs/ops/%s.md", op->name);
  kiln_page_write(op, &text);
  if (status == KILN_OK)
    status = check_made(checking, sources, op->name, kiln_buf_text(&place), &text, error);
  kiln_buf_release(&place);
  kiln_buf_release(&text);
  return status;
}

static enum kiln_status
check_definition(struct kiln_op_checking *checking, const struct kiln_sources *sources, const struct kiln_op *op,
    struct kiln_error *error)
{
  struct kiln_error why = {0};
  struct kiln_trial trial;
  struct kiln_buf path, reference, text;
  enum kiln_status status = KILN_OK;
  kiln_buf_init(&path);
  kiln_buf_init(&reference);
  kiln_buf_init(&text);
  op_path(op, "reference.py", &path);
  if (kiln_sources_read(sources, kiln_buf_text(&path), &reference, NULL) != KILN_OK)
    say(checking, op->name, "definition", "kernels/%s is missing", kiln_buf_text(&path));
  else {
    kiln_definition_trial(op, &trial);
    kiln_definition_write(&trial, kiln_buf_text(&reference), &text);
    if (kiln_definition_check(kiln_buf_text(&text), text.len, &why) != KILN_OK)
      say(checking, op->name, "definition", "%s", why.what);
    kiln_buf_clear(&path);
    kiln_buf_printf(&path, "kernels/%s/%s/definition.json", op->family, op->name);
    status = check_made(checking, sources, op->name, kiln_buf_text(&path), &text, error);
  }
  kiln_buf_release(&path);
  kiln_buf_release(&reference);
  kiln_buf_release(&text);
  return status;
}

/* ---- kernels ---- */

/* Each shape and dtype on the CPU. */
static enum kiln_status
check_cpu(struct kiln_op_checking *checking, const struct kiln_op *op)
{
  struct kiln_matrix matrix = {.op = op};
  struct kiln_trial trial;
  struct kiln_run run;
  while (kiln_matrix_next(&matrix, checking->kiln, &trial)) {
    struct kiln_error why = {0};
    struct kiln_buf what;
    if (trial.form != KILN_FORM_COMPACT)
      continue;
    kiln_buf_init(&what);
    kiln_matrix_describe(&trial, &what);
    const enum kiln_status status = kiln_run_trial(&trial, 0, &run, &why);
    if (status != KILN_OK)
      say(checking, op->name, "cpu", "%s: %s", kiln_buf_text(&what), why.what);
    else if (!run.result.ok)
      say(checking, op->name, "cpu", "%s: %s", kiln_buf_text(&what), run.result.worst);
    kiln_buf_release(&what);
    if (status != KILN_OK)
      return status; /* what does not compile does not do so for every shape */
  }
  return KILN_OK;
}

struct compile {
  struct kiln_op_checking *checking;
  bool stopped;
};

/* One CUDA kernel for one architecture: does it compile and define its entry? What does not for one reason of this
 * machine will not for the others either. */
static bool
compile_one(void *context, const struct kiln_ahead *ahead)
{
  struct compile *compile = context;
  struct kiln_op_checking *checking = compile->checking;
  struct kiln_error why = {0};
  enum kiln_result result;
  double ms;
  const enum kiln_status status = kiln_ahead_build(checking->kiln, ahead, &result, &ms, &why);
  compile->stopped = status != KILN_OK;
  if (status == KILN_ERROR_NOT_FOUND || status == KILN_ERROR_ENVIRONMENT || status == KILN_ERROR_ARGUMENT) {
    if (!strstr(kiln_buf_text(&checking->notes), why.what))
      kiln_buf_printf(&checking->notes, "CUDA kernels were not compiled: %s\n", why.what);
  } else if (status != KILN_OK) {
    char name[12];
    say(checking, ahead->checked->op->name, "cuda", "%s for %s: %s", ahead->checked->variant->name,
        kiln_target_name(ahead->target, name), why.what);
  }
  return !compile->stopped;
}

/* Everything on the ahead-of-time list. */
static enum kiln_status
check_cuda(struct kiln_op_checking *checking, const struct kiln_op *op, struct kiln_error *error)
{
  static const uint16_t capabilities[] = {80, 90, 100, 120};
  struct compile compile = {checking, false};
  enum kiln_status status = KILN_OK;
  for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities && status == KILN_OK && !compile.stopped; i++) {
    const struct kiln_target target = {KILN_BACKEND_CUDA, capabilities[i]};
    status = kiln_ahead_list(op, &target, compile_one, &compile, error);
  }
  return status;
}

/* ---- all ---- */

enum kiln_status
kiln_op_check_layers(struct kiln_op_checking *checking, const struct kiln_op *op, struct kiln_error *error)
{
  struct kiln_ops *ops;
  const unsigned before = checking->found;
  enum kiln_status status = kiln_ops_of(checking->kiln, &ops, error);
  if (status != KILN_OK)
    return status;
  const struct kiln_sources *sources = kiln_ops_sources(ops);
  check_table(checking, op);
  if (checking->found > before)
    return KILN_OK; /* everything else is made from it */
  if (sources->folder) {
    check_files(checking, sources, op);
    status = check_header_and_page(checking, sources, op, error);
    if (status == KILN_OK)
      status = check_definition(checking, sources, op, error);
  }
  if (status != KILN_OK)
    return status;
  check_cpu(checking, op);
  return check_cuda(checking, op, error);
}

struct walk {
  struct kiln_op_checking *checking;
  size_t root; /* length of the folder's name */
};

/* <family>/<op>/op.c without a line in the registry. */
static bool
visit(void *context, const char *path, const struct kiln_file_info *info)
{
  struct walk *walk = context;
  char name[64];
  (void)info;
  if (!kiln_text_equal(kiln_text_base_name(path), "op.c"))
    return true;
  const char *end = path + strlen(path) - 5, *begin = end;
  while (begin > path && begin[-1] != '/')
    begin--;
  if ((size_t)(end - begin) >= sizeof name)
    return true;
  memcpy(name, begin, (size_t)(end - begin));
  name[end - begin] = '\0';
  if (!kiln_op_find(name))
    say(walk->checking, name, "registry", "kernels%s is in no line of src/registry/op.c, or kiln was not built since",
        path + walk->root);
  return true;
}

enum kiln_status
kiln_op_check_registry(struct kiln_op_checking *checking, struct kiln_error *error)
{
  struct kiln_ops *ops;
  const enum kiln_status status = kiln_ops_of(checking->kiln, &ops, error);
  if (status != KILN_OK || !kiln_ops_sources(ops)->folder)
    return status;
  const char *folder = kiln_ops_sources(ops)->folder;
  struct walk walk = {checking, strlen(folder)};
  return kiln_folder_walk(folder, 3, visit, &walk, error);
}
