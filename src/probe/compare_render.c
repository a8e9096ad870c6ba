#include "base/json_write.h"
#include "base/text.h"
#include "probe/compare.h"
#include "probe/report/page.h"
#include "probe/report/time_parts.h"
#include "probe/why.h"

#define LABEL_COLUMNS 16
#define CELL_COLUMNS 10 /* the table fits into KILN_PAGE_MIN columns */

/* What a count is called in a sentence. */
static const char *
count_words(const char *name, uint64_t value)
{
  if (kiln_text_equal(name, "source_bytes"))
    return "bytes of generated source";
  if (kiln_text_equal(name, "lto"))
    return value == 1 ? "LTO object" : "LTO objects";
  if (kiln_text_equal(name, "identities"))
    return value == 1 ? "identity" : "identities";
  if (kiln_text_equal(name, "builds"))
    return value == 1 ? "build" : "builds";
  if (kiln_text_equal(name, "loads"))
    return value == 1 ? "load" : "loads";
  return name;
}

static enum kiln_count
find_count(const char *name)
{
  for (int i = 0; i < KILN_COUNT_COUNT; i++)
    if (kiln_text_equal(kiln_count_name((enum kiln_count)i), name))
      return (enum kiln_count)i;
  return KILN_COUNT_BUILDS;
}

static void
verdict_reason(const struct kiln_comparison *comparison, struct kiln_buf *out)
{
  const enum kiln_count count = find_count(comparison->decided_by);
  const uint64_t(*counts)[KILN_COUNT_COUNT] = comparison->decided_warm ? comparison->warm : comparison->cold;
  const uint64_t builds = comparison->cold[0][KILN_COUNT_BUILDS],
                 identities = comparison->cold[0][KILN_COUNT_IDENTITIES];
  switch (comparison->work) {
  case KILN_WORK_SAME:
    kiln_buf_printf(out, "%llu %s, %llu %s", (unsigned long long)builds, count_words("builds", builds),
        (unsigned long long)identities, count_words("identities", identities));
    break;
  case KILN_WORK_FEWER:
  case KILN_WORK_MORE:
    kiln_buf_printf(out, "%llu → %llu %s%s", (unsigned long long)counts[0][count], (unsigned long long)counts[1][count],
        count_words(comparison->decided_by, counts[1][count]), comparison->decided_warm ? " in the warm run" : "");
    break;
  case KILN_WORK_UNSTABLE:
    kiln_buf_printf(out, "the %s count of %s differs between samples", comparison->decided_warm ? "warm" : "cold",
        count_words(comparison->decided_by, 2));
    break;
  case KILN_WORK_UNLIKE:
    kiln_buf_text_append(out, comparison->unlike_environment
                                  ? "the environments differ; --allow-environment compares the work all the same"
                                  : "the launches differ, so the work cannot be compared");
    break;
  }
}

static const char *
verdict_color(enum kiln_work work)
{
  switch (work) {
  case KILN_WORK_FEWER:
    return "\033[1;32m";
  case KILN_WORK_MORE:
    return "\033[1;31m";
  case KILN_WORK_UNSTABLE:
  case KILN_WORK_UNLIKE:
    return "\033[1;33m";
  case KILN_WORK_SAME:
    break;
  }
  return "\033[1m";
}

static void
write_row(struct kiln_buf *out, const char *label, const char *const cells[4])
{
  kiln_buf_text_append(out, "  ");
  kiln_page_pad(out, label, LABEL_COLUMNS, false);
  for (int i = 0; i < 4; i++)
    kiln_page_pad(out, cells[i], CELL_COLUMNS, true);
  kiln_buf_text_append(out, "\n");
}

static void
write_count(const struct kiln_comparison *comparison, enum kiln_count count, struct kiln_buf *out)
{
  static const char *const labels[KILN_COUNT_COUNT] = {
      "builds", "loads", "modules", "identities", "launches", "processes", "LTO objects", "source bytes"};
  const uint64_t values[4] = {
      comparison->cold[0][count], comparison->cold[1][count], comparison->warm[0][count], comparison->warm[1][count]};
  struct kiln_buf texts[4];
  const char *cells[4];
  for (int i = 0; i < 4; i++) {
    kiln_buf_init(&texts[i]);
    kiln_buf_printf(&texts[i], "%llu", (unsigned long long)values[i]);
    cells[i] = kiln_buf_text(&texts[i]);
  }
  write_row(out, labels[count], cells);
  for (int i = 0; i < 4; i++)
    kiln_buf_release(&texts[i]);
}

