#include "probe/report/anonymise.h"

#include <string.h>

#include "base/text.h"
#include "probe/report/pseudonyms.h"
#include "probe/why.h"

#define SHORT_HASH 7 /* what sentences show of a hash */

static void
replace(struct kiln_pseudonyms *names, enum kiln_name_kind kind, const char **text)
{
  *text = kiln_pseudonym_of(names, kind, *text);
}

/* "/home/NAME/…": the name alone may stand in a sentence. */
static void
note_user(struct kiln_pseudonyms *names, const char *path)
{
  static const char *const homes[] = {"/home/", "/Users/"};
  for (size_t i = 0; i < sizeof homes / sizeof *homes; i++) {
    if (!kiln_text_starts(path, homes[i]))
      continue;
    const char *user = path + strlen(homes[i]);
    const size_t len = strcspn(user, "/");
    if (len && user[len] == '/')
      kiln_pseudonym_of(names, KILN_NAME_USER, kiln_arena_copy(names->arena, user, len));
  }
}

static void
replace_path(struct kiln_pseudonyms *names, enum kiln_name_kind kind, const char **path)
{
  const char *whole = *path;
  if (!whole)
    return;
  note_user(names, whole);
  replace(names, kind, path);
  kiln_pseudonym_alias(names, kiln_text_base_name(whole), *path);
}

static void
replace_where(struct kiln_pseudonyms *names, struct kiln_where *where)
{
  replace_path(names, KILN_NAME_FILE, &where->file);
}

static void
replace_hash(struct kiln_pseudonyms *names, const char **hash)
{
  const char *whole = *hash;
  if (!whole)
    return;
  replace(names, KILN_NAME_HASH, hash);
  if (strlen(whole) > SHORT_HASH)
    kiln_pseudonym_alias(names, kiln_arena_copy(names->arena, whole, SHORT_HASH), *hash);
}

/* A kernel may carry its overload: "scale<array(float)>". */
static void
replace_kernel(struct kiln_pseudonyms *names, const char **kernel)
{
  const char *whole = *kernel, *sign = whole ? strchr(whole, '<') : NULL;
  if (!sign || sign == whole) {
    replace(names, KILN_NAME_KERNEL, kernel);
    return;
  }
  const char *key = kiln_arena_copy(names->arena, whole, (size_t)(sign - whole));
  const char *overload = kiln_arena_copy(names->arena, sign + 1, strcspn(sign + 1, ">"));
  key = kiln_pseudonym_of(names, KILN_NAME_KERNEL, key);
  overload = kiln_pseudonym_of(names, KILN_NAME_OVERLOAD, overload);
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_buf_printf(&text, "%s<%s>", key ? key : "", overload ? overload : "");
  const char *made = kiln_arena_strdup(names->arena, kiln_buf_text(&text));
  kiln_buf_release(&text);
  names->failed = names->failed || !made;
  kiln_pseudonym_alias(names, whole, made);
  *kernel = kiln_pseudonym_of(names, KILN_NAME_KERNEL, whole);
}

static void
replace_word(struct kiln_pseudonyms *names, const char **word)
{
  if (*word && strchr(*word, '/'))
    replace_path(names, KILN_NAME_WORD, word);
  else
    replace(names, KILN_NAME_WORD, word);
}

/* The words of a command line, one by one: equal words of two processes stay equal. */
static void
replace_line(struct kiln_pseudonyms *names, const char **line)
{
  struct kiln_buf text;
  if (!*line)
    return;
  kiln_buf_init(&text);
  for (const char *at = *line; *at;) {
    const size_t len = strcspn(at, " ");
    const char *word = kiln_arena_copy(names->arena, at, len);
    if (len)
      replace_word(names, &word);
    kiln_buf_text_append(&text, len && word ? word : "");
    at += len;
    if (*at) {
      kiln_buf_text_append(&text, " ");
      at++;
    }
  }
  *line = kiln_arena_strdup(names->arena, kiln_buf_text(&text));
  names->failed = names->failed || text.failed || !*line;
  kiln_buf_release(&text);
}

static void
replace_work(struct kiln_pseudonyms *names, struct kiln_model *model)
{
  for (size_t i = 0; i < model->build_count; i++) {
    struct kiln_model_build *build = &model->builds[i];
    replace(names, KILN_NAME_MODULE, &build->module);
    replace_hash(names, &build->identity);
    replace_hash(names, &build->source_digest);
    replace_path(names, KILN_NAME_PATH, &build->path);
    replace_where(names, &build->where);
  }
  for (size_t i = 0; i < model->load_count; i++) {
    replace(names, KILN_NAME_MODULE, &model->loads[i].module);
    replace_hash(names, &model->loads[i].identity);
    replace_where(names, &model->loads[i].where);
  }
  for (size_t i = 0; i < model->launch_count; i++) {
    replace_kernel(names, &model->launches[i].kernel);
    replace(names, KILN_NAME_MODULE, &model->launches[i].module);
    replace_hash(names, &model->launches[i].identity);
  }
}

