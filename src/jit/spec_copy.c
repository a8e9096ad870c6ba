/* A spec for a thread that works on after its owner has freed it. */
#include "jit/spec.h"

typedef enum kiln_status add_text(struct kiln_spec *spec, const char *text, struct kiln_error *error);

static enum kiln_status
copy_sources(struct kiln_spec *copy, const struct kiln_spec *spec, struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  for (size_t i = 0; i < spec->source_count && status == KILN_OK; i++) {
    const struct kiln_spec_source *source = &spec->sources[i];
    status = source->path ? kiln_spec_add_source_file(copy, source->path, error)
                          : kiln_spec_add_source(copy, source->name, source->text, source->len, error);
  }
  return status;
}

static enum kiln_status
copy_list(struct kiln_spec *copy, const struct kiln_text_list *list, add_text *add, struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  for (size_t i = 0; i < list->count && status == KILN_OK; i++)
    status = add(copy, list->items[i], error);
  return status;
}

enum kiln_status
kiln_spec_copy(const struct kiln_spec *spec, struct kiln_spec **copy, struct kiln_error *error)
{
  const struct {
    const struct kiln_text_list *list;
    add_text *add;
  } lists[] = {{&spec->flags, kiln_spec_add_flag}, {&spec->defines, kiln_spec_add_define},
      {&spec->includes, kiln_spec_add_include}, {&spec->archs, kiln_spec_add_arch},
      {&spec->supports, kiln_spec_add_support}, {&spec->links, kiln_spec_add_link},
      {&spec->entry_points, kiln_spec_add_entry_point}};
  enum kiln_status status = kiln_spec_new(spec->name, spec->toolchain, copy, error);
  if (status == KILN_OK)
    status = copy_sources(*copy, spec, error);
  for (size_t i = 0; i < sizeof lists / sizeof *lists && status == KILN_OK; i++)
    status = copy_list(*copy, lists[i].list, lists[i].add, error);
  if (status != KILN_OK) {
    kiln_spec_free(*copy);
    *copy = NULL;
  }
  return status;
}