static void
write_table(const struct kiln_comparison *comparison, struct kiln_buf *out)
{
  static const char *const heads[4] = {"A cold", "B cold", "A warm", "B warm"};
  write_row(out, "", heads);
  for (int i = 0; i < KILN_COUNT_COUNT; i++)
    write_count(comparison, (enum kiln_count)i, out);
}

static void
write_medians(const struct kiln_comparison *comparison, struct kiln_page *page)
{
  const double *const times[2] = {comparison->cold_elapsed_s, comparison->cold_cpu_s};
  struct kiln_buf line;
  kiln_buf_init(&line);
  for (int i = 0; i < 2; i++) {
    kiln_buf_clear(&line);
    kiln_buf_printf(&line, "%s ", i ? "cold CPU    " : "cold elapsed");
    kiln_text_duration(&line, times[i][0]);
    kiln_buf_text_append(&line, " → ");
    kiln_text_duration(&line, times[i][1]);
    if (times[i][0] > 0)
      kiln_buf_printf(&line, ", %+.1f %%", 100 * (times[i][1] / times[i][0] - 1));
    kiln_buf_printf(&line, " (medians, n = %d, %d)", comparison->samples[0], comparison->samples[1]);
    kiln_page_text(page, KILN_STYLE_PLAIN, 2, 4, kiln_buf_text(&line));
  }
  kiln_buf_release(&line);
}

/* How to get a verdict: both commands in one measurement. */
static void
write_advice(const struct kiln_comparison *comparison, struct kiln_page *page)
{
  static const char *const names[2] = {"base", "cand"};
  struct kiln_buf line, arm;
  kiln_page_text(page, KILN_STYLE_PLAIN, 2, 2,
      "recorded apart: no time verdict, since drift up to 35 % between recordings was seen");
  if (!comparison->commands[0][0] || !comparison->commands[1][0])
    return;
  kiln_buf_init(&line);
  kiln_buf_init(&arm);
  kiln_buf_text_append(&line, "measure both in one run: kiln measure");
  for (int i = 0; i < 2; i++) {
    kiln_buf_clear(&arm);
    kiln_buf_printf(&arm, "%s=%s", names[i], comparison->commands[i]);
    kiln_buf_text_append(&line, " --arm ");
    kiln_text_shell_word(&line, kiln_buf_text(&arm));
  }
  kiln_page_text(page, KILN_STYLE_PLAIN, 2, 4, kiln_buf_text(&line));
  kiln_buf_release(&arm);
  kiln_buf_release(&line);
}

static void
write_anchored(const struct kiln_comparison *comparison, struct kiln_page *page)
{
  const struct kiln_look *change = &comparison->change;
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_buf_text_append(&text, kiln_verdict_name(comparison->verdict));
  if (change->pairs)
    kiln_buf_printf(&text, ": %s %+.1f %% [%+.1f, %+.1f] relative to the baseline that both reports hold",
        comparison->metric == KILN_METRIC_COLD_ELAPSED ? "cold elapsed" : "cold CPU",
        kiln_log_percent(change->estimate), kiln_log_percent(change->low), kiln_log_percent(change->high));
  kiln_page_labelled(page, KILN_STYLE_BOLD, 0, "time:", 6, kiln_buf_text(&text));
  kiln_buf_release(&text);
}

static void
write_time(const struct kiln_comparison *comparison, struct kiln_page *page)
{
  const struct kiln_time_view view = {{comparison->names[0], comparison->names[1]}, kiln_work_name(comparison->work),
      &comparison->time, comparison->serial, comparison->seed, {-1, -1, -1, -1, -1}};
  switch (comparison->recorded) {
  case KILN_RECORDED_TOGETHER:
    kiln_time_text(page, &view);
    break;
  case KILN_RECORDED_ANCHORED:
    write_anchored(comparison, page);
    write_medians(comparison, page);
    break;
  case KILN_RECORDED_APART:
    kiln_buf_text_append(page->out, "time:\n");
    write_medians(comparison, page);
    write_advice(comparison, page);
    break;
  }
}

