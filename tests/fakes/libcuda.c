/*
 * A CUDA driver without a GPU; README.md is its manual. Every function is declared through kiln's own symbol list, so
 * the two cannot disagree about a signature.
 */
#include "fake.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fake_state kiln_fake_driver = {.mutex = PTHREAD_MUTEX_INITIALIZER, .next_id = 1};
_Thread_local struct context *kiln_fake_current;
_Thread_local int kiln_fake_thread_mode = KILN_CU_CAPTURE_GLOBAL;

/* ---- what the environment says ---- */

void
kiln_fake_count(const char *symbol)
{
  pthread_mutex_lock(&driver.mutex);
  for (int i = 0; i < MOST_CALLS; i++)
    if (driver.calls[i].times == 0 || strcmp(driver.calls[i].symbol, symbol) == 0) {
      snprintf(driver.calls[i].symbol, sizeof driver.calls[i].symbol, "%s", symbol);
      driver.calls[i].times++;
      break;
    }
  pthread_mutex_unlock(&driver.mutex);
}

unsigned
kiln_fake_calls(const char *symbol)
{
  unsigned times = 0;
  pthread_mutex_lock(&driver.mutex);
  for (int i = 0; i < MOST_CALLS && driver.calls[i].times > 0; i++)
    if (strcmp(driver.calls[i].symbol, symbol) == 0)
      times = driver.calls[i].times;
  pthread_mutex_unlock(&driver.mutex);
  return times;
}

void
kiln_fake_reset(void)
{
  driver.pid = driver.count = 0;
  memset(driver.primary, 0, sizeof driver.primary);
  memset(driver.calls, 0, sizeof driver.calls);
  driver.streams = NULL;
  current = NULL;
  thread_mode = KILN_CU_CAPTURE_GLOBAL;
}

/* The result that KILN_FAKE_FAIL wants of this call; 0: none. */
int
kiln_fake_failure(const char *symbol)
{
  const char *list = getenv("KILN_FAKE_FAIL");
  const size_t len = strlen(symbol);
  while (list && *list) {
    if (strncmp(list, symbol, len) == 0 && list[len] == '=')
      return atoi(list + len + 1);
    list = strchr(list, ',');
    list = list ? list + 1 : NULL;
  }
  return 0;
}

void
kiln_fake_say(const char *format, ...)
{
  const char *path = getenv("KILN_FAKE_LOG");
  FILE *file = path && *path ? fopen(path, "a") : NULL;
  if (!file)
    return;
  va_list args;
  va_start(args, format);
  vfprintf(file, format, args);
  va_end(args);
  fputc('\n', file);
  fclose(file);
}

/* What a capture forbids: breaks those of other threads in global mode, and those of this thread. */
bool
kiln_fake_breaks(void)
{
  bool broke = false;
  if (thread_mode == KILN_CU_CAPTURE_RELAXED)
    return false;
  pthread_mutex_lock(&driver.mutex);
  for (struct stream *stream = driver.streams; stream; stream = stream->next)
    if (stream->capture == KILN_CU_CAPTURING &&
        (stream->mode == KILN_CU_CAPTURE_GLOBAL || pthread_equal(stream->thread, pthread_self()))) {
      stream->capture = KILN_CU_CAPTURE_BROKEN;
      broke = true;
    }
  pthread_mutex_unlock(&driver.mutex);
  return broke;
}

/* ---- the driver and its devices ---- */

static int
read_devices(int *devices)
{
  const char *list = getenv("KILN_FAKE_DEVICES");
  int count = 0;
  list = list ? list : "9.0";
  while (*list >= '0' && *list <= '9' && count < MOST_DEVICES) {
    char *end;
    const int major = (int)strtol(list, &end, 10);
    devices[count++] = major * 10 + (*end == '.' ? (int)strtol(end + 1, &end, 10) : 0);
    list = *end == ',' ? end + 1 : end;
  }
  return count;
}

static void
choose_visible(const int *all, int count)
{
  const char *list = getenv("CUDA_VISIBLE_DEVICES");
  driver.count = 0;
  if (!list) {
    memcpy(driver.devices, all, sizeof driver.devices);
    driver.count = count;
  }
  while (list && *list >= '0' && *list <= '9') {
    char *end;
    const long which = strtol(list, &end, 10);
    if (which >= count)
      break;
    driver.devices[driver.count++] = all[which];
    list = *end == ',' ? end + 1 : end;
  }
}

