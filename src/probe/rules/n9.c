#include "base/text.h"
#include "probe/report/work.h"
#include "probe/rules/artefacts.h"
#include "probe/rules/facts.h"
#include "probe/rules/list.h"

#define LEAST_S 0.2
#define MOST_EVIDENCE 12

struct loads {
  size_t gpu, jit;
  uint64_t jit_ns;
};

static struct loads
sum_loads(const struct kiln_model *model)
{
  struct loads loads = {0};
  for (size_t i = 0; i < model->load_count; i++) {
    const struct kiln_model_load *load = &model->loads[i];
    loads.gpu += load->device && kiln_order_device_kind(load->device, "cpu") != 0;
    loads.jit += load->jit;
    loads.jit_ns += load->jit ? load->wall_ns : 0;
  }
  return loads;
}

static bool
is_driver_cache_off(const struct kiln_model *model)
{
  for (size_t i = 0; i < model->cache_count; i++)
    if (kiln_text_equal(model->caches[i].framework, "cuda") && kiln_text_equal(model->caches[i].what, "off"))
      return true;
  return false;
}

static void
fire(struct kiln_report *report, const struct kiln_report_run *run, const struct loads *loads, const char *which)
{
  struct kiln_finding *finding = kiln_finding_add(report, "N-9");
  size_t shown = 0;
  const bool off = is_driver_cache_off(run->model);
  kiln_finding_sentence(report, finding,
      "the driver compiles while modules are loaded: %zu of %zu loads onto a GPU in the %s run came from PTX and took "
      "%.2f s%s.",
      loads->jit, loads->gpu, which, (double)loads->jit_ns / 1e9,
      off ? ", and the driver's own cache is switched off (`CUDA_CACHE_DISABLE`)" : "");
  for (size_t i = 0; i < run->model->load_count && shown < MOST_EVIDENCE; i++) {
    const struct kiln_model_load *load = &run->model->loads[i];
    if (!load->jit)
      continue;
    kiln_finding_evidence(report, finding, "loading module `%s` from PTX took %.2f s, though it was %s",
        load->module ? load->module : "?", (double)load->wall_ns / 1e9, kiln_build_result_name(load->result));
    kiln_finding_event(
        report, finding, run, "load", load->pid, load->tid, load->start_ns, load->wall_ns, load->module, load->where);
    kiln_finding_where(report, finding, load->where);
    shown++;
  }
  if (off)
    kiln_finding_remedy(report, finding, "Take `CUDA_CACHE_DISABLE` out of the environment.");
  kiln_finding_remedy(
      report, finding, "Build cubin for this GPU instead of PTX: `warp.config.cuda_output = \"cubin\"` where it fits.");
  kiln_finding_remedy(report, finding,
      "Keep the driver's cache between runs and large enough (`CUDA_CACHE_PATH`, `CUDA_CACHE_MAXSIZE`).");
  if (finding)
    finding->saves_at_most_s = (double)loads->jit_ns / 1e9;
}

static void
examine(struct kiln_report *report, const struct kiln_report_sample *sample)
{
  const struct loads cold = sum_loads(sample->cold.model);
  const struct loads warm = sample->warm.model ? sum_loads(sample->warm.model) : (struct loads){0};
  if (warm.jit && (double)warm.jit_ns / 1e9 >= LEAST_S)
    fire(report, &sample->warm, &warm, "warm");
  else if (cold.jit && (double)cold.jit_ns / 1e9 >= LEAST_S)
    fire(report, &sample->cold, &cold, "cold");
  else if (cold.gpu == 0)
    kiln_finding_ruled_out(report, "N-9", "no module was loaded onto a GPU.");
  else
    kiln_finding_ruled_out(report, "N-9", "%zu of %zu loads onto a GPU came from PTX, in %.2f s together.", cold.jit,
        cold.gpu, (double)cold.jit_ns / 1e9);
}

static void
run(struct kiln_report *report)
{
  for (size_t i = 0; i < kiln_facts_sample_count(report); i++)
    if (kiln_facts_sample(report, i)->cold.model) {
      examine(report, kiln_facts_sample(report, i));
      return;
    }
}

const struct kiln_rule kiln_rule_n9 = {.id = "N-9",
    .title = "the driver compiles while modules are loaded",
    .run = run,
    .not_when = "One artefact must serve several kinds of GPU: PTX is right then, with the driver's cache kept.",
    .confirm = "Measure again: no load from PTX in the warm run, and loads of some milliseconds.",
    .deadline = "before the module's first load"};