static void
replace_declarations(struct kiln_pseudonyms *names, struct kiln_model *model)
{
  for (size_t i = 0; i < model->declaration_count; i++) {
    struct kiln_model_declaration *row = &model->declarations[i];
    replace(names, KILN_NAME_MODULE, &row->module);
    replace_kernel(names, &row->kernel);
    replace(names, KILN_NAME_OVERLOAD, &row->overload);
    replace_where(names, &row->where);
    replace_where(names, &row->trigger);
  }
  for (size_t i = 0; i < model->hash_count; i++) {
    struct kiln_model_hash *row = &model->hashes[i];
    replace(names, KILN_NAME_MODULE, &row->module);
    replace_hash(names, &row->identity);
    /* The rules have read them, nothing shows them; but their names stand in sentences. */
    for (size_t k = 0; k < row->kernel_count; k++) {
      const char *kernel = row->kernels[k].name;
      replace_kernel(names, &kernel);
    }
    row->kernels = row->options = NULL;
    row->kernel_count = row->option_count = 0;
  }
  for (size_t i = 0; i < model->option_count; i++) {
    replace(names, KILN_NAME_MODULE, &model->options[i].module);
    replace_where(names, &model->options[i].where);
  }
}

static void
replace_long(struct kiln_pseudonyms *names, struct kiln_model_long *span)
{
  if (kiln_text_equal(span->kind, "import"))
    replace(names, KILN_NAME_IMPORT, &span->name);
  else if (kiln_text_equal(span->kind, "declare") || kiln_text_equal(span->kind, "lookup"))
    replace_kernel(names, &span->name);
  else if (kiln_text_equal(span->kind, "link"))
    replace(names, KILN_NAME_SYMBOL, &span->name);
  else if (!kiln_text_equal(span->kind, "mark"))
    replace(names, KILN_NAME_MODULE, &span->name);
}

static void
replace_model(struct kiln_pseudonyms *names, struct kiln_model *model)
{
  if (!model)
    return;
  for (size_t i = 0; i < model->process_count; i++)
    replace_line(names, &model->processes[i].command);
  replace_work(names, model);
  replace_declarations(names, model);
  for (size_t i = 0; i < model->cache_count; i++) {
    replace_path(names, KILN_NAME_PATH, &model->caches[i].path);
    replace_where(names, &model->caches[i].where);
  }
  for (size_t i = 0; i < model->mark_count; i++)
    replace(names, KILN_NAME_WORD, &model->marks[i].name);
  for (size_t i = 0; i < model->long_count; i++)
    replace_long(names, &model->longs[i]);
}

static void
replace_names_of_findings(struct kiln_pseudonyms *names, struct kiln_finding *findings, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    struct kiln_finding *finding = &findings[i];
    if (!kiln_text_equal(finding->arm, "base") && !kiln_text_equal(finding->arm, "cand"))
      replace(names, KILN_NAME_ARM, &finding->arm);
    for (size_t j = 0; j < finding->where_count; j++)
      replace_where(names, &finding->where[j]);
    for (size_t j = 0; j < finding->cited_count; j++)
      replace_where(names, &finding->cited[j].where);
  }
}

static void
replace_why(struct kiln_pseudonyms *names, struct kiln_why *why)
{
  if (!why)
    return;
  replace_path(names, KILN_NAME_FILE, &why->than);
  for (size_t i = 0; i < why->module_count; i++) {
    struct kiln_why_module *module = &why->modules[i];
    replace(names, KILN_NAME_MODULE, &module->module);
    replace_hash(names, &module->from);
    replace_hash(names, &module->to);
    for (size_t j = 0; j < module->reason_count; j++)
      if (module->reasons[j].kind <= KILN_WHY_KERNEL_GONE && module->reasons[j].name)
        replace_kernel(names, &module->reasons[j].name);
  }
}

