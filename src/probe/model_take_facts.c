/* Handlers of what rules look at beside the work: link-time objects, headers, requests, captures, tapes. */
#include "base/buf.h"
#include "base/json_copy.h"
#include "probe/model_take.h"

/* So many are kept: a program that records a tape in each step would fill memory with one fact. */
#define MOST_MOMENTS 4096

const char *
kiln_taking_joined(const struct kiln_taking *taking, const char *key)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  const struct cJSON *list = kiln_json_get(taking->event->fields, key);
  for (const struct cJSON *at = kiln_json_is_array(list) ? kiln_json_first(list) : NULL;
       at && text.len < KILN_MODEL_TEXT; at = kiln_json_next(at))
    kiln_buf_printf(&text, "%s%s", text.len ? ", " : "", kiln_json_as_string(at, "?"));
  const char *joined = text.len ? kiln_model_intern(taking->model, kiln_buf_text(&text)) : NULL;
  kiln_buf_release(&text);
  return joined;
}

static enum kiln_build_result
result_of(const struct kiln_taking *taking)
{
  if (kiln_taking_is(taking, "result", "compiled"))
    return KILN_BUILD_COMPILED;
  return kiln_taking_is(taking, "result", "cached") ? KILN_BUILD_CACHED : KILN_BUILD_FAILED;
}

/* A call as a lever file holds it (docs/levers.md). */
static const char *
call_of(const struct kiln_taking *taking)
{
  const struct cJSON *fields = taking->event->fields, *arguments = kiln_json_get(fields, "arguments");
  const char *function = kiln_json_get_string(fields, "function", NULL), *call = NULL;
  struct kiln_buf text;
  struct kiln_json json;
  if (!function || !kiln_json_is_object(arguments))
    return NULL;
  kiln_buf_init(&text);
  kiln_json_init(&json, &text, false);
  kiln_json_object(&json);
  kiln_json_member_text(&json, "symbol", kiln_json_get_string(fields, "symbol", NULL));
  kiln_json_member_text(&json, "function", function);
  kiln_json_key(&json, "arguments");
  kiln_json_copy(arguments, &json);
  kiln_json_object_end(&json);
  if (!text.failed)
    call = kiln_arena_strdup(&taking->model->arena, kiln_buf_text(&text));
  kiln_buf_release(&text);
  return call;
}

void
kiln_take_link_row(const struct kiln_taking *taking)
{
  struct kiln_model *model = taking->model;
  if (!KILN_MODEL_ADD_ROW(model, links, link_count, link_capacity))
    return;
  model->links[model->link_count - 1] = (struct kiln_model_link){
      .framework = kiln_taking_text(taking, "framework"),
      .symbol = kiln_taking_text(taking, "symbol"),
      .module = kiln_taking_text(taking, "module"),
      .call = call_of(taking),
      .pid = taking->event->pid,
      .tid = taking->event->tid,
      .start_ns = taking->event->t,
      .wall_ns = taking->event->dur,
      .cpu_ns = taking->event->dcpu,
      .result = result_of(taking),
  };
}

void
kiln_take_header_row(const struct kiln_taking *taking)
{
  struct kiln_model *model = taking->model;
  if (!KILN_MODEL_ADD_ROW(model, headers, header_count, header_capacity))
    return;
  model->headers[model->header_count - 1] = (struct kiln_model_header){
      .framework = kiln_taking_text(taking, "framework"),
      .path = kiln_taking_text(taking, "path"),
      .module = kiln_taking_text(taking, "module"),
      .pid = taking->event->pid,
      .tid = taking->event->tid,
      .start_ns = taking->event->t,
      .wall_ns = taking->event->dur,
      .cpu_ns = taking->event->dcpu,
  };
}

void
kiln_take_moment(const struct kiln_taking *taking)
{
  struct kiln_model *model = taking->model;
  if (model->moment_count >= MOST_MOMENTS || !KILN_MODEL_ADD_ROW(model, moments, moment_count, moment_capacity))
    return;
  model->moments[model->moment_count - 1] = (struct kiln_model_moment){
      .framework = kiln_taking_text(taking, "framework"),
      .kind = kiln_event_kind_name(taking->event->kind),
      .what = kiln_taking_text(taking, "what"),
      .kernel = kiln_taking_text(taking, "kernel"),
      .modules = kiln_taking_joined(taking, "modules"),
      .devices = kiln_taking_joined(taking, "devices"),
      .block_dim = kiln_taking_number(taking, "block_dim"),
      .workers = kiln_taking_number(taking, "max_workers"),
      .pid = taking->event->pid,
      .tid = taking->event->tid,
      .t_ns = taking->event->t,
      .where = kiln_taking_where(taking, "where"),
  };
}

static uint64_t
bytes_of(const struct kiln_taking *taking, const char *key)
{
  const int64_t bytes = kiln_json_get_int(taking->event->fields, key, 0);
  return bytes > 0 ? (uint64_t)bytes : 0;
}

void
kiln_take_build_facts(const struct kiln_taking *taking, struct kiln_model_build *build)
{
  build->backward_bytes = bytes_of(taking, "backward_bytes");
  build->largest_bytes = bytes_of(taking, "largest_bytes");
  build->largest = kiln_taking_text(taking, "largest");
  build->kernel_count = kiln_taking_number(taking, "kernel_count");
  build->unrolled = kiln_taking_number(taking, "unrolled");
  build->stale = kiln_taking_joined(taking, "stale");
  build->fresh = kiln_taking_joined(taking, "fresh");
  build->elsewhere = kiln_taking_joined(taking, "elsewhere");
}