void
kiln_comparison_text(const struct kiln_comparison *comparison, int columns, bool color, struct kiln_buf *out)
{
  struct kiln_page page;
  kiln_page_init(&page, out, columns, color);
  if (comparison->recorded == KILN_RECORDED_TOGETHER)
    kiln_buf_printf(out, "%s against %s\n", comparison->names[1], comparison->names[0]);
  kiln_buf_printf(out, "work: %s%s%s (", color ? verdict_color(comparison->work) : "", kiln_work_name(comparison->work),
      color ? "\033[0m" : "");
  verdict_reason(comparison, out);
  kiln_buf_text_append(out, ")\n");
  write_table(comparison, out);
  for (size_t i = 0; i < comparison->note_count; i++)
    kiln_page_labelled(&page, KILN_STYLE_PLAIN, 0, "note:", 6, comparison->notes[i]);
  write_time(comparison, &page);
  kiln_why_text(&page, comparison->why);
}

static void
write_counts(struct kiln_json *json, const char *key, const uint64_t counts[2][KILN_COUNT_COUNT])
{
  kiln_json_member_object(json, key);
  for (int i = 0; i < KILN_COUNT_COUNT; i++) {
    kiln_json_member_array(json, kiln_count_name((enum kiln_count)i));
    kiln_json_uint(json, counts[0][i]);
    kiln_json_uint(json, counts[1][i]);
    kiln_json_array_end(json);
  }
  kiln_json_object_end(json);
}

/* The names stand also without a verdict, so that a script need not ask. */
static void
write_verdict(struct kiln_json *json, const struct kiln_comparison *comparison)
{
  static const char *const recorded[] = {"apart", "together", "anchored"};
  const bool timed = comparison->recorded != KILN_RECORDED_APART;
  kiln_json_member_text(json, "recorded", recorded[comparison->recorded]);
  kiln_json_member_text(json, "time", timed ? kiln_verdict_name(comparison->verdict) : NULL);
  kiln_json_member_text(json, "metric", timed ? kiln_metric_name(comparison->metric) : NULL);
  kiln_effect_json(json, &comparison->change);
}

static void
write_details(struct kiln_json *json, const struct kiln_comparison *comparison)
{
  const struct kiln_time_view view = {{comparison->names[0], comparison->names[1]}, kiln_work_name(comparison->work),
      &comparison->time, comparison->serial, comparison->seed, {-1, -1, -1, -1, -1}};
  kiln_json_key(json, "details");
  if (comparison->recorded == KILN_RECORDED_TOGETHER)
    kiln_time_json(json, &view);
  else
    kiln_json_null(json);
}

static void
write_names(struct kiln_json *json, const struct kiln_comparison *comparison)
{
  kiln_json_member_array(json, "names");
  kiln_json_string(json, comparison->names[0][0] ? comparison->names[0] : NULL);
  kiln_json_string(json, comparison->names[1][0] ? comparison->names[1] : NULL);
  kiln_json_array_end(json);
}

void
kiln_comparison_json(const struct kiln_comparison *comparison, struct kiln_buf *out)
{
  struct kiln_json json;
  kiln_json_init(&json, out, true);
  kiln_json_object(&json);
  kiln_json_member_text(&json, "schema", "kiln-comparison-1");
  kiln_json_member_text(&json, "work", kiln_work_name(comparison->work));
  kiln_json_member_text(&json, "decided_by", comparison->decided_by);
  kiln_json_member_text(&json, "run", comparison->decided_by ? comparison->decided_warm ? "warm" : "cold" : NULL);
  kiln_json_member_text(&json, "refused_for",
      comparison->work != KILN_WORK_UNLIKE ? NULL
      : comparison->unlike_environment     ? "environment"
                                           : "launches");
  write_names(&json, comparison);
  write_verdict(&json, comparison);
  write_details(&json, comparison);
  kiln_json_member_object(&json, "counts");
  write_counts(&json, "cold", comparison->cold);
  write_counts(&json, "warm", comparison->warm);
  kiln_json_object_end(&json);
  kiln_json_member_array(&json, "samples");
  kiln_json_int(&json, comparison->samples[0]);
  kiln_json_int(&json, comparison->samples[1]);
  kiln_json_array_end(&json);
  kiln_json_member_doubles(&json, "cold_elapsed_s", comparison->cold_elapsed_s, 2);
  kiln_json_member_doubles(&json, "cold_cpu_s", comparison->cold_cpu_s, 2);
  kiln_json_member_texts(&json, "notes", (const char *const *)comparison->notes, comparison->note_count);
  kiln_why_json(&json, comparison->why);
  kiln_json_object_end(&json);
  kiln_buf_text_append(out, "\n");
}
