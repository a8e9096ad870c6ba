#include "probe/rules/churn.h"

#include <string.h>

#include "base/text.h"

static struct kiln_cause *
add_cause(struct kiln_churn *churn, enum kiln_cause_kind kind, const char *name)
{
  if (!KILN_GROW(churn->causes, churn->cause_count, churn->cause_capacity))
    return NULL;
  struct kiln_cause *cause = &churn->causes[churn->cause_count++];
  const size_t len = strlen(name);
  *cause = (struct kiln_cause){.kind = kind, .name = name};
  cause->overload = kind != KILN_CAUSE_OPTION && len > 1 && name[0] != '<' && name[len - 1] == '>' && strchr(name, '<');
  return cause;
}

static const char *
find_value(const struct kiln_model_pair *pairs, size_t count, const char *name)
{
  for (size_t i = 0; i < count; i++)
    if (kiln_text_equal(pairs[i].name, name))
      return pairs[i].value ? pairs[i].value : "";
  return NULL;
}

static void
diff_kernels(struct kiln_churn *churn, const struct kiln_model_hash *from, const struct kiln_model_hash *to)
{
  for (size_t i = 0; i < to->kernel_count; i++) {
    const char *name = to->kernels[i].name, *digest = to->kernels[i].value ? to->kernels[i].value : "";
    const char *old = find_value(from->kernels, from->kernel_count, name);
    if (name && !old)
      add_cause(churn, KILN_CAUSE_ADDED, name);
    else if (name && strcmp(old, digest) != 0)
      add_cause(churn, KILN_CAUSE_CHANGED, name);
  }
  for (size_t i = 0; i < from->kernel_count; i++) {
    const char *name = from->kernels[i].name;
    if (name && !find_value(to->kernels, to->kernel_count, name))
      add_cause(churn, KILN_CAUSE_REMOVED, name);
  }
}

static void
add_option(struct kiln_churn *churn, const char *name, const char *before, const char *after)
{
  struct kiln_cause *cause = add_cause(churn, KILN_CAUSE_OPTION, name);
  if (cause) {
    cause->before = before;
    cause->after = after;
  }
}

static void
diff_options(struct kiln_churn *churn, const struct kiln_model_hash *from, const struct kiln_model_hash *to)
{
  for (size_t i = 0; i < to->option_count; i++) {
    const char *name = to->options[i].name, *value = to->options[i].value ? to->options[i].value : "";
    const char *old = find_value(from->options, from->option_count, name);
    if (name && (!old || strcmp(old, value) != 0))
      add_option(churn, name, old, value);
  }
  for (size_t i = 0; i < from->option_count; i++) {
    const char *name = from->options[i].name;
    if (name && !find_value(to->options, to->option_count, name))
      add_option(churn, name, from->options[i].value, NULL);
  }
}

/* Is this the kernel whose overload is named `overload`? */
static bool
is_base_of(const char *kernel, const char *overload)
{
  const size_t len = strlen(kernel);
  return strncmp(kernel, overload, len) == 0 && overload[len] == '<';
}

/* A new overload also changes the digest of its generic kernel: one cause, not two. */
static void
drop_generic_echoes(struct kiln_churn *churn, size_t first)
{
  size_t kept = first;
  for (size_t i = first; i < churn->cause_count; i++) {
    const struct kiln_cause *cause = &churn->causes[i];
    bool echo = false;
    for (size_t j = first; j < churn->cause_count && !cause->overload && cause->kind != KILN_CAUSE_OPTION; j++)
      echo = echo || (churn->causes[j].overload && is_base_of(cause->name, churn->causes[j].name));
    if (!echo)
      churn->causes[kept++] = *cause;
  }
  churn->cause_count = kept;
}

void
kiln_churn_diff(struct kiln_churn *churn, const struct kiln_model_hash *from, const struct kiln_model_hash *to)
{
  const size_t first = churn->cause_count;
  diff_kernels(churn, from, to);
  /* Copying the causes is not needed to drop echoes when there is only one. */
  if (churn->cause_count > first + 1)
    drop_generic_echoes(churn, first);
  diff_options(churn, from, to);
  for (size_t i = first; i < churn->cause_count; i++) {
    churn->causes[i].from = from->identity;
    churn->causes[i].to = to->identity;
  }
}

