/*
 * For tests of rules: the state that a rule gives to a report made by hand.
 */
#ifndef KILN_TESTS_UNIT_PROBE_RULES_JUDGED_H
#define KILN_TESTS_UNIT_PROBE_RULES_JUDGED_H

#include "unit/probe/made.h"

#include "probe/rules/list.h"

#define A "aaaaaaaaaa11"
#define B "bbbbbbbbbb22"
#define C "cccccccccc33"
#define D "dddddddddd44"

/* Let the rule run; it must give exactly one state. */
static inline enum kiln_finding_state
judged(const struct kiln_rule *rule, struct kiln_report *report)
{
  made_run(rule, report);
  assert_true((report->finding_count > 0) != (report->other_count > 0));
  if (report->finding_count)
    return KILN_FINDING_FIRED;
  assert_int_equal(report->other_count, 1);
  assert_string_equal(report->others[0].id, rule->id);
  assert_true(strlen(report->others[0].sentence) > 10);
  assert_true((report->others[0].state == KILN_FINDING_NOT_REACHED) == (report->others[0].to_measure != NULL));
  return report->others[0].state;
}

static inline bool
judged_because(const struct kiln_report *report, const char *text)
{
  return report->other_count == 1 && strstr(report->others[0].sentence, text);
}

/* A report with one cold run of Warp `version` ("1.19.0") by process 1, and no warm run. */
static inline struct kiln_report *
judged_report(const char *version)
{
  struct kiln_report *report = made_report(1);
  struct kiln_model *cold = made_cold(report, 0);
  assert_true(KILN_GROW(cold->processes, cold->process_count, cold->process_capacity));
  cold->processes[cold->process_count++] = (struct kiln_model_process){.pid = 1, .framework_version = version};
  kiln_model_free(report->arms[0].samples[0].warm.model);
  report->arms[0].samples[0].warm.model = NULL;
  report->arms[0].samples[0].warm.present = false;
  return report;
}

static inline struct kiln_model_launch *
judged_launch(struct kiln_model *model, const char *module, const char *identity, const char *device, int block_dim)
{
  made_launch(model, "k", 1, 8, 2);
  struct kiln_model_launch *launch = &model->launches[model->launch_count - 1];
  launch->module = module;
  launch->identity = identity;
  launch->device = device;
  launch->block_dim = block_dim;
  return launch;
}

static inline struct kiln_model_moment *
judged_moment(struct kiln_model *model, const char *kind, const char *what, uint64_t t_ms, int line)
{
  assert_true(KILN_GROW(model->moments, model->moment_count, model->moment_capacity));
  struct kiln_model_moment *moment = &model->moments[model->moment_count++];
  *moment = (struct kiln_model_moment){
      .framework = "warp", .kind = kind, .what = what, .pid = 1, .tid = 1, .t_ns = t_ms * MS, .where = AT(line)};
  return moment;
}

static inline struct kiln_model_header *
judged_header(struct kiln_model *model, int pid, uint64_t t_ms, const char *path)
{
  assert_true(KILN_GROW(model->headers, model->header_count, model->header_capacity));
  struct kiln_model_header *header = &model->headers[model->header_count++];
  *header = (struct kiln_model_header){.framework = "warp",
      .path = path,
      .module = "m",
      .pid = pid,
      .tid = pid,
      .start_ns = t_ms * MS,
      .wall_ns = 2000 * MS,
      .cpu_ns = 1900 * MS};
  return header;
}

/* A link-time object of module "m" by process 1. */
static inline void
judged_link(struct kiln_model *model, const char *symbol, enum kiln_build_result result, uint64_t wall_ms)
{
  assert_true(KILN_GROW(model->links, model->link_count, model->link_capacity));
  model->links[model->link_count++] = (struct kiln_model_link){.framework = "warp",
      .symbol = symbol,
      .module = "m",
      .pid = 1,
      .tid = 1,
      .wall_ns = wall_ms * MS,
      .result = result};
}

#define JUDGED_NEAR(value, wanted) ((value) > (wanted)-1e-4 && (value) < (wanted) + 1e-4)

#endif
