/* N-7, CS-12: a native compiler that optimises more than the program gains. */
#include "base/text.h"
#include "probe/levers/kernels.h"
#include "probe/levers/list.h"
#include "probe/report/work.h"

#define OPTION "optimization_level"
#define OWN 1
#define OWN_OF_CPU 2 /* the framework's, where nothing is set */
#define OWN_OF_GPU 3
#define SHARE 0.3 /* of what the builds take */

static bool
accepts(const char *value)
{
  return kiln_lever_is_number(value, 3);
}

/* What the build was optimised at. */
static int64_t
level_of(const struct kiln_lever_view *view, const struct kiln_model_build *build)
{
  const char *value = kiln_lever_option(view, build, OPTION);
  uint64_t number;
  if (value && kiln_text_parse_uint(value, &number)) {
    return (int64_t)number;
  }
  return kiln_order_device_kind(build->device, "cpu") == 0 ? OWN_OF_CPU : OWN_OF_GPU;
}

/* One that is built at this level, or less, already has nothing to gain. */
static bool
meant(const struct kiln_lever_view *view, const struct kiln_model_build *build)
{
  return level_of(view, build) > kiln_lever_number(view, OWN);
}

static enum kiln_lever_answer
supports(const struct kiln_lever_view *view, struct kiln_buf *reason)
{
  double native_s = 0, sum_s = 0;
  size_t lowered = 0;
  if (kiln_lever_nothing_built(view, reason)) {
    return KILN_LEVER_POINTLESS;
  }
  for (size_t i = 0; i < view->cold->build_count; i++) {
    const struct kiln_model_build *build = &view->cold->builds[i];
    sum_s += (double)build->wall_ns / 1e9;
    if (build->result == KILN_BUILD_COMPILED && meant(view, build)) {
      native_s += (double)build->native.wall_ns / 1e9;
      lowered++;
    }
  }
  if (lowered == 0) {
    kiln_buf_printf(
        reason, "All builds are optimised at level %d already, or less.", (int)kiln_lever_number(view, OWN));
    return KILN_LEVER_POINTLESS;
  }
  kiln_buf_printf(reason, "The native compiler takes %.2f s of the %.2f s of all builds.", native_s, sum_s);
  return native_s >= SHARE * sum_s ? KILN_LEVER_SUPPORTED : KILN_LEVER_POINTLESS;
}

static void
make(const struct kiln_lever_view *view, struct kiln_json *json)
{
  kiln_lever_write_int(json, OPTION, kiln_lever_number(view, OWN));
}

static void
lines(const struct kiln_lever_view *view, struct kiln_buf *text)
{
  kiln_buf_printf(text, "wp.config." OPTION " = %d", (int)kiln_lever_number(view, OWN));
}

const struct kiln_lever kiln_lever_optimization_level = {
    .id = OPTION,
    .title = "the native compiler optimises less",
    .mechanisms = "N-7",
    .arrival = KILN_ARRIVAL_IDENTITY,
    .flags = KILN_LEVER_KERNELS,
    .removes = "The kernels are optimised less and may run slower; results may differ in the last digits.",
    .undo = KILN_LEVER_KERNELS_UNDO,
    .accepts = accepts,
    .supports = supports,
    .make = make,
    .lines = lines,
    .meant = meant,
};
