/* What became of the levers, and the one line about it. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "probe/apply.h"
#include "probe/model.h"

#define REASONS 3 /* that are given in full; more are counted */

static struct kiln_apply_lever *
find(struct kiln_apply *apply, const char *id)
{
  for (size_t i = 0; i < apply->count && id; i++)
    if (kiln_text_equal(apply->levers[i].id, id))
      return &apply->levers[i];
  return NULL;
}

/* Did this module, or without one any process, get the lever? Whoever said so after another had said no is right. */
static bool
has_arrived(const struct kiln_model *model, const struct kiln_model_lever *row)
{
  for (size_t i = 0; i < model->lever_count; i++) {
    const struct kiln_model_lever *other = &model->levers[i];
    if (kiln_text_equal(other->id, row->id) && kiln_text_equal(other->module, row->module) &&
        kiln_text_equal(other->state, "applied"))
      return true;
  }
  return false;
}

/* The same of the same module was counted before: several processes, or several details. */
static bool
is_repeated(const struct kiln_model *model, size_t at)
{
  const struct kiln_model_lever *row = &model->levers[at];
  for (size_t i = 0; i < at; i++) {
    const struct kiln_model_lever *other = &model->levers[i];
    if (kiln_text_equal(other->id, row->id) && kiln_text_equal(other->module, row->module) &&
        kiln_text_equal(other->state, row->state))
      return true;
  }
  return false;
}

static void
take(struct kiln_apply *apply, const struct kiln_model *model, size_t at)
{
  const struct kiln_model_lever *row = &model->levers[at];
  struct kiln_apply_lever *lever = find(apply, row->id);
  if (!lever || !row->state || is_repeated(model, at))
    return;
  if (kiln_text_equal(row->state, "applied")) {
    lever->arrived++;
    return;
  }
  if (row->module && has_arrived(model, row))
    return;
  lever->failed = lever->failed || !row->module;
  lever->missed += row->module != NULL;
  if (lever->why[0] == '\0')
    snprintf(lever->why, sizeof lever->why, "%s%s%s", row->module ? row->module : "", row->module ? ": " : "",
        row->detail ? row->detail : "it did not arrive");
}

void
kiln_apply_read(struct kiln_apply *apply)
{
  struct kiln_buf folder;
  struct kiln_model *model = apply->observed ? NULL : kiln_model_new();
  if (!model)
    return;
  kiln_buf_init(&folder);
  kiln_text_join(&folder, kiln_buf_text(&apply->run), "log");
  if (kiln_model_read(model, kiln_buf_text(&folder), NULL) == KILN_OK && kiln_model_finish(model, NULL) == KILN_OK) {
    for (size_t i = 0; i < model->lever_count; i++)
      take(apply, model, i);
    apply->errors = model->error_count;
    if (model->error_count > 0)
      snprintf(apply->error, sizeof apply->error, "%s", model->errors[0].message ? model->errors[0].message : "");
  }
  kiln_buf_release(&folder);
  kiln_model_free(model);
}

static void
add_word(struct kiln_buf *text, size_t *words, const char *lead)
{
  kiln_buf_text_append(text, *words == 0 ? lead : ", ");
  ++*words;
}

static void
say_applied(const struct kiln_apply *apply, struct kiln_buf *text, size_t *words)
{
  for (size_t i = 0; i < apply->count; i++) {
    const struct kiln_apply_lever *lever = &apply->levers[i];
    if (lever->arrived == 0 || (lever->failed && lever->meant == 0))
      continue;
    add_word(text, words, "applied ");
    kiln_buf_text_append(text, lever->id);
    if (lever->meant > 0)
      kiln_buf_printf(
          text, " (%zu of %zu)", lever->arrived < lever->meant ? lever->arrived : lever->meant, lever->meant);
  }
}

static void
say_missed(const struct kiln_apply *apply, struct kiln_buf *text, size_t *words)
{
  for (size_t i = 0; i < apply->count; i++) {
    const struct kiln_apply_lever *lever = &apply->levers[i];
    if (lever->missed == 0 && !lever->failed)
      continue;
    add_word(text, words, text->len > 0 ? "; did not arrive: " : "did not arrive: ");
    if (*words > REASONS)
      kiln_buf_text_append(text, lever->id);
    else
      kiln_buf_printf(text, "%s (%s)", lever->id, lever->why);
  }
}

/* Nothing was said of it: there was nothing to do, or no framework. */
static void
say_idle(const struct kiln_apply *apply, struct kiln_buf *text, size_t *words)
{
  for (size_t i = 0; i < apply->count; i++) {
    const struct kiln_apply_lever *lever = &apply->levers[i];
    if (lever->arrived > 0 || lever->missed > 0 || lever->failed)
      continue;
    add_word(text, words, text->len > 0 ? "; had nothing to do: " : "had nothing to do: ");
    kiln_buf_text_append(text, lever->id);
  }
}

void
kiln_apply_sentence(const struct kiln_apply *apply, struct kiln_buf *text)
{
  struct kiln_buf line;
  size_t applied = 0, missed = 0, idle = 0;
  if (apply->count == 0) {
    kiln_buf_text_append(text, "the ledger accepted no lever: the program ran as it is");
    return;
  }
  if (apply->observed) {
    kiln_buf_printf(text, "levers to be applied: %zu; what arrived is in the record", apply->count);
    return;
  }
  kiln_buf_init(&line);
  say_applied(apply, &line, &applied);
  say_missed(apply, &line, &missed);
  say_idle(apply, &line, &idle);
  if (apply->no_state[0] != '\0')
    kiln_buf_printf(&line, "; nothing is kept (%s)", apply->no_state);
  if (apply->errors > 0)
    kiln_buf_printf(&line, "; %s", apply->error);
  kiln_buf_append(text, line.data, line.len);
  kiln_buf_release(&line);
}
