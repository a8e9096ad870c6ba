/* CS-7: link-time objects of one module are independent, and built one after another. */
#include "base/json_copy.h"
#include "base/text.h"
#include "probe/levers/facts.h"
#include "probe/levers/list.h"

#define CALLS_MOST 1024

/* Several processes of one run may have built the same object: it is made once. */
static bool
is_first(const struct kiln_model *model, size_t at)
{
  for (size_t i = 0; i < at; i++) {
    if (model->links[i].result == KILN_BUILD_COMPILED &&
        kiln_text_equal(model->links[i].symbol, model->links[at].symbol)) {
      return false;
    }
  }
  return true;
}

static bool
is_object(const struct kiln_model *model, size_t at)
{
  return model->links[at].result == KILN_BUILD_COMPILED && is_first(model, at);
}

static enum kiln_lever_answer
supports(const struct kiln_lever_view *view, struct kiln_buf *reason)
{
  size_t built = 0, known = 0;
  double sum_s = 0, largest_s = 0;
  for (size_t i = 0; i < view->cold->link_count; i++) {
    const struct kiln_model_link *link = &view->cold->links[i];
    const double seconds = (double)link->wall_ns / 1e9;
    if (is_object(view->cold, i)) {
      built++;
      sum_s += seconds;
      largest_s = seconds > largest_s ? seconds : largest_s;
      known += link->call != NULL;
    }
  }
  if (built == 0) {
    kiln_buf_text_append(reason, "No link-time object was built.");
    return KILN_LEVER_POINTLESS;
  }
  kiln_buf_printf(reason,
      "Link-time objects built one after another: %zu in %.2f s, the largest %.2f s; of %zu the call is known%s.",
      built, sum_s, largest_s, known, view->cores > 1 ? "" : ", and there is one core");
  return known > 0 && view->cores > 1 ? KILN_LEVER_SUPPORTED : KILN_LEVER_POINTLESS;
}

static void
make(const struct kiln_lever_view *view, struct kiln_json *json)
{
  size_t n = 0;
  kiln_json_object(json);
  kiln_json_member_text(json, "id", "lto_ahead");
  kiln_json_member_array(json, "calls");
  for (size_t i = 0; i < view->cold->link_count && n < CALLS_MOST; i++) {
    if (is_object(view->cold, i) && view->cold->links[i].call) {
      kiln_json_copy_text(view->cold->links[i].call, json, NULL);
      n++;
    }
  }
  kiln_json_array_end(json);
  kiln_json_object_end(json);
}

const struct kiln_lever kiln_lever_lto_ahead = {
    .id = "lto_ahead",
    .title = "link-time objects built ahead, side by side",
    .mechanisms = "CS-7",
    .arrival = KILN_ARRIVAL_LINK,
    .flags = KILN_LEVER_AHEAD,
    .removes = "Nothing: the same objects are built, at the same time as the program starts, by processes beside it.",
    .undo = "Start the program without `kiln apply`: it builds its link-time objects itself again.",
    .supports = supports,
    .make = make,
};
