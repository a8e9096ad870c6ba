/* CS-10: code for gradients that nobody asks for. */
#include "base/text.h"
#include "probe/levers/facts.h"
#include "probe/levers/list.h"

#define OPTION "enable_backward"

static uint64_t
backward_launches(const struct kiln_model *model)
{
  uint64_t n = 0;
  for (size_t i = 0; model && i < model->launch_count; i++) {
    n += kiln_text_equal(model->launches[i].direction, "backward") ? model->launches[i].count : 0;
  }
  return n;
}

/* What ran decides, in either run: reading the code would not tell. */
static bool
tape_ran(const struct kiln_lever_view *view, struct kiln_buf *reason)
{
  const uint64_t warm_passes = view->warm ? view->warm->tape_backward : 0, warm = backward_launches(view->warm);
  const uint64_t passes = view->cold->tape_backward ? view->cold->tape_backward : warm_passes;
  const uint64_t launches = backward_launches(view->cold) ? backward_launches(view->cold) : warm;
  if (passes == 0 && launches == 0) {
    return false;
  }
  kiln_buf_printf(reason,
      "A tape ran backward in this program (passes in a run: %llu, kernels launched backward: %llu): without backward "
      "code its "
      "gradients would be wrong, silently.",
      (unsigned long long)passes, (unsigned long long)launches);
  return true;
}

static enum kiln_lever_answer
supports(const struct kiln_lever_view *view, struct kiln_buf *reason)
{
  const size_t builds = kiln_lever_builds(view), with = kiln_lever_builds_with(view, OPTION, "True");
  if (tape_ran(view, reason)) {
    return KILN_LEVER_UNSAFE;
  }
  if (builds == 0) {
    kiln_buf_text_append(reason, "Nothing was built.");
    return KILN_LEVER_POINTLESS;
  }
  if (with == 0) {
    kiln_buf_printf(reason, "None of the %zu builds has backward code.", builds);
    return KILN_LEVER_POINTLESS;
  }
  kiln_buf_printf(reason, "%zu of %zu builds have backward code, and no tape ran backward in the run.", with, builds);
  return KILN_LEVER_SUPPORTED;
}

static void
make(const struct kiln_lever_view *view, struct kiln_json *json)
{
  (void)view;
  kiln_lever_write_bool(json, OPTION, false);
}

static void
lines(const struct kiln_lever_view *view, struct kiln_buf *text)
{
  (void)view;
  kiln_buf_text_append(text, "wp.config.enable_backward = False");
}

static bool
meant(const struct kiln_lever_view *view, const struct kiln_model_build *build)
{
  const char *value = kiln_lever_option(view, build, OPTION);
  return !value || kiln_text_equal(value, "True");
}

const struct kiln_lever kiln_lever_enable_backward = {
    .id = OPTION,
    .title = "no backward code",
    .mechanisms = "CS-10",
    .arrival = KILN_ARRIVAL_IDENTITY,
    .removes = "The kernels have no backward code: a tape that reaches them would give wrong gradients.",
    .undo = "Leave out the setting: the next start builds with backward code again.",
    .supports = supports,
    .make = make,
    .lines = lines,
    .meant = meant,
};