const struct kiln_model_hash *
kiln_model_find_hash(const struct kiln_model *model, const char *framework, const char *module, const char *identity)
{
  for (size_t i = 0; i < model->hash_count; i++) {
    const struct kiln_model_hash *hash = &model->hashes[i];
    if (hash->kernel_count + hash->option_count > 0 && kiln_text_equal(hash->identity, identity) &&
        kiln_text_equal(hash->module, module) && kiln_text_equal(hash->framework, framework))
      return hash;
  }
  return NULL;
}

static bool
declares(const struct kiln_model_declaration *declaration, const struct kiln_cause *cause)
{
  if (!declaration->kernel)
    return false;
  if (!cause->overload)
    return !declaration->overload && kiln_text_equal(declaration->kernel, cause->name);
  const size_t len = strlen(declaration->kernel);
  if (!declaration->overload || !is_base_of(declaration->kernel, cause->name))
    return false;
  const char *signature = cause->name + len + 1; /* without its closing bracket */
  const size_t size = strlen(declaration->overload);
  return strncmp(signature, declaration->overload, size) == 0 && strcmp(signature + size, ">") == 0;
}

/* The last declaration before the step; of the same process if there is one (a forked child declares nothing). */
static void
locate_kernel(struct kiln_cause *cause, const struct kiln_model *model, const struct kiln_churn *churn, uint64_t t_ns)
{
  const struct kiln_model_declaration *best = NULL;
  for (size_t i = 0; i < model->declaration_count; i++) {
    const struct kiln_model_declaration *d = &model->declarations[i];
    if (d->t_ns > t_ns || !kiln_text_equal(d->module, churn->module) || !declares(d, cause))
      continue;
    const bool closer = !best || (d->pid == churn->pid) > (best->pid == churn->pid) ||
                        ((d->pid == churn->pid) == (best->pid == churn->pid) && d->t_ns >= best->t_ns);
    best = closer ? d : best;
  }
  if (!best)
    return;
  cause->where = best->where;
  cause->event = "declare";
  cause->pid = best->pid;
  cause->t_ns = best->t_ns;
  cause->trigger = best->trigger;
  cause->after_load = best->loaded;
}

/* The last change of this option before the step; one of the module goes before one of the global configuration. */
static void
locate_option(struct kiln_cause *cause, const struct kiln_model *model, const struct kiln_churn *churn, uint64_t t_ns)
{
  const struct kiln_model_option *best = NULL;
  for (size_t i = 0; i < model->option_count; i++) {
    const struct kiln_model_option *o = &model->options[i];
    if (o->t_ns > t_ns || !kiln_text_equal(o->name, cause->name))
      continue;
    if (o->module && !kiln_text_equal(o->module, churn->module))
      continue;
    if (o->after && cause->after && !kiln_text_equal(o->after, cause->after))
      continue;
    const bool closer = !best || (o->module != NULL) > (best->module != NULL) ||
                        ((o->module != NULL) == (best->module != NULL) && o->t_ns >= best->t_ns);
    best = closer ? o : best;
  }
  if (!best)
    return;
  cause->where = best->where;
  cause->event = "option";
  cause->pid = best->pid;
  cause->t_ns = best->t_ns;
  cause->after_load = best->loaded;
}

void
kiln_churn_explain(
    struct kiln_churn *churn, const struct kiln_model *model, const char *from, const char *to, uint64_t t_ns)
{
  const struct kiln_model_hash *old = kiln_model_find_hash(model, churn->framework, churn->module, from);
  const struct kiln_model_hash *new = kiln_model_find_hash(model, churn->framework, churn->module, to);
  if (!old || !new)
    return;
  const size_t first = churn->cause_count;
  kiln_churn_diff(churn, old, new);
  for (size_t i = first; i < churn->cause_count; i++) {
    struct kiln_cause *cause = &churn->causes[i];
    if (cause->kind == KILN_CAUSE_OPTION)
      locate_option(cause, model, churn, t_ns);
    else if (cause->kind != KILN_CAUSE_REMOVED)
      locate_kernel(cause, model, churn, t_ns);
  }
}
