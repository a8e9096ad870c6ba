#include "probe/rules/artefacts.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "probe/report/work.h"
#include "probe/rules/churn.h"
#include "probe/rules/facts.h"

#define WORTH_CPU_S 0.4
#define WORTH_SHARE 0.1

static struct kiln_artefact *
find_artefact(struct kiln_artefacts *artefacts, const struct kiln_model_build *build)
{
  for (size_t i = 0; i < artefacts->count; i++)
    if (kiln_facts_same_artefact(artefacts->items[i].build, build))
      return &artefacts->items[i];
  return NULL;
}

static void
count_launches(struct kiln_artefacts *artefacts, struct kiln_artefact *artefact)
{
  for (size_t i = 0; i < artefacts->model->launch_count; i++) {
    const struct kiln_model_launch *launch = &artefacts->model->launches[i];
    if (!kiln_text_equal(launch->identity, artefact->build->identity) ||
        !kiln_text_equal(launch->module, artefact->build->module) || launch->block_dim != artefact->build->block_dim ||
        kiln_order_device_kind(launch->device, artefact->build->device) != 0)
      continue;
    if (kiln_text_equal(launch->direction, "backward"))
      artefact->backward += launch->count;
    else
      artefact->forward += launch->count;
  }
}

static void
add_sums(struct kiln_artefacts *artefacts, const struct kiln_artefact *artefact)
{
  artefacts->sum_ns += artefact->own_ns;
  artefacts->sum_cpu_ns += artefact->own_cpu_ns;
  if (artefact->own_ns > artefacts->largest_ns)
    artefacts->largest_ns = artefact->own_ns;
  if (artefact->own_cpu_ns > artefacts->largest_cpu_ns)
    artefacts->largest_cpu_ns = artefact->own_cpu_ns;
}

static void
collect(struct kiln_artefacts *artefacts)
{
  const struct kiln_model *model = artefacts->model;
  artefacts->items = calloc(model->build_count + 1, sizeof *artefacts->items);
  for (size_t i = 0; artefacts->items && i < model->build_count; i++) {
    const struct kiln_model_build *build = &model->builds[i];
    if (build->result != KILN_BUILD_COMPILED || !build->identity)
      continue;
    struct kiln_artefact *known = find_artefact(artefacts, build);
    if (known) {
      known->builds++;
      continue;
    }
    struct kiln_artefact *artefact = &artefacts->items[artefacts->count++];
    *artefact = (struct kiln_artefact){.build = build,
        .hash = kiln_model_find_hash(model, build->framework, build->module, build->identity),
        .builds = 1,
        .own_ns = kiln_build_own_wall_ns(build),
        .own_cpu_ns = kiln_build_own_cpu_ns(build)};
    count_launches(artefacts, artefact);
    add_sums(artefacts, artefact);
  }
}

bool
kiln_artefacts_find(struct kiln_artefacts *artefacts, struct kiln_report *report, const char *id)
{
  *artefacts = (struct kiln_artefacts){0};
  for (size_t i = 0; i < kiln_facts_sample_count(report) && !artefacts->model; i++) {
    artefacts->run = &kiln_facts_sample(report, i)->cold;
    artefacts->model = artefacts->run->model;
  }
  if (!artefacts->model)
    return false;
  collect(artefacts);
  if (artefacts->count == 0 && id)
    kiln_finding_ruled_out(report, id, "no module was built in the cold run.");
  return artefacts->count > 0;
}

void
kiln_artefacts_release(struct kiln_artefacts *artefacts)
{
  free(artefacts->items);
  *artefacts = (struct kiln_artefacts){0};
}

const char *
kiln_artefact_option(const struct kiln_artefact *artefact, const char *name)
{
  for (size_t i = 0; artefact->hash && i < artefact->hash->option_count; i++)
    if (kiln_text_equal(artefact->hash->options[i].name, name))
      return artefact->hash->options[i].value;
  return NULL;
}

size_t
kiln_artefact_kernels(const struct kiln_artefact *artefact)
{
  if (artefact->hash && artefact->hash->kernel_count)
    return artefact->hash->kernel_count;
  return artefact->build->kernel_count > 0 ? (size_t)artefact->build->kernel_count : 0;
}

bool
kiln_artefact_on_gpu(const struct kiln_artefact *artefact)
{
  return artefact->build->device && kiln_order_device_kind(artefact->build->device, "cpu") != 0;
}

