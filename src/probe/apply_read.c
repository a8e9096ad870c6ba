/* What became of the levers, and the one line about it. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "probe/apply.h"
#include "probe/model.h"

#define REASONS 3                                  /* levers whose reasons are given; of more the name */
#define BUILT_ITSELF "the program built it itself" /* as agents/python/lever_ahead.py says it */

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

static bool
is_applied(const struct kiln_model_lever *row)
{
  return kiln_text_equal(row->state, "applied");
}

static bool
same_module(const struct kiln_model_lever *a, const struct kiln_model_lever *b)
{
  return kiln_text_equal(a->id, b->id) && kiln_text_equal(a->module, b->module);
}

/* That the program built it itself is no reason where its builder said one. */
static bool
has_reason(const struct kiln_model *model, const struct kiln_model_lever *row)
{
  if (!kiln_text_equal(row->detail, BUILT_ITSELF))
    return true;
  for (size_t i = 0; i < model->lever_count; i++) {
    const struct kiln_model_lever *other = &model->levers[i];
    if (same_module(other, row) && !is_applied(other) && !kiln_text_equal(other->detail, BUILT_ITSELF))
      return false;
  }
  return true;
}

/* The same of the same module was counted before: several processes, or several details. */
static bool
is_repeated(const struct kiln_model *model, size_t at)
{
  const struct kiln_model_lever *row = &model->levers[at];
  for (size_t i = 0; i < at; i++) {
    const struct kiln_model_lever *other = &model->levers[i];
    if (same_module(other, row) && is_applied(other) == is_applied(row) &&
        (is_applied(row) || has_reason(model, other)))
      return true;
  }
  return false;
}

static void
add_reason(struct kiln_apply_lever *lever, const struct kiln_model_lever *row)
{
  const char *detail = row->detail ? row->detail : "it did not arrive";
  for (size_t i = 0; i < KILN_APPLY_REASONS; i++) {
    struct kiln_apply_reason *reason = &lever->reasons[i];
    if (reason->count == 0) {
      snprintf(reason->module, sizeof reason->module, "%s", row->module ? row->module : "");
      snprintf(reason->text, sizeof reason->text, "%s", detail);
    }
    if (reason->count == 0 || strncmp(reason->text, detail, sizeof reason->text - 1) == 0) {
      reason->count++;
      return;
    }
  }
}

static void
take(struct kiln_apply *apply, const struct kiln_model *model, size_t at)
{
  const struct kiln_model_lever *row = &model->levers[at];
  struct kiln_apply_lever *lever = find(apply, row->id);
  if (!lever || !row->state || is_repeated(model, at))
    return;
  if (is_applied(row)) {
    lever->arrived++;
    return;
  }
  if (row->module && (has_arrived(model, row) || !has_reason(model, row)))
    return;
  lever->failed = lever->failed || !row->module;
  lever->missed += row->module != NULL;
  add_reason(lever, row);
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
      if (!kiln_text_equal(model->levers[i].detail, BUILT_ITSELF))
        take(apply, model, i);
    for (size_t i = 0; i < model->lever_count; i++) /* the reason that says least comes last */
      if (kiln_text_equal(model->levers[i].detail, BUILT_ITSELF))
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

/* "0 of 5 arrived; each of 5 modules: its builder was ended by signal 11", or "sim.flow: its file is gone". */
static void
say_reasons(const struct kiln_apply_lever *lever, struct kiln_buf *text)
{
  if (lever->arrived == 0 && lever->meant > 1 && lever->missed > 0)
    kiln_buf_printf(text, "0 of %zu arrived; ", lever->meant);
  for (size_t i = 0; i < KILN_APPLY_REASONS && lever->reasons[i].count > 0; i++) {
    const struct kiln_apply_reason *reason = &lever->reasons[i];
    kiln_buf_text_append(text, i == 0 ? "" : "; ");
    if (reason->count > 1)
      kiln_buf_printf(text, "each of %zu modules: ", reason->count);
    else if (reason->module[0] != '\0')
      kiln_buf_printf(text, "%s: ", reason->module);
    kiln_buf_text_append(text, reason->text);
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
    kiln_buf_text_append(text, lever->id);
    if (*words > REASONS)
      continue;
    kiln_buf_text_append(text, " (");
    say_reasons(lever, text);
    kiln_buf_text_append(text, ")");
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
