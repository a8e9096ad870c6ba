#include "op/call.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "kiln/attach.h"
#include "kiln/device.h"
#include "kiln/launch.h"

enum { STATES = 256, SLOTS = 512, PROBES = 4, MOST_DEVICES = 64 };

/* What is known of one op in one kiln. */
struct state {
  struct kiln_prepared prepared;
  _Atomic(struct kiln_signature *) slots[SLOTS];
};

struct kiln_ops {
  struct kiln *kiln;
  struct kiln_sources sources;
  struct kiln_error no_sources; /* status KILN_OK: there are some */
  _Atomic(struct state *) states[STATES];
  _Atomic(struct kiln_kernel *) kernels;
  atomic_uint cc[MOST_DEVICES]; /* 0: not asked yet */
  atomic_int devices;           /* visible GPUs; 0: not asked yet */
};

static const char attachment;

/* ---- life ---- */

static void
release_state(struct state *state)
{
  if (!state)
    return;
  for (unsigned i = 0; i < SLOTS; i++)
    free(atomic_load(&state->slots[i]));
  free(state);
}

static void
release(void *object)
{
  struct kiln_ops *ops = object;
  for (unsigned i = 0; i < STATES; i++)
    release_state(atomic_load(&ops->states[i]));
  for (struct kiln_kernel *kernel = atomic_load(&ops->kernels), *next; kernel; kernel = next) {
    next = kernel->next;
    kiln_kernel_free(kernel);
  }
  kiln_sources_release(&ops->sources);
  free(ops);
}

static void *
make(struct kiln *kiln)
{
  struct kiln_ops *ops = calloc(1, sizeof *ops);
  if (!ops)
    return NULL;
  ops->kiln = kiln;
  ops->no_sources.status = kiln_sources_find(kiln, &ops->sources, &ops->no_sources);
  return ops;
}

enum kiln_status
kiln_ops_of(struct kiln *kiln, struct kiln_ops **ops, struct kiln_error *error)
{
  void *object;
  const enum kiln_status status = kiln_attach(kiln, &attachment, make, release, &object, error);
  if (status != KILN_OK)
    return status;
  *ops = object;
  if ((*ops)->no_sources.status != KILN_OK && error)
    *error = (*ops)->no_sources;
  return (*ops)->no_sources.status;
}

const struct kiln_sources *
kiln_ops_sources(const struct kiln_ops *ops)
{
  return &ops->sources;
}

/* The table of an op's signatures, by the op's address. */
static struct state *
state_of(struct kiln_ops *ops, const struct kiln_op *op)
{
  const unsigned first = (unsigned)((uintptr_t)op >> 5);
  for (unsigned i = 0; i < STATES; i++) {
    _Atomic(struct state *) *slot = &ops->states[(first + i) % STATES];
    struct state *state = atomic_load_explicit(slot, memory_order_acquire);
    if (!state) {
      struct state *fresh = calloc(1, sizeof *fresh);
      if (!fresh)
        return NULL;
      kiln_op_prepare(op, &fresh->prepared);
      if (atomic_compare_exchange_strong(slot, &state, fresh))
        return fresh;
      release_state(fresh);
    }
    if (state->prepared.op == op)
      return state;
  }
  return NULL;
}

/* ---- devices ---- */

enum kiln_status
kiln_ops_target(void *object, struct kiln_tensor_device device, struct kiln_target *target, struct kiln_error *error)
{
  struct kiln_ops *ops = object;
  struct kiln_device_info info;
  if (device.type == KILN_DEVICE_CPU) {
    *target = (struct kiln_target){KILN_BACKEND_CPU, 0};
    return KILN_OK;
  }
  if (device.type != KILN_DEVICE_CUDA || device.id < 0 || device.id >= MOST_DEVICES) {
    kiln_error_set(error, KILN_ERROR_ARGUMENT, "nothing runs on device %d:%d", device.type, device.id);
    kiln_error_advise(error, "Move the tensors to the CPU (device type 1) or to a CUDA device (type 2).");
    return KILN_ERROR_ARGUMENT;
  }
  unsigned cc = atomic_load_explicit(&ops->cc[device.id], memory_order_relaxed);
  if (!cc) {
    const enum kiln_status status = kiln_device_info(ops->kiln, device.id, &info, error);
    if (status != KILN_OK)
      return status;
    int count;
    if (kiln_device_count(ops->kiln, &count, error) != KILN_OK)
      return KILN_ERROR_ENVIRONMENT;
    atomic_store_explicit(&ops->devices, count, memory_order_relaxed);
    cc = info.major * 10 + info.minor;
    atomic_store_explicit(&ops->cc[device.id], cc, memory_order_relaxed);
  }
  *target = (struct kiln_target){KILN_BACKEND_CUDA, (uint16_t)cc};
  return KILN_OK;
}