bool
kiln_artefacts_alike(const struct kiln_artefact *a, const struct kiln_artefact *b)
{
  if (a->build->block_dim != b->build->block_dim || kiln_order_device_kind(a->build->device, b->build->device) != 0 ||
      !kiln_text_equal(a->build->framework, b->build->framework))
    return false;
  if (!a->hash || !b->hash || a->hash->option_count != b->hash->option_count)
    return a->hash == b->hash;
  for (size_t i = 0; i < a->hash->option_count; i++)
    if (!kiln_text_equal(a->hash->options[i].name, b->hash->options[i].name) ||
        !kiln_text_equal(a->hash->options[i].value, b->hash->options[i].value))
      return false;
  return true;
}

struct kiln_where
kiln_artefact_declared(const struct kiln_artefacts *artefacts, const struct kiln_artefact *artefact)
{
  for (size_t i = 0; i < artefacts->model->declaration_count; i++) {
    const struct kiln_model_declaration *declaration = &artefacts->model->declarations[i];
    if (kiln_text_equal(declaration->module, artefact->build->module) && declaration->where.file)
      return declaration->where;
  }
  return (struct kiln_where){NULL, 0};
}

bool
kiln_artefacts_worth(const struct kiln_artefacts *artefacts, double cpu_s)
{
  return cpu_s >= WORTH_CPU_S && cpu_s >= WORTH_SHARE * artefacts->run->cpu_s;
}

void
kiln_finding_event(struct kiln_report *report, struct kiln_finding *finding, const struct kiln_report_run *run,
    const char *kind, int pid, int tid, uint64_t t_ns, uint64_t wall_ns, const char *what, struct kiln_where where)
{
  const uint64_t begin = run->result.begin_ns;
  const double since = t_ns >= begin ? (double)(t_ns - begin) / 1e9 : -(double)(begin - t_ns) / 1e9;
  kiln_finding_cite(report, finding,
      (struct kiln_cited){.kind = kind,
          .pid = pid,
          .tid = tid,
          .start_s = since,
          .wall_s = wall_ns == UINT64_MAX ? -1 : (double)wall_ns / 1e9,
          .what = what,
          .where = where});
}

void
kiln_finding_build(struct kiln_report *report, struct kiln_finding *finding, const struct kiln_report_run *run,
    const struct kiln_model_build *build)
{
  const uint64_t own_ns = kiln_build_own_wall_ns(build);
  struct kiln_buf text;
  char label[KILN_DEVICE_LABEL];
  kiln_buf_init(&text);
  kiln_buf_printf(&text, "module `%s`", build->module ? build->module : "?");
  if (build->identity)
    kiln_buf_printf(&text, ", identity %.7s", build->identity);
  kiln_buf_printf(&text, ", was %s for %s by process %d in ",
      build->result == KILN_BUILD_COMPILED ? "built" : "looked up",
      kiln_device_label(label, build->device, build->block_dim), build->pid);
  kiln_text_duration(&text, (double)own_ns / 1e9);
  if (build->wall_ns > own_ns) { /* bounds hold the header too: say what the difference is */
    kiln_buf_printf(&text, ", after ");
    kiln_text_duration(&text, (double)(build->wall_ns - own_ns) / 1e9);
    kiln_buf_printf(&text, " for the precompiled header");
  }
  if (build->where.file)
    kiln_buf_printf(&text, ", asked for at %s:%d", kiln_text_base_name(build->where.file), build->where.line);
  kiln_finding_evidence(report, finding, "%s", kiln_buf_text(&text));
  kiln_buf_release(&text);
  kiln_finding_event(report, finding, run, "compile", build->pid, build->tid, build->start_ns, build->wall_ns,
      build->module, build->where);
  if (finding && finding->cited_count)
    finding->cited[finding->cited_count - 1].identity = kiln_arena_strdup(&report->arena, build->identity);
}

void
kiln_floor_text(const struct kiln_report *report, struct kiln_buf *text)
{
  if (report->diagnosis.floor_s > 0) {
    kiln_buf_text_append(text, "a module of one small kernel with the same options costs ");
    kiln_text_duration(text, report->diagnosis.floor_s);
    kiln_buf_text_append(text, " here, and each further module costs that again");
    return;
  }
  kiln_buf_printf(text, "what a module of one small kernel costs here was not measured%s%s",
      report->diagnosis.floor_note ? ": " : "", report->diagnosis.floor_note ? report->diagnosis.floor_note : "");
}
