/* Reports made by hand for tests: one arm, samples with tables filled row by row. */
#ifndef KILN_TESTS_UNIT_PROBE_MADE_H
#define KILN_TESTS_UNIT_PROBE_MADE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "probe/report.h"
#include "probe/rule.h"

#define MS 1000000ull
#define AT(line) ((struct kiln_where){"/home/somebody/app.py", (line)})
#define NOWHERE ((struct kiln_where){NULL, 0})

static inline struct kiln_report *
made_report(int samples)
{
  static const char *command[2];
  command[0] = "python"; /* each time: pseudonyms are put into the array */
  command[1] = "app.py";
  struct kiln_report *report = kiln_report_new();
  assert_non_null(report);
  report->command = command;
  report->command_count = 2;
  report->date = "2026-01-02T03:04:05Z";
  report->framework = "warp 1.19.0";
  report->python = "3.11.2";
  report->samples_wanted = samples;
  report->host.load_1m = -1;
  report->arm_count = 1;
  report->arms = kiln_arena_alloc(&report->arena, sizeof *report->arms);
  report->arms[0].name = "base";
  report->arms[0].samples = kiln_arena_alloc(&report->arena, (size_t)samples * sizeof *report->arms[0].samples);
  report->arms[0].sample_count = (size_t)samples;
  for (int i = 0; i < samples; i++) {
    struct kiln_report_sample *sample = &report->arms[0].samples[i];
    sample->index = i + 1;
    sample->valid = sample->cold.present = sample->warm.present = true;
    sample->cold.elapsed_s = 3.0 + i;
    sample->cold.cpu_s = 2.5 + i;
    sample->warm.elapsed_s = 1.0;
    sample->warm.cpu_s = 0.75;
    sample->cold.model = kiln_model_new();
    sample->warm.model = kiln_model_new();
    assert_non_null(sample->cold.model);
    assert_non_null(sample->warm.model);
  }
  return report;
}

static inline struct kiln_model *
made_cold(struct kiln_report *report, int sample)
{
  return report->arms[0].samples[sample].cold.model;
}

static inline struct kiln_model *
made_warm(struct kiln_report *report, int sample)
{
  return report->arms[0].samples[sample].warm.model;
}

/* A compiled build on the CPU by thread `pid`; change the row for anything else. */
static inline struct kiln_model_build *
made_build(struct kiln_model *model, const char *module, const char *identity, int pid, uint64_t t_ms, uint64_t wall_ms)
{
  assert_true(KILN_GROW(model->builds, model->build_count, model->build_capacity));
  struct kiln_model_build *build = &model->builds[model->build_count++];
  *build = (struct kiln_model_build){.framework = "warp",
      .module = module,
      .identity = identity,
      .device = "cpu",
      .block_dim = 1,
      .pid = pid,
      .tid = pid,
      .start_ns = t_ms * MS,
      .wall_ns = wall_ms * MS,
      .cpu_ns = wall_ms * MS};
  model->counts.builds++;
  return build;
}

static inline struct kiln_model_load *
made_load(struct kiln_model *model, const char *module, const char *identity, int pid, uint64_t t_ms)
{
  assert_true(KILN_GROW(model->loads, model->load_count, model->load_capacity));
  struct kiln_model_load *load = &model->loads[model->load_count++];
  *load = (struct kiln_model_load){.framework = "warp",
      .module = module,
      .identity = identity,
      .device = "cpu",
      .block_dim = 1,
      .pid = pid,
      .tid = pid,
      .start_ns = t_ms * MS,
      .wall_ns = MS,
      .result = KILN_BUILD_CACHED};
  model->counts.loads++;
  return load;
}

/* "a=1 b=2" as a sorted table in the model's arena. */
static inline size_t
made_pairs(struct kiln_model *model, const char *text, const struct kiln_model_pair **pairs)
{
  char *copy = kiln_arena_strdup(&model->arena, text);
  struct kiln_model_pair *table = kiln_arena_alloc(&model->arena, 16 * sizeof *table);
  size_t count = 0;
  for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
    char *value = strchr(word, '=');
    assert_non_null(value);
    *value = '\0';
    table[count++] = (struct kiln_model_pair){word, value + 1};
  }
  *pairs = table;
  return count;
}