/*
 * Tensors say on which device an op runs; the context that is current says where the driver loads and launches. With
 * several GPUs the two may differ: then the device's primary context is current for the time of the call.
 */
static enum kiln_status
enter_device(struct kiln_ops *ops, struct kiln_tensor_device device, int *before, struct kiln_error *error)
{
  *before = device.id;
  if (device.type != KILN_DEVICE_CUDA || atomic_load_explicit(&ops->devices, memory_order_relaxed) < 2)
    return KILN_OK;
  const enum kiln_status status = kiln_device_current(ops->kiln, before, error);
  return status == KILN_OK && *before != device.id ? kiln_device_use(ops->kiln, device.id, error) : status;
}

static void
leave_device(struct kiln_ops *ops, struct kiln_tensor_device device, int before)
{
  if (before != device.id)
    (void)kiln_device_use(ops->kiln, before, NULL);
}

/* ---- cold ---- */

static const struct kiln_kernel *
known_kernel(struct kiln_ops *ops, const char *uri, struct kiln_tensor_device device)
{
  const struct kiln_kernel *kernel = atomic_load_explicit(&ops->kernels, memory_order_acquire);
  for (; kernel; kernel = kernel->next)
    if (kernel->device.type == device.type && kernel->device.id == device.id && strcmp(kernel->uri, uri) == 0)
      return kernel;
  return NULL;
}

/* Two threads may load one kernel at once; both are kept, they share a module. */
static enum kiln_status
find_kernel(struct kiln_ops *ops, const struct kiln_op_request *request, struct kiln_signature *signature,
    struct kiln_error *error)
{
  struct kiln_target target;
  struct kiln_kernel *fresh;
  struct kiln_buf uri;
  enum kiln_status status = kiln_ops_target(ops, signature->device, &target, error);
  if (status != KILN_OK)
    return status;
  kiln_buf_init(&uri);
  kiln_variant_uri(&signature->checked, &target, request->values, &uri);
  signature->kernel = known_kernel(ops, kiln_buf_text(&uri), signature->device);
  kiln_buf_release(&uri);
  if (signature->kernel)
    return KILN_OK;
  int before;
  status = enter_device(ops, signature->device, &before, error);
  if (status != KILN_OK)
    return status;
  status = kiln_kernel_load(ops->kiln, &ops->sources, &signature->checked, &target, signature->device, request->values,
      request->stream, &fresh, error);
  leave_device(ops, signature->device, before);
  if (status != KILN_OK)
    return status;
  fresh->next = atomic_load_explicit(&ops->kernels, memory_order_acquire);
  while (!atomic_compare_exchange_weak_explicit(
      &ops->kernels, &fresh->next, fresh, memory_order_acq_rel, memory_order_acquire))
    ;
  signature->kernel = fresh;
  return KILN_OK;
}

/* Into the first free slot; what does not fit is used once. */
static const struct kiln_signature *
keep(struct state *state, uint32_t spread, const struct kiln_signature *made)
{
  const size_t size = kiln_signature_size(made);
  struct kiln_signature *copy = malloc(size);
  if (!copy)
    return made;
  memcpy(copy, made, size);
  for (unsigned i = 0; i < PROBES; i++) {
    struct kiln_signature *nobody = NULL;
    if (atomic_compare_exchange_strong_explicit(
            &state->slots[(spread + i) % SLOTS], &nobody, copy, memory_order_acq_rel, memory_order_acquire))
      return copy;
  }
  free(copy);
  return made;
}

static enum kiln_status
resolve_cold(struct kiln_ops *ops, struct state *state, const struct kiln_op_request *request,
    struct kiln_signature *scratch, const struct kiln_signature **signature, enum kiln_refusal *refusal,
    struct kiln_error *error)
{
  const struct kiln_checker checker = {&state->prepared, kiln_ops_target, ops};
  enum kiln_status status = kiln_op_check(&checker, request->values, request->count, scratch, refusal, error);
  if (status == KILN_OK)
    status = find_kernel(ops, request, scratch, error);
  uint32_t spread = 0;
  if (status == KILN_OK) {
    (void)kiln_signature_spread(request->op, request->values, &spread);
    *signature = keep(state, spread, scratch);
  }
  return status;
}

/* ---- warm ---- */

