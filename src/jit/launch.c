/* The public face of launches; loading for a stream. */
#include "kiln/launch.h"

#include "device/cuda/launch.h"
#include "device/cuda/stream.h"
#include "jit/flight.h"
#include "jit/module.h"

static enum kiln_status
check(const struct kiln_launch *launch, struct kiln_error *error)
{
  static const char *const names[] = {"x", "y", "z"};
  for (int i = 0; i < 3; i++)
    if (launch->grid[i] == 0 || launch->block[i] == 0) {
      kiln_error_set(
          error, KILN_ERROR_ARGUMENT, "a launch with 0 %s in %s", launch->grid[i] ? "threads" : "blocks", names[i]);
      kiln_error_advise(error, "Every size of grid and block is at least 1.");
      return KILN_ERROR_ARGUMENT;
    }
  return KILN_OK;
}

enum kiln_status
kiln_launch(
    struct kiln *kiln, void *function, const struct kiln_launch *launch, void **arguments, struct kiln_error *error)
{
  enum kiln_status status = check(launch, error);
  return status == KILN_OK ? kiln_cuda_launch(kiln->cuda, function, launch, arguments, error) : status;
}

enum kiln_status
kiln_stream_captured(struct kiln *kiln, void *stream, bool *captured, struct kiln_error *error)
{
  return kiln_cuda_stream_is_captured(kiln->cuda, stream, captured, error);
}

/* What this process has already, in the context that is current. */
static struct kiln_module *
loaded_before(struct kiln *kiln, const struct kiln_spec *spec)
{
  struct kiln_plan plan;
  struct kiln_digest request;
  if (!kiln_memo_recall(kiln, spec, &request)) {
    if (kiln_plan_begin(kiln, spec, &plan, NULL) != KILN_OK)
      return NULL;
    request = plan.request;
    kiln_plan_release(&plan);
  }
  struct kiln_module *module = kiln_module_cache_peek(kiln->modules, &request);
  if (!module || module->device->is_here(module->loaded))
    return module;
  kiln_module_release(module);
  return NULL;
}

enum kiln_status
kiln_module_load_for(struct kiln *kiln, const struct kiln_spec *spec, void *stream, struct kiln_module **module,
    struct kiln_error *error)
{
  bool captured;
  *module = NULL;
  enum kiln_status status = kiln_cuda_stream_is_captured(kiln->cuda, stream, &captured, error);
  if (status != KILN_OK)
    return status;
  if (!captured)
    return kiln_module_load(kiln, spec, module, error);
  *module = loaded_before(kiln, spec);
  if (*module)
    return KILN_OK;
  kiln_error_set(
      error, KILN_ERROR_CAPTURE, "'%s' is not loaded yet, and a stream that is being captured needs it", spec->name);
  kiln_error_advise(error, "Call it once before the capture begins, or load its module then.");
  return KILN_ERROR_CAPTURE;
}