int
fake_init(unsigned flags)
{
  int all[MOST_DEVICES];
  kiln_fake_count("cuInit");
  kiln_fake_say("cuInit %u", flags);
  if (kiln_fake_failure("cuInit"))
    return kiln_fake_failure("cuInit");
  if (driver.pid != 0)
    return driver.pid == getpid() ? KILN_CU_SUCCESS : KILN_CU_NOT_INITIALIZED;
  choose_visible(all, read_devices(all));
  if (driver.count == 0)
    return KILN_CU_NO_DEVICE;
  driver.pid = getpid();
  return KILN_CU_SUCCESS;
}

int
fake_driver_version(int *version)
{
  const char *text = getenv("KILN_FAKE_DRIVER");
  *version = text ? atoi(text) : 13000;
  return KILN_CU_SUCCESS;
}

int
fake_device_count(int *count)
{
  BEGIN("cuDeviceGetCount", "");
  *count = driver.count;
  return KILN_CU_SUCCESS;
}

int
fake_device_get(int *device, int ordinal)
{
  BEGIN("cuDeviceGet", " %d", ordinal);
  if (ordinal < 0 || ordinal >= driver.count)
    return KILN_CU_INVALID_DEVICE;
  *device = ordinal;
  return KILN_CU_SUCCESS;
}

int
fake_device_attribute(int *value, int attribute, int device)
{
  static const int known[][2] = {{KILN_CU_MAX_THREADS_PER_BLOCK, 1024}, {KILN_CU_MAX_SHARED_PER_BLOCK, 49152},
      {KILN_CU_WARP_SIZE, 32}, {KILN_CU_MULTIPROCESSOR_COUNT, 132}, {KILN_CU_L2_CACHE_SIZE, 62914560},
      {KILN_CU_MAX_THREADS_PER_MULTIPROCESSOR, 2048}, {KILN_CU_MAX_SHARED_PER_MULTIPROCESSOR, 233472},
      {KILN_CU_MAX_SHARED_PER_BLOCK_OPTIN, 232448}};
  BEGIN("cuDeviceGetAttribute", " %d %d", attribute, device);
  const int sm = driver.devices[device];
  if (attribute == KILN_CU_CAPABILITY_MAJOR || attribute == KILN_CU_CAPABILITY_MINOR) {
    *value = attribute == KILN_CU_CAPABILITY_MAJOR ? sm / 10 : sm % 10;
    return KILN_CU_SUCCESS;
  }
  if (attribute == KILN_CU_CLUSTER_LAUNCH) {
    *value = sm >= 90;
    return KILN_CU_SUCCESS;
  }
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i][0] == attribute) {
      *value = known[i][1];
      return KILN_CU_SUCCESS;
    }
  return KILN_CU_INVALID_VALUE;
}

int
fake_device_name(char *name, int len, int device)
{
  BEGIN("cuDeviceGetName", " %d", device);
  snprintf(name, (size_t)len, "Fake GPU %d.%d", driver.devices[device] / 10, driver.devices[device] % 10);
  return KILN_CU_SUCCESS;
}

int
fake_device_memory(size_t *bytes, int device)
{
  BEGIN("cuDeviceTotalMem", " %d", device);
  *bytes = (size_t)1 << 30;
  return KILN_CU_SUCCESS;
}

/* ---- contexts ---- */

int
fake_primary_retain(void **context, int device)
{
  BEGIN("cuDevicePrimaryCtxRetain", " %d", device);
  pthread_mutex_lock(&driver.mutex);
  struct context *primary = &driver.primary[device];
  if (primary->id == 0)
    *primary = (struct context){.device = device, .id = driver.next_id++};
  pthread_mutex_unlock(&driver.mutex);
  *context = primary;
  return KILN_CU_SUCCESS;
}

int
fake_primary_release(int device)
{
  BEGIN("cuDevicePrimaryCtxRelease", " %d", device);
  return KILN_CU_SUCCESS;
}

void *
kiln_fake_new_context(int device)
{
  struct context *context = calloc(1, sizeof *context);
  pthread_mutex_lock(&driver.mutex);
  *context = (struct context){.device = device, .id = driver.next_id++};
  pthread_mutex_unlock(&driver.mutex);
  return context;
}

int
fake_context_current(void **context)
{
  BEGIN("cuCtxGetCurrent", "");
  *context = current;
  return KILN_CU_SUCCESS;
}

