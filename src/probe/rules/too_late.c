#include "base/text.h"
#include "probe/rules/artefacts.h"
#include "probe/rules/list.h"

#define MOST_EVIDENCE 24

/* Copied from the global configuration when a module is made, that is when its Python file is imported. */
static bool
is_copied(const char *name)
{
  static const char *const names[] = {
      "enable_backward", "max_unroll", "lineinfo", "deterministic", "deterministic_max_records", "compile_time_trace"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (kiln_text_equal(name, names[i]))
      return true;
  return false;
}

/* Had the module kernels before the option was set? */
static bool
was_made(const struct kiln_model *model, const struct kiln_model_build *build, const struct kiln_model_option *option)
{
  for (size_t i = 0; i < model->declaration_count; i++) {
    const struct kiln_model_declaration *declaration = &model->declarations[i];
    if (declaration->pid == build->pid && declaration->t_ns < option->t_ns &&
        kiln_text_equal(declaration->module, build->module))
      return true;
  }
  return false;
}

/* Did the module set the option itself, or was the global one set again before the build? */
static bool
is_overruled(
    const struct kiln_model *model, const struct kiln_model_build *build, const struct kiln_model_option *option)
{
  for (size_t i = 0; i < model->option_count; i++) {
    const struct kiln_model_option *other = &model->options[i];
    if (other == option || other->pid != build->pid || !kiln_text_equal(other->name, option->name) ||
        other->t_ns >= build->start_ns)
      continue;
    if (kiln_text_equal(other->module, build->module) || (!other->module && other->t_ns > option->t_ns))
      return true;
  }
  return false;
}

static bool
is_missed(const struct kiln_model *model, const struct kiln_artefact *artefact, const struct kiln_model_option *option)
{
  const struct kiln_model_build *build = artefact->build;
  const char *value = kiln_artefact_option(artefact, option->name);
  return build->pid == option->pid && build->start_ns > option->t_ns && value && option->after &&
         !kiln_text_equal(value, option->after) && was_made(model, build, option) &&
         !is_overruled(model, build, option);
}

static void
fire(struct kiln_report *report, const struct kiln_artefacts *artefacts, const struct kiln_model_option *option,
    size_t missed)
{
  struct kiln_finding *finding = kiln_finding_add(report, "too_late");
  size_t shown = 0;
  kiln_finding_sentence(report, finding,
      "`warp.config.%s` was set to %s at %s:%d after %zu module%s had copied it: it did not arrive in %s.",
      option->name, option->after, option->where.file ? kiln_text_base_name(option->where.file) : "?",
      option->where.line, missed, missed == 1 ? "" : "s", missed == 1 ? "it" : "them");
  kiln_finding_where(report, finding, option->where);
  for (size_t i = 0; i < artefacts->count && shown < MOST_EVIDENCE; i++) {
    const struct kiln_artefact *artefact = &artefacts->items[i];
    if (!is_missed(artefacts->model, artefact, option))
      continue;
    kiln_finding_evidence(report, finding, "not arrived in module `%s`: it was built with %s %s",
        artefact->build->module ? artefact->build->module : "?", option->name,
        kiln_artefact_option(artefact, option->name));
    kiln_finding_where(report, finding, kiln_artefact_declared(artefacts, artefact));
    shown++;
  }
  if (missed > shown)
    kiln_finding_evidence(report, finding, "nor in %zu more modules", missed - shown);
  kiln_finding_remedy(report, finding,
      "Set it before the import of the file that declares the kernels, or as the module's own option before its first "
      "load (`wp.set_module_options`).");
}

static void
run(struct kiln_report *report)
{
  struct kiln_artefacts artefacts;
  const bool found = kiln_artefacts_find(&artefacts, report, NULL);
  for (size_t i = 0; found && i < artefacts.model->option_count; i++) {
    const struct kiln_model_option *option = &artefacts.model->options[i];
    size_t missed = 0;
    if (option->module || !is_copied(option->name))
      continue;
    for (size_t j = 0; j < artefacts.count; j++)
      missed += is_missed(artefacts.model, &artefacts.items[j], option);
    if (missed)
      fire(report, &artefacts, option, missed);
  }
  kiln_artefacts_release(&artefacts);
}

const struct kiln_rule kiln_rule_too_late = {.id = "too_late",
    .title = "an option that was set too late",
    .run = run,
    .confirm = "Measure again: the identity of each module named differs.",
    .deadline = "before the Python file that holds the kernels is imported",
    .remark = true};
