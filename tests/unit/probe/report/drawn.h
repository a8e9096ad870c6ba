/* A report with something for every section of the page and every kind of event of the trace. */
#ifndef KILN_TESTS_UNIT_PROBE_REPORT_DRAWN_H
#define KILN_TESTS_UNIT_PROBE_REPORT_DRAWN_H

#include <stdio.h>

#include "unit/probe/made.h"

#define DRAWN_FILE "/home/somebody/secret project/sim.py"

static inline void
drawn_long(struct kiln_model *model, const char *kind, const char *name, enum kiln_phase phase, int tid,
    uint64_t start_ms, uint64_t wall_ms)
{
  assert_true(KILN_GROW(model->longs, model->long_count, model->long_capacity));
  model->longs[model->long_count++] =
      (struct kiln_model_long){kind, name, phase, 1, tid, start_ms * MS, wall_ms * MS, wall_ms * MS};
}

static inline void
drawn_process(struct kiln_model *model, uint64_t end_ms)
{
  assert_true(KILN_GROW(model->processes, model->process_count, model->process_capacity));
  model->processes[model->process_count++] = (struct kiln_model_process){.pid = 1,
      .ppid = 0,
      .command = "python /home/somebody/secret_sim.py --frames 10",
      .python = "3.11.2",
      .framework_version = "warp 1.19.0",
      .ended = true,
      .start_ns = 100 * MS,
      .main_ns = 150 * MS,
      .exit_ns = (end_ms - 50) * MS,
      .end_ns = end_ms * MS};
  model->counts.processes = 1;
}

static inline void
drawn_run(struct kiln_report_run *run, uint64_t end_ms)
{
  run->result.begin_ns = 100 * MS;
  run->result.end_ns = end_ms * MS;
  run->result.pid = 1;
  run->elapsed_s = (double)(end_ms - 100) / 1e3;
  drawn_process(run->model, end_ms);
  drawn_long(run->model, "import", "numpy_of_acme", KILN_PHASE_IMPORTS, 1, 160, 100);
  drawn_long(run->model, "mark", "warp", KILN_PHASE_INIT, 1, 270, 30);
  drawn_long(run->model, "hash", "orbit", KILN_PHASE_HASHING, 1, 310, 5);
}

/* Each build of 100 ms with code generation, header (the first) and native step inside, outer spans last. */
static inline void
drawn_modules(struct kiln_report *report, struct kiln_model *model, int modules)
{
  for (int i = 0; i < modules; i++) {
    char name[64], identity[64];
    const uint64_t at = 400 + 120u * (uint64_t)i;
    snprintf(name, sizeof name, "acme.orbit_%02d", i);
    snprintf(identity, sizeof identity, "%02xfeedfacecafe%02d", i, i);
    const char *module = kiln_arena_strdup(&report->arena, name);
    struct kiln_model_build *build = made_build(model, module, kiln_arena_strdup(&report->arena, identity), 1, at, 100);
    build->where = (struct kiln_where){DRAWN_FILE, 10 + i};
    build->codegen.wall_ns = 5 * MS;
    build->native.wall_ns = (i ? 80u : 20u) * MS;
    build->pch.wall_ns = i ? 0 : 60 * MS;
    build->path = "/home/somebody/.cache/warp/acme_orbit";
    build->source_digest = "0123456789abcdef";
    build->toolchain = "llvm";
    build->source_bytes = 5000;
    drawn_long(model, "codegen", module, KILN_PHASE_CODEGEN, 1, at + 1, 5);
    if (i == 0)
      drawn_long(model, "pch", NULL, KILN_PHASE_PCH, 1, at + 10, 60);
    drawn_long(model, "native", module, KILN_PHASE_COMPILE, 1, at + 8, 85);
    drawn_long(model, "compile", module, KILN_PHASE_COMPILE, 1, at, 100);
    drawn_long(model, "link", "dot_symbol", KILN_PHASE_LINK, 7, at, 40);
    made_load(model, module, build->identity, 1, at + 102)->where = build->where;
    model->counts.modules++;
    model->counts.identities++;
  }
}

/* Launches with the moment of the first. */
static inline void
drawn_launches(struct kiln_model *model)
{
  made_launch(model, "spin_the_wheel", 1, 1024, 60);
  made_launch(model, "scale<array(Secret)>", 1, 64, 2);
  model->launches[0].first_ns = 520 * MS;
  model->launches[1].first_ns = 530 * MS;
}

static inline void
drawn_finding(struct kiln_report *report)
{
  struct kiln_finding *finding = kiln_finding_add(report, "CS-1");
  assert_non_null(finding);
  finding->saves_at_most_s = 0.3;
  kiln_finding_sentence(report, finding,
      "module `acme.orbit_00` was built 3 times: kernel `spin_the_wheel` was "
      "declared at sim.py:17 after the module was first loaded.");
  kiln_finding_evidence(report, finding, "00feedf → 01feedf: kernel `spin_the_wheel` was declared at sim.py:17");
  kiln_finding_remedy(report, finding, "Declare the kernels at module scope.");
  kiln_finding_where(report, finding, (struct kiln_where){DRAWN_FILE, 17});
}

static inline struct kiln_report *
drawn_report(int samples, int modules)
{
  struct kiln_report *report = made_report(samples);
  const char **command = kiln_arena_alloc(&report->arena, 4 * sizeof *command);
  command[0] = "/usr/bin/python";
  command[1] = "/home/somebody/secret_sim.py";
  command[2] = "--frames";
  command[3] = "10";
  report->command = report->arms[0].command = command;
  report->command_count = report->arms[0].command_count = 4;
  for (int i = 0; i < samples; i++) {
    struct kiln_report_sample *sample = &report->arms[0].samples[i];
    const uint64_t end = 500 + 120u * (uint64_t)modules + 40u * (uint64_t)i;
    drawn_run(&sample->cold, end);
    drawn_run(&sample->warm, 700);
    drawn_modules(report, sample->cold.model, modules);
    drawn_launches(sample->cold.model);
    sample->cold.phase[KILN_PHASE_IMPORTS] = (struct kiln_span_time){100 * MS, 90 * MS};
    sample->cold.phase[KILN_PHASE_PCH] = (struct kiln_span_time){60 * MS, 60 * MS};
    sample->cold.phase[KILN_PHASE_COMPILE] = (struct kiln_span_time){100 * MS, 90 * MS};
    sample->warm.phase[KILN_PHASE_IMPORTS] = (struct kiln_span_time){100 * MS, 90 * MS};
  }
  kiln_report_warn(report, "The cache '/home/somebody/my cache/x' was moved by '/home/somebody/secret_sim.py'.");
  kiln_report_summarise(report);
  drawn_finding(report);
  return report;
}

#endif