static inline const struct kiln_signature *
lookup(struct state *state, const struct kiln_op_request *request, uintptr_t *address)
{
  uint32_t spread;
  if (!kiln_signature_spread(request->op, request->values, &spread))
    return NULL;
  for (unsigned i = 0; i < PROBES; i++) {
    const struct kiln_signature *signature =
        atomic_load_explicit(&state->slots[(spread + i) % SLOTS], memory_order_acquire);
    if (!signature)
      return NULL;
    if (kiln_signature_matches(signature, request->values, address))
      return signature;
  }
  return NULL;
}

enum kiln_status
kiln_op_resolve(struct kiln_ops *ops, const struct kiln_op_request *request, struct kiln_signature *scratch,
    const struct kiln_signature **signature, enum kiln_refusal *refusal, struct kiln_error *error)
{
  uintptr_t address[KILN_OP_ARGS];
  struct state *state = state_of(ops, request->op);
  if (!state)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for a call of '%s'", request->op->name);
  if (request->count == request->op->nargs && (*signature = lookup(state, request, address)) != NULL)
    return kiln_signature_check_call(*signature, request->values, address, refusal, error);
  return resolve_cold(ops, state, request, scratch, signature, refusal, error);
}

static enum kiln_status
start_cuda(struct kiln_ops *ops, const struct kiln_signature *signature, struct kiln_op_launch *packed, void *stream,
    struct kiln_error *error)
{
  void *arguments[] = {packed->params};
  const struct kiln_launch launch = {.grid = {packed->grid[0], packed->grid[1], packed->grid[2]},
      .block = {packed->block[0], packed->block[1], packed->block[2]},
      .shared_bytes = packed->shared,
      .programmatic = packed->overlap && signature->kernel->target.cc >= 90,
      .stream = stream};
  int before;
  enum kiln_status status = enter_device(ops, signature->device, &before, error);
  if (status != KILN_OK)
    return status;
  status = kiln_launch(ops->kiln, signature->kernel->function, &launch, arguments, error);
  leave_device(ops, signature->device, before);
  return status;
}

enum kiln_status
kiln_op_start(struct kiln_ops *ops, const struct kiln_signature *signature, const struct kiln_value *values,
    void *stream, struct kiln_error *error)
{
  struct kiln_op_launch packed = {0};
  void (*run)(const void *params);
  signature->checked.op->pack(&signature->checked, values, &packed);
  if (!packed.grid[0] || !packed.grid[1] || !packed.grid[2])
    return KILN_OK;
  if (signature->kernel->target.backend == KILN_BACKEND_CUDA)
    return start_cuda(ops, signature, &packed, stream, error);
  memcpy(&run, &signature->kernel->function, sizeof run);
  run(packed.params);
  return KILN_OK;
}

enum kiln_status
kiln_op_invoke(
    struct kiln *kiln, const struct kiln_op_request *request, enum kiln_refusal *refusal, struct kiln_error *error)
{
  struct kiln_ops *ops;
  struct kiln_signature scratch; /* touched in a cold call only */
  const struct kiln_signature *signature;
  enum kiln_status status = kiln_ops_of(kiln, &ops, error);
  if (status == KILN_OK)
    status = kiln_op_resolve(ops, request, &scratch, &signature, refusal, error);
  if (status == KILN_OK && !request->only_prepare)
    status = kiln_op_start(ops, signature, request->values, request->stream, error);
  return status;
}

/* ---- public ---- */

const char *
kiln_op_name(const struct kiln_op *op)
{
  return op->name;
}

/* Names become numbers, so that everything behind here sees numbers only. */
static enum kiln_status
invoke_named(struct kiln *kiln, const struct kiln_op_request *request, struct kiln_error *error)
{
  struct kiln_value values[KILN_OP_ARGS];
  struct kiln_op_request numbered = *request;
  bool any = false;
  for (unsigned i = 0; i < request->count; i++)
    any = any || request->values[i].tag == KILN_VALUE_TEXT;
  if (any && request->count == request->op->nargs) {
    memcpy(values, request->values, request->count * sizeof *values);
    for (unsigned i = 0; i < request->count; i++)
      kiln_op_name_to_number(&request->op->args[i], &values[i]);
    numbered.values = values;
  }
  return kiln_op_invoke(kiln, &numbered, NULL, error);
}

enum kiln_status
kiln_op_call(struct kiln *kiln, const struct kiln_op *op, void *stream, const struct kiln_value *values, unsigned count,
    struct kiln_error *error)
{
  const struct kiln_op_request request = {op, stream, values, count, false};
  return invoke_named(kiln, &request, error);
}

enum kiln_status
kiln_op_prepare_call(struct kiln *kiln, const struct kiln_op *op, void *stream, const struct kiln_value *values,
    unsigned count, struct kiln_error *error)
{
  const struct kiln_op_request request = {op, stream, values, count, true};
  return invoke_named(kiln, &request, error);
}
