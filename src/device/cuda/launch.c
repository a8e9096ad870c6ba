#include "device/cuda/launch.h"

#include <stdio.h>

enum { CLUSTER_WITHOUT_ASKING = 8 }; /* blocks; more are for some devices only */

static int
launch_plain(const struct kiln_cuda *cuda, void *function, const struct kiln_launch *launch, void **arguments)
{
  return cuda->call.launch(function, launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0],
      launch->block[1], launch->block[2], launch->shared_bytes, launch->stream, arguments, NULL);
}

static int
launch_with(const struct kiln_cuda *cuda, void *function, const struct kiln_launch *launch, void **arguments)
{
  struct kiln_cu_launch_attribute attributes[3];
  struct kiln_cu_launch_config config = {
      .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
      .block = {launch->block[0], launch->block[1], launch->block[2]},
      .shared_bytes = launch->shared_bytes,
      .stream = launch->stream,
      .attributes = attributes,
  };
  if (launch->cluster[0] != 0)
    attributes[config.attribute_count++] = (struct kiln_cu_launch_attribute){
        .id = KILN_CU_LAUNCH_CLUSTER,
        .value.cluster = {launch->cluster[0], launch->cluster[1] ? launch->cluster[1] : 1,
            launch->cluster[2] ? launch->cluster[2] : 1},
    };
  if (launch->programmatic)
    attributes[config.attribute_count++] =
        (struct kiln_cu_launch_attribute){.id = KILN_CU_LAUNCH_PROGRAMMATIC, .value.flag = 1};
  if (launch->cooperative)
    attributes[config.attribute_count++] =
        (struct kiln_cu_launch_attribute){.id = KILN_CU_LAUNCH_COOPERATIVE, .value.flag = 1};
  return cuda->call.launch_ex(&config, function, arguments, NULL);
}

/* A function may have 48 KiB less its static memory without being told; then once, the driver remembers. */
static enum kiln_status
allow_shared(struct kiln_cuda *cuda, void *function, unsigned bytes, struct kiln_error *error)
{
  int allowed = 0;
  int result = cuda->call.function_attribute(&allowed, KILN_CU_FUNCTION_MAX_DYNAMIC_SHARED, function);
  if (result == KILN_CU_SUCCESS && allowed >= 0 && (unsigned)allowed >= bytes)
    return KILN_OK;
  if (result == KILN_CU_SUCCESS)
    result = cuda->call.function_set_attribute(function, KILN_CU_FUNCTION_MAX_DYNAMIC_SHARED, (int)bytes);
  if (result == KILN_CU_SUCCESS)
    return KILN_OK;
  char what[60];
  snprintf(what, sizeof what, "%u bytes of shared memory for a block", bytes);
  return kiln_cuda_fail(cuda, result, "take", what, error);
}

static enum kiln_status
allow_cluster(struct kiln_cuda *cuda, void *function, const struct kiln_launch *launch, struct kiln_error *error)
{
  const unsigned y = launch->cluster[1] ? launch->cluster[1] : 1, z = launch->cluster[2] ? launch->cluster[2] : 1;
  const unsigned long long blocks = (unsigned long long)launch->cluster[0] * y * z;
  if (blocks <= CLUSTER_WITHOUT_ASKING)
    return KILN_OK;
  const int result = cuda->call.function_set_attribute(function, KILN_CU_FUNCTION_LARGE_CLUSTERS, 1);
  if (result == KILN_CU_SUCCESS)
    return KILN_OK;
  char what[60];
  snprintf(what, sizeof what, "clusters of %llu blocks", blocks);
  return kiln_cuda_fail(cuda, result, "allow", what, error);
}

static enum kiln_status
refused(const struct kiln_cuda *cuda, int result, const struct kiln_launch *launch, struct kiln_error *error)
{
  char what[200];
  snprintf(what, sizeof what, "%ux%ux%u blocks of %ux%ux%u threads with %u bytes of shared memory", launch->grid[0],
      launch->grid[1], launch->grid[2], launch->block[0], launch->block[1], launch->block[2], launch->shared_bytes);
  return kiln_cuda_fail(cuda, result, "launch", what, error);
}

enum kiln_status
kiln_cuda_launch(struct kiln_cuda *cuda, void *function, const struct kiln_launch *launch, void **arguments,
    struct kiln_error *error)
{
  enum kiln_status status = kiln_cuda_ready(cuda, error);
  if (status == KILN_OK && launch->shared_bytes > 0)
    status = allow_shared(cuda, function, launch->shared_bytes, error);
  if (status == KILN_OK && launch->cluster[0] != 0)
    status = allow_cluster(cuda, function, launch, error);
  if (status != KILN_OK)
    return status;
  const bool plain = launch->cluster[0] == 0 && !launch->programmatic && !launch->cooperative;
  const int result =
      plain ? launch_plain(cuda, function, launch, arguments) : launch_with(cuda, function, launch, arguments);
  return result == KILN_CU_SUCCESS ? KILN_OK : refused(cuda, result, launch, error);
}
