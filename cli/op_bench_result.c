#include "op_bench_result.h"

/* ---- as JSON ---- */

static void
series_json(struct kiln_json *json, const char *name, const struct kiln_series *series, uint64_t bytes)
{
  const double median = kiln_series_quantile(series, 0.5);
  kiln_json_key(json, name);
  if (series->count == 0) {
    kiln_json_null(json);
    return;
  }
  kiln_json_object(json);
  kiln_json_member_double(json, "median_us", median * 1e6);
  kiln_json_member_double(json, "p10_us", kiln_series_quantile(series, 0.1) * 1e6);
  kiln_json_member_double(json, "p90_us", kiln_series_quantile(series, 0.9) * 1e6);
  kiln_json_member_uint(json, "n", series->count);
  kiln_json_member_double(json, "gb_per_s", median > 0 ? (double)bytes / median / 1e9 : 0);
  kiln_json_object_end(json);
}

void
kiln_bench_row_json(const struct kiln_bench_row *row, const char *torch_version, struct kiln_json *json)
{
  const struct kiln_bench *bench = &row->bench;
  kiln_json_object(json);
  kiln_json_member_text(json, "op", row->op->name);
  kiln_json_member_text(json, "device", row->device);
  kiln_json_member_text(json, "case", kiln_buf_text(&row->what));
  kiln_json_member_text(json, "variant", bench->run.variant);
  kiln_json_member_bool(json, "ok", bench->run.result.ok);
  kiln_json_member_double(json, "max_abs_err", bench->run.result.max_abs_err);
  kiln_json_member_text(json, "timer", bench->timer);
  kiln_json_member_uint(json, "bytes", bench->bytes);
  kiln_json_member_uint(json, "buffer_sets", bench->sets);
  series_json(json, "kiln", &bench->call, bench->bytes);
  series_json(json, "copy", &bench->copy, bench->bytes);
  if (torch_version) {
    series_json(json, "torch", &row->other.series, bench->bytes);
    kiln_json_member_filled(json, "torch_says", row->other.says);
    kiln_json_member_filled(json, "torch_version", torch_version);
  }
  kiln_json_object_end(json);
}

/* ---- for people ---- */

static void
line(struct kiln_buf *out, const char *name, const struct kiln_series *series, uint64_t bytes)
{
  const double median = kiln_series_quantile(series, 0.5);
  if (series->count > 0) {
    kiln_buf_printf(out, "  %-6s %10.2f us  (%.2f … %.2f, n %u)  %8.1f GB/s\n", name, median * 1e6,
        kiln_series_quantile(series, 0.1) * 1e6, kiln_series_quantile(series, 0.9) * 1e6, series->count,
        median > 0 ? (double)bytes / median / 1e9 : 0);
  }
}

static void
summary(struct kiln_buf *out, double own, double copy, double torch)
{
  if (own > 0 && copy > 0) {
    kiln_buf_printf(out, "  %.1f %% of the copy's bandwidth", copy / own * 100);
    if (torch > 0) {
      kiln_buf_printf(out, "; torch takes %.2f times as long", torch / own);
    }
    kiln_buf_text_append(out, "\n");
  }
}

void
kiln_bench_row_text(const struct kiln_bench_row *row, struct kiln_buf *out)
{
  const struct kiln_bench *bench = &row->bench;
  const char *what = kiln_buf_text(&row->what);
  if (!bench->run.result.ok) {
    kiln_buf_printf(out, "%s %s: wrong, so not timed: %s\n", row->op->name, what, bench->run.result.worst);
    return;
  }
  kiln_buf_printf(out, "%s %s\n  %s; %s, %u sets of buffers; checked, largest error %.3g\n", row->op->name, what,
      bench->run.variant, bench->timer, bench->sets, bench->run.result.max_abs_err);
  line(out, "kiln", &bench->call, bench->bytes);
  line(out, "copy", &bench->copy, bench->bytes);
  line(out, "torch", &row->other.series, bench->bytes);
  if (*row->other.says) {
    kiln_buf_printf(out, "  torch  %s\n", row->other.says);
  }
  summary(out, kiln_series_quantile(&bench->call, 0.5), kiln_series_quantile(&bench->copy, 0.5),
      kiln_series_quantile(&row->other.series, 0.5));
}
