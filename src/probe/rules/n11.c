#include "base/text.h"
#include "probe/report/work.h"
#include "probe/rules/artefacts.h"
#include "probe/rules/facts.h"
#include "probe/rules/list.h"

/* Names of architectures stand in the file, not in the folder: only builds for one kind of device and toolchain meet.
 */
static bool
same_place(const struct kiln_model_build *a, const struct kiln_model_build *b)
{
  return a->path && kiln_text_equal(a->path, b->path) && kiln_text_equal(a->module, b->module) &&
         kiln_order_device_kind(a->device, b->device) == 0 && kiln_text_equal(a->framework, b->framework);
}

/* Who wrote what is found in this folder: the last compiled build before `t_ns`. */
static const struct kiln_model_build *
find_writer(const struct kiln_model *model, const struct kiln_model_build *reader, uint64_t t_ns)
{
  const struct kiln_model_build *writer = NULL;
  for (size_t i = 0; model && i < model->build_count; i++)
    if (model->builds[i].result == KILN_BUILD_COMPILED && model->builds[i].start_ns < t_ns &&
        same_place(&model->builds[i], reader))
      writer = &model->builds[i];
  return writer;
}

static void
add_remedies(struct kiln_report *report, struct kiln_finding *finding)
{
  kiln_finding_remedy(report, finding,
      "Let the hash be part of the artefact's name (no `strip_hash`), or clear the folder whenever the source "
      "changes.");
  kiln_finding_remedy(report, finding, "Give each state of the source a folder of its own.");
}

static void
fire(struct kiln_report *report, const struct kiln_report_run *run, const struct kiln_model_build *reader,
    const struct kiln_model_build *writer)
{
  struct kiln_finding *finding = kiln_finding_add(report, "N-11");
  kiln_finding_sentence(report, finding,
      "module `%s` was taken from the cache as identity %.7s, but what lies there was built as %.7s: the program runs "
      "code "
      "that does not fit its source.",
      reader->module ? reader->module : "?", reader->identity, writer->identity);
  kiln_finding_evidence(report, finding, "identity %.7s was written to %s", writer->identity, writer->path);
  kiln_finding_event(report, finding, run, "compile", writer->pid, writer->tid, writer->start_ns, writer->wall_ns,
      writer->module, writer->where);
  kiln_finding_evidence(report, finding, "identity %.7s was found there and not built", reader->identity);
  kiln_finding_event(report, finding, run, "compile", reader->pid, reader->tid, reader->start_ns, reader->wall_ns,
      reader->module, reader->where);
  kiln_finding_where(report, finding, reader->where);
  kiln_finding_where(report, finding, writer->where);
  add_remedies(report, finding);
}

/* Ahead of time with `strip_hash` nothing is hashed: there a kernel of the module that was declared since is the sign.
 */
static const struct kiln_model_declaration *
declared_since(
    const struct kiln_model *model, const struct kiln_model_build *writer, const struct kiln_model_build *reader)
{
  for (size_t i = 0; i < model->declaration_count; i++) {
    const struct kiln_model_declaration *declaration = &model->declarations[i];
    if (declaration->pid == reader->pid && kiln_text_equal(declaration->module, reader->module) &&
        declaration->t_ns > writer->start_ns && declaration->t_ns < reader->start_ns)
      return declaration;
  }
  return NULL;
}

static void
fire_without_hash(struct kiln_report *report, const struct kiln_report_run *run, const struct kiln_model_build *reader,
    const struct kiln_model_declaration *declaration)
{
  struct kiln_finding *finding = kiln_finding_add(report, "N-11");
  kiln_finding_sentence(report, finding,
      "module `%s` was taken from %s as it was, though kernel `%s` was declared since that was built: the program gets "
      "code that does not fit its source.",
      reader->module ? reader->module : "?", reader->path, declaration->kernel ? declaration->kernel : "?");
  kiln_finding_evidence(report, finding, "the artefact has no hash in its name, and was found and not built");
  kiln_finding_event(report, finding, run, "compile", reader->pid, reader->tid, reader->start_ns, reader->wall_ns,
      reader->module, reader->where);
  kiln_finding_evidence(
      report, finding, "kernel `%s` was declared after it was built", declaration->kernel ? declaration->kernel : "?");
  kiln_finding_event(report, finding, run, "declare", declaration->pid, 0, declaration->t_ns, UINT64_MAX,
      declaration->kernel, declaration->where);
  kiln_finding_where(report, finding, reader->where);
  kiln_finding_where(report, finding, declaration->where);
  add_remedies(report, finding);
}