int
fake_context_set(void *context)
{
  BEGIN("cuCtxSetCurrent", " %d", context ? ((struct context *)context)->device : -1);
  current = context;
  return KILN_CU_SUCCESS;
}

int
fake_context_device(int *device)
{
  BEGIN("cuCtxGetDevice", "");
  NEED_CONTEXT;
  *device = current->device;
  return KILN_CU_SUCCESS;
}

int
fake_context_id(void *context, unsigned long long *id)
{
  BEGIN("cuCtxGetId", "");
  *id = ((struct context *)context)->id;
  return KILN_CU_SUCCESS;
}

int
fake_context_synchronize(void)
{
  BEGIN("cuCtxSynchronize", "");
  NEED_CONTEXT;
  NOT_WHILE_CAPTURING;
  return KILN_CU_SUCCESS;
}

/* ---- modules ---- */

static unsigned
little(const unsigned char *at, size_t size)
{
  unsigned value = 0;
  for (size_t i = size; i-- > 0;)
    value = value << 8 | at[i];
  return value;
}

/* The length of an image is not told: an ELF file ends with its section headers or its last segment, PTX with a NUL. */
static size_t
image_length(const char *image)
{
  const unsigned char *bytes = (const unsigned char *)image;
  if (memcmp(image, "\177ELF", 4) != 0)
    return strlen(image);
  return (size_t)little(bytes + 40, 4) + (size_t)little(bytes + 58, 2) * little(bytes + 60, 2);
}

static int
check_image(const char *image)
{
  const unsigned char *bytes = (const unsigned char *)image;
  const int device = driver.devices[current->device];
  if (memcmp(image, "\177ELF", 4) != 0)
    return strstr(image, ".version") ? (strstr(image, ".target sm_999") ? 222 : 0) : KILN_CU_INVALID_PTX;
  if (little(bytes + 18, 2) != 190)
    return KILN_CU_INVALID_IMAGE;
  const unsigned flags = little(bytes + 48, 4);
  const int sm = (int)(bytes[8] >= 8 ? flags >> 8 & 0xff : flags & 0xff);
  return sm / 10 == device / 10 && sm % 10 <= device % 10 ? 0 : KILN_CU_NO_BINARY_FOR_GPU;
}

static int
load_image(void **module, const void *image)
{
  const int result = check_image(image);
  if (result != 0)
    return result;
  struct module *fresh = calloc(1, sizeof *fresh);
  *fresh = (struct module){.context = current, .image = image, .len = image_length(image)};
  *module = fresh;
  return KILN_CU_SUCCESS;
}

int
fake_module_load_data(void **module, const void *image)
{
  BEGIN("cuModuleLoadData", " on %d", current ? current->device : -1);
  NEED_CONTEXT;
  NOT_WHILE_CAPTURING;
  return load_image(module, image);
}

/* The whole file and a NUL. */
static char *
read_file(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  fseek(file, 0, SEEK_END);
  const long len = ftell(file);
  rewind(file);
  char *bytes = calloc(1, (size_t)len + 1);
  const bool whole = fread(bytes, 1, (size_t)len, file) == (size_t)len;
  fclose(file);
  if (whole)
    return bytes;
  free(bytes);
  return NULL;
}

int
fake_module_load(void **module, const char *path)
{
  BEGIN("cuModuleLoad", " %s", path);
  NEED_CONTEXT;
  NOT_WHILE_CAPTURING;
  char *bytes = read_file(path);
  const int result = bytes ? load_image(module, bytes) : KILN_CU_FILE_NOT_FOUND;
  if (result == KILN_CU_SUCCESS)
    ((struct module *)*module)->owned = bytes;
  else
    free(bytes);
  return result;
}

int
fake_module_unload(void *module)
{
  BEGIN("cuModuleUnload", "");
  free(((struct module *)module)->owned);
  free(module);
  return KILN_CU_SUCCESS;
}

int
fake_module_function(void **function, void *module, const char *name)
{
  BEGIN("cuModuleGetFunction", " %s", name);
  struct module *in = module;
  if (!memmem(in->image, in->len, name, strlen(name)))
    return KILN_CU_NOT_FOUND;
  int at = 0;
  while (at < in->function_count && strcmp(in->functions[at].name, name) != 0)
    at++;
  if (at == MOST_FUNCTIONS)
    return KILN_CU_OUT_OF_MEMORY;
  if (at == in->function_count) {
    in->functions[at].module = in;
    snprintf(in->functions[at].name, sizeof in->functions[at].name, "%s", name);
    in->functions[at].shared = 49152;
    in->function_count++;
  }
  *function = &in->functions[at];
  return KILN_CU_SUCCESS;
}

