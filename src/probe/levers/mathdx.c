/* CS-7: link-time objects of tile operations. Three options of one kind, each for its own operations. */
#include "base/text.h"
#include "probe/levers/kernels.h"
#include "probe/levers/list.h"

#define GEMM "dot_"
#define FFT "fft_"
#define SOLVER "" /* named after the routine: "potrf_", "trsm_" */

/* Whose object it is, by the beginning of its symbol, in every version of the framework. */
static bool
is_of(const struct kiln_model_link *link, const char *kind)
{
  if (!link->symbol) {
    return false;
  }
  return kind[0] ? kiln_text_starts(link->symbol, kind)
                 : !kiln_text_starts(link->symbol, GEMM) && !kiln_text_starts(link->symbol, FFT);
}

static enum kiln_lever_answer
supports(const struct kiln_lever_view *view, const char *kind, const char *what, struct kiln_buf *reason)
{
  size_t built = 0;
  double sum_s = 0;
  for (size_t i = 0; i < view->cold->link_count; i++) {
    const struct kiln_model_link *link = &view->cold->links[i];
    if (link->result == KILN_BUILD_COMPILED && is_of(link, kind)) {
      built++;
      sum_s += (double)link->wall_ns / 1e9;
    }
  }
  if (built == 0) {
    kiln_buf_printf(reason, "No link-time object of %s was built.", what);
    return KILN_LEVER_POINTLESS;
  }
  kiln_buf_printf(reason,
      "Link-time objects of %s built: %zu in %.2f s. Whether the fast path pays shows only when both ways are "
      "measured, at the precision in use.",
      what, built, sum_s);
  return KILN_LEVER_SUPPORTED;
}

/* The option moves every identity; it is meant where such an object was made. */
static bool
meant(const struct kiln_lever_view *view, const struct kiln_model_build *build, const char *kind)
{
  for (size_t i = 0; i < view->cold->link_count; i++) {
    const struct kiln_model_link *link = &view->cold->links[i];
    if (kiln_text_equal(link->module, build->module) && is_of(link, kind)) {
      return true;
    }
  }
  return false;
}

#define MATHDX(name, kind, what, gone)                                                                                 \
  static enum kiln_lever_answer supports_##name(const struct kiln_lever_view *view, struct kiln_buf *reason)           \
  {                                                                                                                    \
    return supports(view, kind, what, reason);                                                                         \
  }                                                                                                                    \
  static bool meant_##name(const struct kiln_lever_view *view, const struct kiln_model_build *build)                   \
  {                                                                                                                    \
    return meant(view, build, kind);                                                                                   \
  }                                                                                                                    \
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
      .removes = "The library's fast path: the kernels may run slower, and results differ in the last digits." gone,   \
      .undo = KILN_LEVER_KERNELS_UNDO,                                                                                 \
      .supports = supports_##name,                                                                                     \
      .make = make_##name,                                                                                             \
      .lines = lines_##name,                                                                                           \
      .meant = meant_##name,                                                                                           \
  }

MATHDX(gemm, GEMM, "tile products", "");
MATHDX(fft, FFT, "tile Fourier transforms", " Transforms of other sizes than powers of two do not compile.");
MATHDX(solver, SOLVER, "tile solvers", "");
