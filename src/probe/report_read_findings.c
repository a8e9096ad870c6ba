/* Findings of a report file, back in memory. */
#include "base/text.h"
#include "probe/report_read.h"

static const char *
read_text(struct kiln_report *report, const struct cJSON *object, const char *key)
{
  return kiln_arena_strdup(&report->arena, kiln_json_get_string(object, key, NULL));
}

static int
read_int(const struct cJSON *object, const char *key)
{
  const int64_t value = kiln_json_get_int(object, key, 0);
  return value >= INT32_MIN && value <= INT32_MAX ? (int)value : 0;
}

static struct kiln_where
read_where(struct kiln_report *report, const struct cJSON *where)
{
  return (struct kiln_where){read_text(report, where, "file"), read_int(where, "line")};
}

static enum kiln_finding_state
state_of(const struct cJSON *value)
{
  const char *name = kiln_json_get_string(value, "state", "");
  for (int i = KILN_FINDING_FIRED; i <= KILN_FINDING_NOT_REACHED; i++)
    if (kiln_text_equal(kiln_finding_state_name((enum kiln_finding_state)i), name))
      return (enum kiln_finding_state)i;
  return KILN_FINDING_FIRED;
}

static struct kiln_finding *
add_finding(struct kiln_report *report, enum kiln_finding_state state)
{
  if (state == KILN_FINDING_FIRED)
    return KILN_GROW(report->findings, report->finding_count, report->finding_capacity)
               ? &report->findings[report->finding_count++]
               : NULL;
  return KILN_GROW(report->others, report->other_count, report->other_capacity) ? &report->others[report->other_count++]
                                                                                : NULL;
}

static bool
read_evidence(struct kiln_report *report, const struct cJSON *value, struct kiln_finding *finding)
{
  const struct cJSON *list = kiln_json_get(value, "evidence");
  for (const struct cJSON *fact = kiln_json_first(list); fact; fact = kiln_json_next(fact)) {
    if (!KILN_GROW(finding->evidence, finding->evidence_count, finding->evidence_capacity))
      return false;
    finding->evidence[finding->evidence_count++] = kiln_arena_strdup(&report->arena, kiln_json_as_string(fact, ""));
  }
  list = kiln_json_get(value, "events");
  for (const struct cJSON *event = kiln_json_first(list); event; event = kiln_json_next(event)) {
    const int64_t fact = kiln_json_get_int(event, "evidence", -1);
    if (fact < 0 || (uint64_t)fact >= finding->evidence_count)
      continue;
    if (!KILN_GROW(finding->cited, finding->cited_count, finding->cited_capacity))
      return false;
    finding->cited[finding->cited_count++] = (struct kiln_cited){.evidence = (size_t)fact,
        .kind = read_text(report, event, "kind"),
        .pid = read_int(event, "pid"),
        .tid = read_int(event, "tid"),
        .start_s = kiln_json_get_double(event, "start_s", 0),
        .wall_s = kiln_json_get_double(event, "wall_s", -1),
        .what = read_text(report, event, "what"),
        .identity = read_text(report, event, "identity"),
        .where = read_where(report, kiln_json_get(event, "where"))};
  }
  return true;
}

/* The first of the list is the best one, which stands alone too. */
static bool
read_otherwise(struct kiln_report *report, const struct cJSON *value, struct kiln_finding *finding)
{
  const struct cJSON *first = kiln_json_first(kiln_json_get(value, "remedies"));
  for (const struct cJSON *at = first ? kiln_json_next(first) : NULL; at; at = kiln_json_next(at)) {
    if (!KILN_GROW(finding->otherwise, finding->otherwise_count, finding->otherwise_capacity))
      return false;
    finding->otherwise[finding->otherwise_count++] = kiln_arena_strdup(&report->arena, kiln_json_as_string(at, ""));
  }
  return true;
}

static void
read_advice(struct kiln_report *report, const struct cJSON *value, struct kiln_finding *finding)
{
  finding->remedy = read_text(report, value, "remedy");
  finding->not_when = read_text(report, value, "not_when");
  finding->confirm = read_text(report, value, "confirm");
  finding->deadline = read_text(report, value, "deadline");
  finding->gate = read_text(report, value, "gate");
  finding->to_measure = read_text(report, value, "to_measure");
  finding->saves_at_most_s = kiln_json_get_double(value, "saves_at_most_s", -1);
  finding->saves_cpu = kiln_text_equal(kiln_json_get_string(value, "saves_of", NULL), "cpu");
  finding->correctness = kiln_json_get_bool(value, "correctness", false);
}

static bool
read_finding(struct kiln_report *report, const struct cJSON *value)
{
  const enum kiln_finding_state state = state_of(value);
  struct kiln_finding *finding = add_finding(report, state);
  if (!finding)
    return false;
  *finding = (struct kiln_finding){.id = read_text(report, value, "id"),
      .arm = read_text(report, value, "arm"),
      .state = state,
      .sentence = read_text(report, value, "sentence")};
  finding->id = finding->id ? finding->id : "?";
  finding->sentence = finding->sentence ? finding->sentence : "";
  read_advice(report, value, finding);
  if (!read_evidence(report, value, finding) || !read_otherwise(report, value, finding))
    return false;
  const struct cJSON *list = kiln_json_get(value, "where");
  for (const struct cJSON *where = kiln_json_first(list); where; where = kiln_json_next(where)) {
    if (!KILN_GROW(finding->where, finding->where_count, finding->where_capacity))
      return false;
    finding->where[finding->where_count++] = read_where(report, where);
  }
  return !report->arena.failed;
}

static void
read_diagnosis(struct kiln_report *report, const struct cJSON *value)
{
  report->diagnosis = (struct kiln_diagnosis){.made = kiln_json_is_object(value),
      .compile_s = kiln_json_get_double(value, "compile_s", -1),
      .elapsed_s = kiln_json_get_double(value, "elapsed_s", -1),
      .small = kiln_json_get_bool(value, "small", false),
      .sentence = read_text(report, value, "sentence"),
      .floor_s = kiln_json_get_double(value, "floor_s", -1),
      .floor_cpu_s = kiln_json_get_double(value, "floor_cpu_s", -1),
      .floor_note = read_text(report, value, "floor_note")};
}

bool
kiln_report_read_findings(struct kiln_report *report, const struct cJSON *tree)
{
  static const char *const keys[] = {"findings", "not_fired"};
  for (int i = 0; i < 2; i++) {
    const struct cJSON *list = kiln_json_get(tree, keys[i]);
    for (const struct cJSON *value = kiln_json_first(list); value; value = kiln_json_next(value))
      if (!read_finding(report, value))
        return false;
  }
  read_diagnosis(report, kiln_json_get(tree, "diagnosis"));
  const struct cJSON *list = kiln_json_get(tree, "warnings");
  for (const struct cJSON *value = kiln_json_first(list); value; value = kiln_json_next(value))
    kiln_report_warn(report, "%s", kiln_json_as_string(value, ""));
  return !report->arena.failed;
}
