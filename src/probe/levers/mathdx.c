/* CS-7: link-time objects of tile operations. Three options of one kind. */
#include "probe/levers/kernels.h"
#include "probe/levers/list.h"

static enum kiln_lever_answer
supports(const struct kiln_lever_view *view, struct kiln_buf *reason)
{
  if (view->cold->counts.lto == 0) {
    kiln_buf_text_append(reason, "No link-time object was built.");
    return KILN_LEVER_POINTLESS;
  }
  kiln_buf_printf(reason,
      "Link-time objects built: %llu. Whether the fast path pays shows only when both ways are "
      "measured, at the precision in use.",
      (unsigned long long)view->cold->counts.lto);
  return KILN_LEVER_SUPPORTED;
}

#define MATHDX(name, what)                                                                                             \
  static void make_##name(const struct kiln_lever_view *view, struct kiln_json *json)                                  \
  {                                                                                                                    \
    (void)view;                                                                                                        \
    kiln_lever_write_bool(json, "enable_mathdx_" #name, false);                                                        \
  }                                                                                                                    \
  static void lines_##name(const struct kiln_lever_view *view, struct kiln_buf *text)                                  \
  {                                                                                                                    \
    (void)view;                                                                                                        \
    kiln_buf_text_append(text, "wp.config.enable_mathdx_" #name " = False");                                           \
  }                                                                                                                    \
  const struct kiln_lever kiln_lever_mathdx_##name = {                                                                 \
      .id = "enable_mathdx_" #name,                                                                                    \
      .title = what " without the MathDx library",                                                                     \
      .mechanisms = "CS-7",                                                                                            \
      .arrival = KILN_ARRIVAL_IDENTITY,                                                                                \
      .flags = KILN_LEVER_KERNELS,                                                                                     \
      .removes = "The library's fast path: the kernels may run slower, and results differ in the last digits.",        \
      .undo = KILN_LEVER_KERNELS_UNDO,                                                                                 \
      .supports = supports,                                                                                            \
      .make = make_##name,                                                                                             \
      .lines = lines_##name,                                                                                           \
  }

MATHDX(gemm, "tile products");
MATHDX(fft, "tile Fourier transforms");
MATHDX(solver, "tile solvers");