static inline void
made_hash(struct kiln_model *model, const char *module, const char *identity, int pid, uint64_t t_ms,
    const char *kernels, const char *options)
{
  assert_true(KILN_GROW(model->hashes, model->hash_count, model->hash_capacity));
  struct kiln_model_hash *hash = &model->hashes[model->hash_count++];
  *hash = (struct kiln_model_hash){
      .framework = "warp", .module = module, .identity = identity, .block_dim = 1, .pid = pid, .t_ns = t_ms * MS};
  hash->kernel_count = made_pairs(model, kernels, &hash->kernels);
  hash->option_count = made_pairs(model, options, &hash->options);
}

static inline struct kiln_model_declaration *
made_declaration(
    struct kiln_model *model, const char *module, const char *kernel, int pid, uint64_t t_ms, bool loaded, int line)
{
  assert_true(KILN_GROW(model->declarations, model->declaration_count, model->declaration_capacity));
  struct kiln_model_declaration *row = &model->declarations[model->declaration_count++];
  *row = (struct kiln_model_declaration){.framework = "warp",
      .module = module,
      .kernel = kernel,
      .pid = pid,
      .t_ns = t_ms * MS,
      .loaded = loaded,
      .where = AT(line)};
  return row;
}

static inline void
made_option(struct kiln_model *model, const char *module, const char *name, const char *before, const char *after,
    uint64_t t_ms, int line)
{
  assert_true(KILN_GROW(model->options, model->option_count, model->option_capacity));
  model->options[model->option_count++] =
      (struct kiln_model_option){"warp", module, name, before, after, 1, t_ms * MS, true, AT(line)};
}

static inline void
made_cache(struct kiln_model *model, const char *what, const char *path, const char *by, int line)
{
  assert_true(KILN_GROW(model->caches, model->cache_count, model->cache_capacity));
  model->caches[model->cache_count++] =
      (struct kiln_model_cache){"warp", what, path, by, 1, MS, line ? AT(line) : NOWHERE};
}

static inline void
made_launch(struct kiln_model *model, const char *kernel, int pid, uint64_t dim, uint64_t count)
{
  assert_true(KILN_GROW(model->launches, model->launch_count, model->launch_capacity));
  model->launches[model->launch_count++] =
      (struct kiln_model_launch){"warp", kernel, "app", "aaaaaaaaaa", "cpu", "forward", 1, pid, dim, count, 0};
  model->counts.launches += count;
}

/* All findings of one rule on a report. */
static inline void
made_run(const struct kiln_rule *rule, struct kiln_report *report)
{
  rule->run(report);
  for (size_t i = 0; i < report->finding_count; i++)
    assert_string_equal(report->findings[i].id, rule->id);
}

static inline bool
made_says(const struct kiln_finding *finding, const char *text)
{
  if (strstr(finding->sentence, text))
    return true;
  for (size_t i = 0; i < finding->evidence_count; i++)
    if (strstr(finding->evidence[i], text))
      return true;
  return false;
}

static inline bool
made_points_at(const struct kiln_finding *finding, int line)
{
  for (size_t i = 0; i < finding->where_count; i++)
    if (finding->where[i].line == line)
      return true;
  return false;
}

/* Two arms with n pairs; the candidate's cold runs take `factor` of the elapsed time. */
static inline struct kiln_report *
made_arms(size_t n, double factor)
{
  struct kiln_report *report = made_report((int)n), *other = made_report((int)n);
  struct kiln_report_arm *arms = kiln_arena_alloc(&report->arena, 2 * sizeof *arms);
  arms[0] = report->arms[0];
  arms[1].name = "cand";
  arms[1].samples = kiln_arena_alloc(&report->arena, n * sizeof *arms[1].samples);
  memcpy(arms[1].samples, other->arms[0].samples, n * sizeof *arms[1].samples);
  arms[1].sample_count = n;
  other->arms[0].sample_count = 0; /* its models moved */
  kiln_report_free(other);
  report->arms = arms;
  report->arm_count = 2;
  report->plan.resolution = 0.05;
  report->pairs = kiln_arena_alloc(&report->arena, n * sizeof *report->pairs);
  for (size_t i = 0; i < n; i++) {
    report->pairs[report->pair_count++] =
        (struct kiln_report_pair){.index = (int)i + 1, .candidate = 1, .valid = true, .sample = {i, i}};
    arms[1].samples[i].cold.elapsed_s *= factor;
  }
  return report;
}

#endif