int
fake_function_load(void *function)
{
  BEGIN("cuFuncLoad", " %s", ((struct function *)function)->name);
  return KILN_CU_SUCCESS;
}

int
fake_function_attribute(int *value, int attribute, void *function)
{
  BEGIN("cuFuncGetAttribute", " %d", attribute);
  *value = attribute == KILN_CU_FUNCTION_MAX_DYNAMIC_SHARED ? ((struct function *)function)->shared : 32;
  return KILN_CU_SUCCESS;
}

int
fake_function_set_attribute(void *function, int attribute, int value)
{
  BEGIN("cuFuncSetAttribute", " %d %d", attribute, value);
  if (attribute == KILN_CU_FUNCTION_LARGE_CLUSTERS)
    return KILN_CU_SUCCESS;
  if (attribute != KILN_CU_FUNCTION_MAX_DYNAMIC_SHARED || value > 232448)
    return KILN_CU_INVALID_VALUE;
  ((struct function *)function)->shared = value;
  return KILN_CU_SUCCESS;
}

int
fake_occupancy(int *blocks, void *function, int block_size, size_t shared_bytes)
{
  BEGIN("cuOccupancyMaxActiveBlocksPerMultiprocessor", " %d %zu", block_size, shared_bytes);
  (void)function;
  *blocks = block_size > 0 ? 2048 / block_size : 0;
  return KILN_CU_SUCCESS;
}

/* ---- launches ---- */

static int
check_launch(const struct function *function, unsigned threads, unsigned shared_bytes, struct stream *stream)
{
  NEED_CONTEXT;
  if (function->module->context != current)
    return KILN_CU_INVALID_HANDLE;
  if (threads == 0)
    return KILN_CU_INVALID_VALUE;
  if (threads > 1024 || shared_bytes > (unsigned)function->shared)
    return threads > 1024 ? KILN_CU_INVALID_VALUE : KILN_CU_LAUNCH_OUT_OF_RESOURCES;
  if (stream && stream->capture == KILN_CU_CAPTURE_BROKEN)
    return KILN_CU_CAPTURE_INVALIDATED;
  if (stream && stream->capture == KILN_CU_CAPTURING)
    stream->nodes++;
  return KILN_CU_SUCCESS;
}

int
fake_launch(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
    unsigned block_z, unsigned shared_bytes, void *stream, void **parameters, void **extra)
{
  const struct function *kernel = function;
  BEGIN("cuLaunchKernel", " %s %ux%ux%u %ux%ux%u %u", kernel->name, grid_x, grid_y, grid_z, block_x, block_y, block_z,
      shared_bytes);
  (void)parameters;
  (void)extra;
  return check_launch(kernel, block_x * block_y * block_z, shared_bytes, stream);
}

#ifndef KILN_FAKE_OLD
int
fake_launch_ex(const struct kiln_cu_launch_config *config, void *function, void **parameters, void **extra)
{
  const struct function *kernel = function;
  char attributes[200] = "";
  (void)parameters;
  (void)extra;
  for (unsigned i = 0; i < config->attribute_count; i++) {
    const struct kiln_cu_launch_attribute *attribute = &config->attributes[i];
    const size_t len = strlen(attributes);
    if (attribute->id == KILN_CU_LAUNCH_CLUSTER)
      snprintf(attributes + len, sizeof attributes - len, " cluster %ux%ux%u", attribute->value.cluster.x,
          attribute->value.cluster.y, attribute->value.cluster.z);
    else
      snprintf(attributes + len, sizeof attributes - len, " attribute %d %d", attribute->id, attribute->value.flag);
  }
  BEGIN("cuLaunchKernelEx", " %s %ux%ux%u %ux%ux%u %u%s", kernel->name, config->grid[0], config->grid[1],
      config->grid[2], config->block[0], config->block[1], config->block[2], config->shared_bytes, attributes);
  return check_launch(
      kernel, config->block[0] * config->block[1] * config->block[2], config->shared_bytes, config->stream);
}
#endif
