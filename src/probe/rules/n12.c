#include "base/text.h"
#include "probe/report/work.h"
#include "probe/rules/artefacts.h"
#include "probe/rules/facts.h"
#include "probe/rules/list.h"

#define MOST_EVIDENCE 12

static bool
is_request(const struct kiln_model_moment *moment, const char *what)
{
  return kiln_text_equal(moment->kind, "request") && kiln_text_equal(moment->what, what);
}

/* The capture that this thread had open at t_ns; NULL when it had none. */
static const struct kiln_model_moment *
open_capture(const struct kiln_model *model, int pid, int tid, uint64_t t_ns)
{
  const struct kiln_model_moment *open = NULL;
  for (size_t i = 0; i < model->moment_count && model->moments[i].t_ns <= t_ns; i++) {
    const struct kiln_model_moment *moment = &model->moments[i];
    if (moment->pid != pid || moment->tid != tid)
      continue;
    if (is_request(moment, "capture_begin"))
      open = moment;
    else if (is_request(moment, "capture_end"))
      open = NULL;
  }
  return open;
}

static size_t
count_captures(const struct kiln_model *model)
{
  size_t captures = 0;
  for (size_t i = 0; i < model->moment_count; i++)
    captures += is_request(&model->moments[i], "capture_begin");
  return captures;
}

struct inside {
  struct kiln_finding *finding;
  size_t builds, loads;
  uint64_t wall_ns;
};

static void
add_place(struct kiln_report *report, struct inside *inside, const struct kiln_report_run *run,
    const struct kiln_model_moment *capture)
{
  kiln_finding_event(report, inside->finding, run, "request", capture->pid, capture->tid, capture->t_ns, UINT64_MAX,
      capture->what, capture->where);
  kiln_finding_where(report, inside->finding, capture->where);
}

static void
look_at_builds(struct kiln_report *report, struct inside *inside, const struct kiln_report_run *run)
{
  for (size_t i = 0; i < run->model->build_count; i++) {
    const struct kiln_model_build *build = &run->model->builds[i];
    const struct kiln_model_moment *capture =
        build->result == KILN_BUILD_CACHED ? NULL : open_capture(run->model, build->pid, build->tid, build->start_ns);
    if (!capture)
      continue;
    inside->finding = inside->finding ? inside->finding : kiln_finding_add(report, "N-12");
    inside->wall_ns += build->wall_ns;
    if (inside->builds++ >= MOST_EVIDENCE)
      continue;
    kiln_finding_build(report, inside->finding, run, build);
    kiln_finding_where(report, inside->finding, build->where);
    add_place(report, inside, run, capture);
  }
}

/* A load that follows a build was told with it. */
static void
look_at_loads(struct kiln_report *report, struct inside *inside, const struct kiln_report_run *run)
{
  for (size_t i = 0; i < run->model->load_count; i++) {
    const struct kiln_model_load *load = &run->model->loads[i];
    const struct kiln_model_moment *capture =
        load->result != KILN_BUILD_CACHED ? NULL : open_capture(run->model, load->pid, load->tid, load->start_ns);
    if (!capture)
      continue;
    inside->finding = inside->finding ? inside->finding : kiln_finding_add(report, "N-12");
    inside->wall_ns += load->wall_ns;
    if (inside->loads++ >= MOST_EVIDENCE)
      continue;
    kiln_finding_evidence(report, inside->finding, "module `%s` was loaded", load->module ? load->module : "?");
    kiln_finding_event(report, inside->finding, run, "load", load->pid, load->tid, load->start_ns, load->wall_ns,
        load->module, load->where);
    kiln_finding_where(report, inside->finding, load->where);
    add_place(report, inside, run, capture);
  }
}

static bool
on_gpu(const struct kiln_model *model)
{
  for (size_t i = 0; i < model->load_count; i++)
    if (model->loads[i].device && kiln_order_device_kind(model->loads[i].device, "cpu") != 0)
      return true;
  return false;
}

static void
finish(struct kiln_report *report, const struct inside *inside, const struct kiln_model *model)
{
  kiln_finding_sentence(report, inside->finding,
      "%zu build%s and %zu further load%s happened while a graph was being captured: the capture waits for the "
      "compiler%s.",
      inside->builds, inside->builds == 1 ? "" : "s", inside->loads, inside->loads == 1 ? "" : "s",
      on_gpu(model) ? ", and drivers before CUDA 12.3 refuse it" : "");
  kiln_finding_remedy(report, inside->finding,
      "Launch the kernels once before the capture begins, or load their modules then (`wp.load_module`, at the block "
      "size "
      "of the launches).");
  kiln_finding_remedy(report, inside->finding,
      "Let `wp.capture_begin` load first: `force_module_load=True` with the modules loaded by name.");
  if (inside->finding)
    inside->finding->saves_at_most_s = (double)inside->wall_ns / 1e9;
}

static void
run(struct kiln_report *report)
{
  bool seen = false;
  size_t captures = 0;
  for (size_t i = 0; i < kiln_facts_sample_count(report); i++) {
    const struct kiln_report_run *cold = &kiln_facts_sample(report, i)->cold;
    struct inside inside = {0};
    if (!cold->model)
      continue;
    look_at_builds(report, &inside, cold);
    look_at_loads(report, &inside, cold);
    if (inside.builds + inside.loads) {
      finish(report, &inside, cold->model);
      return;
    }
    captures = seen ? captures : count_captures(cold->model);
    seen = true;
  }
  if (seen && captures)
    kiln_finding_ruled_out(
        report, "N-12", "nothing was built or loaded during %zu capture%s.", captures, captures == 1 ? "" : "s");
  else if (seen)
    kiln_finding_ruled_out(report, "N-12", "no graph was captured.");
}

const struct kiln_rule kiln_rule_n12 = {.id = "N-12",
    .title = "a build or a load inside a graph capture",
    .run = run,
    .confirm = "Measure again: no build and no load between the begin and the end of a capture.",
    .deadline = "before the capture begins"};