static void
replace_names(struct kiln_pseudonyms *names, struct kiln_report *report)
{
  for (size_t i = 0; i < report->command_count; i++)
    replace_word(names, &report->command[i]);
  for (size_t i = 0; i < report->arm_count; i++) {
    struct kiln_report_arm *arm = &report->arms[i];
    if (!kiln_text_equal(arm->name, "base") && !kiln_text_equal(arm->name, "cand"))
      replace(names, KILN_NAME_ARM, &arm->name);
    for (size_t j = 0; arm->command != report->command && j < arm->command_count; j++)
      replace_word(names, &arm->command[j]);
    arm->inputs = 0; /* a digest of files that others may have too */
    for (size_t j = 0; j < arm->sample_count; j++) {
      replace_model(names, arm->samples[j].cold.model);
      replace_model(names, arm->samples[j].warm.model);
    }
  }
  replace_names_of_findings(names, report->findings, report->finding_count);
  replace_names_of_findings(names, report->others, report->other_count);
}

static void
replace_sentence(struct kiln_pseudonyms *names, const char **sentence)
{
  struct kiln_buf text;
  if (!*sentence)
    return;
  kiln_buf_init(&text);
  kiln_pseudonyms_replace(names, *sentence, &text);
  *sentence = text.failed ? NULL : kiln_arena_strdup(names->arena, kiln_buf_text(&text));
  names->failed = names->failed || !*sentence;
  kiln_buf_release(&text);
}

static void
replace_sentences_of_arms(struct kiln_pseudonyms *names, struct kiln_report *report)
{
  for (size_t i = 0; i < report->arm_count; i++)
    for (size_t j = 0; j < report->arms[i].sample_count; j++) {
      struct kiln_report_sample *sample = &report->arms[i].samples[j];
      struct kiln_model *const models[2] = {sample->cold.model, sample->warm.model};
      replace_sentence(names, &sample->invalid_because);
      for (int k = 0; k < 2; k++)
        for (size_t e = 0; models[k] && e < models[k]->error_count; e++)
          replace_sentence(names, &models[k]->errors[e].message);
    }
  for (size_t i = 0; i < report->pair_count; i++)
    replace_sentence(names, &report->pairs[i].invalid_because);
  for (size_t i = 0; i < report->verdict_count; i++)
    for (size_t j = 0; j < report->verdicts[i].note_count; j++)
      replace_sentence(names, &report->verdicts[i].notes[j]);
}

/* "a line of output matches 'RE'": the expression is the user's. */
static void
note_pattern(struct kiln_pseudonyms *names, const char *until)
{
  const char *begin = until ? strchr(until, '\'') : NULL, *end = begin ? strrchr(begin + 1, '\'') : NULL;
  if (end && end > begin + 1)
    kiln_pseudonym_of(names, KILN_NAME_WORD, kiln_arena_copy(names->arena, begin + 1, (size_t)(end - begin - 1)));
}

/* What a rule writes for everybody (not_when, confirm, deadline) holds no name. */
static void
replace_sentences_of_findings(struct kiln_pseudonyms *names, struct kiln_finding *findings, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    struct kiln_finding *finding = &findings[i];
    replace_sentence(names, &finding->sentence);
    replace_sentence(names, &finding->remedy);
    replace_sentence(names, &finding->gate);
    replace_sentence(names, &finding->to_measure);
    for (size_t j = 0; j < finding->evidence_count; j++)
      replace_sentence(names, &finding->evidence[j]);
    for (size_t j = 0; j < finding->otherwise_count; j++)
      replace_sentence(names, &finding->otherwise[j]);
    for (size_t j = 0; j < finding->cited_count; j++)
      replace_sentence(names, &finding->cited[j].what);
  }
}

static void
replace_sentences(struct kiln_pseudonyms *names, struct kiln_report *report)
{
  replace_sentence(names, &report->failure);
  note_pattern(names, report->until);
  replace_sentence(names, &report->until);
  for (size_t i = 0; i < report->warning_count; i++)
    replace_sentence(names, &report->warnings[i]);
  replace_sentences_of_findings(names, report->findings, report->finding_count);
  replace_sentences_of_findings(names, report->others, report->other_count);
  replace_sentence(names, &report->diagnosis.sentence);
  replace_sentence(names, &report->diagnosis.floor_note);
  replace_sentences_of_arms(names, report);
}

enum kiln_status
kiln_report_anonymise(struct kiln_report *report, struct kiln_error *error)
{
  struct kiln_pseudonyms names;
  kiln_pseudonyms_init(&names, &report->arena);
  report->identity_count = 0; /* digests of source that others may have too */
  replace_names(&names, report);
  replace_why(&names, report->why);
  replace_sentences(&names, report);
  const bool failed = names.failed || report->arena.failed;
  kiln_pseudonyms_release(&names);
  return failed ? kiln_error_set(error, KILN_ERROR_MEMORY, "There is no memory to anonymise the report.") : KILN_OK;
}