/* Is what the reader found another thing than it looked for? */
static bool
is_wrong(struct kiln_report *report, const struct kiln_report_run *run, const struct kiln_model_build *reader,
    const struct kiln_model_build *writer)
{
  if (writer->identity && reader->identity) {
    if (kiln_text_equal(writer->identity, reader->identity))
      return false;
    fire(report, run, reader, writer);
    return true;
  }
  const struct kiln_model_declaration *since = declared_since(run->model, writer, reader);
  if (since && !reader->identity)
    fire_without_hash(report, run, reader, since);
  return since && !reader->identity;
}

/* Artefacts that were found, against who wrote them in this run or in the one before. */
static bool
examine(struct kiln_report *report, const struct kiln_report_run *run, const struct kiln_model *earlier, size_t *looked)
{
  for (size_t i = 0; run->model && i < run->model->build_count; i++) {
    const struct kiln_model_build *reader = &run->model->builds[i];
    if (reader->result != KILN_BUILD_CACHED)
      continue;
    const struct kiln_model_build *writer = find_writer(run->model, reader, reader->start_ns);
    writer = writer ? writer : find_writer(earlier, reader, UINT64_MAX);
    (*looked) += writer && writer->identity && reader->identity;
    if (writer && is_wrong(report, run, reader, writer))
      return true;
  }
  return false;
}

/* Two tables of kernels or options under one identity: the hash does not tell them apart. */
static bool
tables_differ(const struct kiln_model_hash *a, const struct kiln_model_hash *b)
{
  if (a->kernel_count == 0 || b->kernel_count == 0)
    return false;
  if (a->kernel_count != b->kernel_count)
    return true;
  for (size_t i = 0; i < a->kernel_count; i++)
    if (!kiln_text_equal(a->kernels[i].name, b->kernels[i].name) ||
        !kiln_text_equal(a->kernels[i].value, b->kernels[i].value))
      return true;
  return false;
}

static bool
examine_tables(struct kiln_report *report, const struct kiln_report_run *run)
{
  const struct kiln_model *model = run->model;
  for (size_t i = 0; model && i < model->hash_count; i++)
    for (size_t j = 0; j < i; j++) {
      const struct kiln_model_hash *a = &model->hashes[j], *b = &model->hashes[i];
      if (!kiln_text_equal(a->identity, b->identity) || !kiln_text_equal(a->module, b->module) || !tables_differ(a, b))
        continue;
      struct kiln_finding *finding = kiln_finding_add(report, "N-11");
      kiln_finding_sentence(report, finding,
          "module `%s` has one identity (%.7s) for two different sets of kernels: whichever was built first is used "
          "for "
          "both.",
          b->module ? b->module : "?", b->identity);
      kiln_finding_evidence(
          report, finding, "process %d and process %d hashed different kernels to it", a->pid, b->pid);
      kiln_finding_event(
          report, finding, run, "hash", b->pid, 0, b->t_ns, UINT64_MAX, b->module, (struct kiln_where){NULL, 0});
      kiln_finding_remedy(report, finding,
          "Report it to the framework's maintainers; until then keep the two apart by "
          "the names of their modules.");
      return true;
    }
  return false;
}

static void
run(struct kiln_report *report)
{
  bool seen = false;
  size_t looked = 0;
  for (size_t i = 0; i < kiln_facts_sample_count(report); i++) {
    const struct kiln_report_sample *sample = kiln_facts_sample(report, i);
    if (!sample->cold.model)
      continue;
    seen = true;
    if (examine(report, &sample->cold, NULL, &looked) || examine(report, &sample->warm, sample->cold.model, &looked) ||
        examine_tables(report, &sample->cold))
      return;
  }
  if (seen && looked)
    kiln_finding_ruled_out(
        report, "N-11", "%zu artefacts that were found in a cache had been built under the same identity.", looked);
  else if (seen)
    kiln_finding_not_reached(report, "N-11", "a warm run: kiln diagnose -- COMMAND",
        "no artefact was found in a cache whose build was recorded too.");
}

const struct kiln_rule kiln_rule_n11 = {.id = "N-11",
    .title = "wrong hit: a binary that does not fit",
    .run = run,
    .confirm = "Measure again: each identity that is found was built under the same name.",
    .deadline = "before the artefact is loaded",
    .correctness = true};
