/* The toolkits of a machine, for people. */
#include <string.h>

#include "jit/context.h"
#include "jit/toolkit.h"
#include "kiln/toolkit.h"

struct listing {
  struct kiln_toolkit used[2]; /* by part; folder "": none */
  bool (*visit)(void *context, const struct kiln_toolkit_info *info);
  void *context;
};

static bool
is_used(const struct listing *listing, enum kiln_toolkit_part part, const struct kiln_toolkit *toolkit)
{
  const struct kiln_toolkit *used = &listing->used[part];
  return toolkit->problem[part].len == 0 && used->folder.len > 0 &&
         strcmp(kiln_buf_text(&used->folder), kiln_buf_text(&toolkit->folder)) == 0;
}

static const char *
problem(const struct kiln_toolkit *toolkit, enum kiln_toolkit_part part)
{
  return toolkit->problem[part].len > 0 ? kiln_buf_text(&toolkit->problem[part]) : NULL;
}

static bool
tell(void *context, const struct kiln_toolkit *toolkit)
{
  const struct listing *listing = context;
  const struct kiln_toolkit_info info = {.folder = kiln_buf_text(&toolkit->folder),
      .source = kiln_buf_text(&toolkit->source),
      .major = toolkit->version.major > 0 ? toolkit->version.major : toolkit->nvrtc_version.major,
      .minor = toolkit->version.major > 0 ? toolkit->version.minor : toolkit->nvrtc_version.minor,
      .nvcc_problem = problem(toolkit, KILN_TOOLKIT_NVCC),
      .nvrtc_problem = problem(toolkit, KILN_TOOLKIT_NVRTC),
      .nvcc_used = is_used(listing, KILN_TOOLKIT_NVCC, toolkit),
      .nvrtc_used = is_used(listing, KILN_TOOLKIT_NVRTC, toolkit)};
  return listing->visit(listing->context, &info);
}

enum kiln_status
kiln_toolkit_list(struct kiln *kiln, bool (*visit)(void *context, const struct kiln_toolkit_info *info), void *context,
    struct kiln_error *error)
{
  struct listing listing = {.visit = visit, .context = context};
  struct kiln_toolkit_search search;
  struct kiln_buf self;
  kiln_buf_init(&self);
  kiln_toolkit_search_init(&search, kiln->options.cuda, &self);
  if (kiln->options.system_root)
    search.root = kiln->options.system_root;
  for (int part = 0; part < 2; part++) {
    kiln_toolkit_init(&listing.used[part]);
    (void)kiln_toolkit_find(&search, (enum kiln_toolkit_part)part, NULL, &listing.used[part], NULL);
  }
  kiln_toolkit_each(&search, tell, &listing);
  for (int part = 0; part < 2; part++)
    kiln_toolkit_release(&listing.used[part]);
  const bool failed = self.failed;
  kiln_buf_release(&self);
  return failed ? kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the list of toolkits") : KILN_OK;
}
