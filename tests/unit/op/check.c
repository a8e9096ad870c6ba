/*
 * Random declarations and random calls: what is made to be right is accepted with the axes it was made of, what is made
 * to be wrong is refused, and the warm way (comparing with a signature) never accepts what the cold way refuses.
 * KILN_TEST_SEED repeats a run; the seed is printed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "op/check.h"
#include "op/tool/bad.h"
#include "op/tool/lint.h"
#include "op/tool/trial.h"
#include "os/random.h"

enum { CALLS = 120000, CALLS_PER_TABLE = 40, MOST_AXES = 7, MOST_ARGS = 8 };

/* A table and everything that it points to. */
struct made_op {
  struct kiln_op op;
  struct kiln_axis axes[MOST_AXES + 1];
  struct kiln_type types[3];
  struct kiln_arg args[MOST_ARGS];
  struct kiln_rule rules[4];
  struct kiln_variant variants[3];
  struct kiln_case cases[1];
  char names[MOST_ARGS + MOST_AXES + 1][8];
  unsigned absent; /* axis of the dimension that may be absent, and of no other; 0: none */
};

static const char *const choices[] = {"first", "second", NULL};

static unsigned
draw(struct kiln_rng *rng, unsigned bound)
{
  return (unsigned)(kiln_rng_next(rng) % bound);
}

static void
no_pack(const struct kiln_checked *checked, const struct kiln_value *values, struct kiln_op_launch *launch)
{
  (void)checked;
  (void)values;
  (void)launch;
}

static void
no_reference(const struct kiln_reference *data)
{
  (void)data;
}

/* ---- tables ---- */

static void
make_axes(struct made_op *made, struct kiln_rng *rng)
{
  made->op.naxes = (uint8_t)(2 + draw(rng, MOST_AXES - 1));
  for (unsigned i = 1; i < made->op.naxes; i++) {
    snprintf(made->names[MOST_ARGS + i], sizeof made->names[0], "axis%u", i);
    made->axes[i] = (struct kiln_axis){.name = made->names[MOST_ARGS + i], .doc = "an axis"};
    made->axes[i].kind = (uint8_t)(draw(rng, 4) ? draw(rng, 2) : i > 2 ? KILN_AXIS_DERIVED : KILN_AXIS_VAR);
    if (made->axes[i].kind == KILN_AXIS_DERIVED) {
      made->axes[i].fn = (uint8_t)(KILN_FN_ADD + draw(rng, KILN_FN_MIN));
      made->axes[i].a = (uint8_t)(1 + draw(rng, i - 1));
      made->axes[i].b = (uint8_t)draw(rng, i);
      made->axes[i].k = (int32_t)draw(rng, 5) + 1;
    }
    made->cases[0].axis[i] = (int32_t)draw(rng, 40);
  }
  if (made->op.naxes > 2 && draw(rng, 3) == 0) {
    made->absent = made->op.naxes - 1U;
    made->axes[made->absent].kind = KILN_AXIS_VAR;
  }
}

/* An axis that any dimension may be of. */
static uint8_t
draw_axis(const struct made_op *made, struct kiln_rng *rng)
{
  return (uint8_t)(1 + draw(rng, made->op.naxes - 1U - (made->absent != 0)));
}

static void
make_dims(struct made_op *made, struct kiln_arg *arg, struct kiln_rng *rng)
{
  arg->ndim = (uint8_t)draw(rng, 5);
  for (unsigned d = 0; d < arg->ndim; d++) {
    struct kiln_dim *dim = &arg->dim[d];
    *dim = (struct kiln_dim)KILN_DIM(draw_axis(made, rng));
    if (draw(rng, 8) == 0)
      *dim = (struct kiln_dim)KILN_DIM_FIXED((int32_t)draw(rng, 6));
    else if (draw(rng, 6) == 0)
      dim->add = (int32_t)draw(rng, 3);
    else if (draw(rng, 6) == 0)
      dim->mul = 2;
    else if (draw(rng, 6) == 0)
      dim->div = (uint16_t)(1 + draw(rng, 4));
  }
}

static void
make_tensor(struct made_op *made, struct kiln_arg *arg, struct kiln_rng *rng)
{
  make_dims(made, arg, rng);
  arg->type = (uint8_t)draw(rng, made->op.ntypes + 1U);
  arg->fixed = (uint8_t)(1 + draw(rng, KILN_DTYPE_COUNT - 1));
  arg->role = (uint8_t)(draw(rng, 3) ? KILN_IN : 1 + draw(rng, 2));
  arg->as = "result";
  arg->flags |= draw(rng, 4) == 0 ? KILN_CONTIGUOUS : 0;
  arg->flags |= draw(rng, 8) == 0 ? KILN_ANY_STRIDE : 0;
  arg->flags |= draw(rng, 8) == 0 ? KILN_AT_LEAST : 0;
}

static void
make_absent(const struct made_op *made, struct kiln_arg *arg, struct kiln_rng *rng)
{
  if (arg->ndim < 3 || arg->kind != KILN_ARG_TENSOR || draw(rng, 3) == 0)
    return;
  arg->flags &= (uint16_t)~KILN_AT_LEAST;
  arg->absent = (uint8_t)(2 + draw(rng, arg->ndim - 2U));
  arg->dim[arg->absent - 1] = (struct kiln_dim)KILN_DIM((uint8_t)made->absent);
}

static void
make_args(struct made_op *made, struct kiln_rng *rng)
{
  made->op.nargs = (uint8_t)(1 + draw(rng, MOST_ARGS));
  for (unsigned i = 0; i < made->op.nargs; i++) {
    struct kiln_arg *arg = &made->args[i];
    snprintf(made->names[i], sizeof made->names[0], "arg%u", i);
    *arg = (struct kiln_arg){.name = made->names[i], .doc = "an argument", .names = choices};
    arg->kind = (uint8_t)(draw(rng, 3) ? KILN_ARG_TENSOR : draw(rng, KILN_ARG_TENSOR_OR_REAL + 1));
    arg->flags = draw(rng, 4) == 0 ? KILN_OPTIONAL : 0;
    arg->real.lo = -2;
    arg->real.hi = 2;
    arg->integer.hi = 1000;
    if (arg->kind == KILN_ARG_TENSOR || arg->kind >= KILN_ARG_TENSOR_OR_INT)
      make_tensor(made, arg, rng);
    if (arg->kind >= KILN_ARG_TENSOR_OR_INT)
      arg->role = KILN_IN;
    if (made->absent)
      make_absent(made, arg, rng);
    if (arg->flags & KILN_OPTIONAL && draw(rng, 2))
      made->cases[0].given |= KILN_BIT(i);
    if (arg->kind == KILN_ARG_INT && draw(rng, 4) == 0 && made->op.naxes > 2) {
      arg->flags = (uint16_t)(KILN_BINDS | (arg->flags & ~KILN_OPTIONAL));
      arg->axis = draw_axis(made, rng);
    }
  }
}

static void
make_rules(struct made_op *made, struct kiln_rng *rng)
{
  const unsigned count = draw(rng, 3);
  for (unsigned i = 0; i < count; i++) {
    struct kiln_rule *rule = &made->rules[i];
    rule->kind = (uint8_t)(draw(rng, 2) ? KILN_RULE_RANGE : KILN_RULE_MULTIPLE);
    rule->a = draw_axis(made, rng);
    rule->lo = rule->kind == KILN_RULE_RANGE ? -100 : (int32_t)draw(rng, 2) + 1;
    rule->hi = 20000000;
  }
}

/* A table that its lint accepts. */
static void
make_op(struct made_op *made, struct kiln_rng *rng)
{
  struct kiln_buf lines;
  bool good = false;
  kiln_buf_init(&lines);
  while (!good) {
    memset(made, 0, sizeof *made);
    made->op = (struct kiln_op){"made", "test", "A made op.", .axes = made->axes, .types = made->types,
        .args = made->args, .rules = made->rules, .variants = made->variants, .tests = made->cases,
        .benches = made->cases, .nvariants = 3, .ntests = 1, .nbenches = 1, .pack = no_pack, .reference = no_reference};
    made->op.ntypes = (uint8_t)(1 + draw(rng, 3));
    for (unsigned i = 0; i < made->op.ntypes; i++)
      made->types[i] = (struct kiln_type){i == 0 ? "T" : i == 1 ? "U" : "V", 2 + 2 * draw(rng, 500)};
    made->variants[0] = (struct kiln_variant){"aligned", KILN_BACKEND_CPU, NULL, "made", .align = 16};
    made->variants[1] = (struct kiln_variant){"plain", KILN_BACKEND_CPU, NULL, "made", .needs = NULL};
    made->variants[2] = (struct kiln_variant){"plain", KILN_BACKEND_CUDA, "sm80+", "made", .needs = NULL};
    make_axes(made, rng);
    make_args(made, rng);
    make_rules(made, rng);
    kiln_buf_clear(&lines);
    good = kiln_op_lint(&made->op, &lines);
  }
  kiln_buf_release(&lines);
}

/* ---- calls ---- */

static enum kiln_status
any_target(void *context, struct kiln_tensor_device device, struct kiln_target *target, struct kiln_error *error)
{
  (void)context;
  *target = (struct kiln_target){KILN_BACKEND_CPU, 0};
  if (device.type == KILN_DEVICE_CPU)
    return KILN_OK;
  return kiln_error_set(error, KILN_ERROR_ARGUMENT, "nothing runs on device %d:%d", device.type, device.id);
}

struct counts {
  unsigned good, bad, absent, there; /* the last two: good ones with a dimension that may be absent */
};

/* What a tensor can say about an axis, it must have said. */
static void
assert_axes(const struct kiln_trial *trial, const struct kiln_signature *signature)
{
  for (unsigned i = 0; i < trial->op->nargs; i++) {
    const struct kiln_arg *arg = &trial->op->args[i];
    if (trial->values[i].tag != KILN_VALUE_TENSOR)
      continue;
    for (unsigned d = 0; d < arg->ndim; d++)
      if (arg->dim[d].axis && !(arg->flags & KILN_AT_LEAST) && arg->dim[d].div <= 1 &&
          trial->op->axes[arg->dim[d].axis].kind != KILN_AXIS_DERIVED)
        assert_int_equal(signature->checked.axis[arg->dim[d].axis], trial->axis[arg->dim[d].axis]);
  }
}

static void
try_good(const struct kiln_checker *checker, const struct kiln_trial *trial, struct kiln_signature *signature)
{
  struct kiln_error error = {0};
  uintptr_t address[KILN_OP_ARGS];
  if (kiln_op_check(checker, trial->values, trial->op->nargs, signature, NULL, &error) != KILN_OK)
    fail_msg("a good call is refused: %s", error.what);
  assert_axes(trial, signature);
  assert_true(kiln_signature_matches(signature, trial->values, address));
  assert_int_equal(kiln_signature_check_call(signature, trial->values, address, NULL, NULL), KILN_OK);
}

/* `good`: the signature of the good call, which the warm way would compare with. */
static void
try_bad(const struct kiln_checker *checker, const struct kiln_op *op, const struct kiln_bad_call *call,
    const struct kiln_signature *good)
{
  static struct kiln_signature signature;
  enum kiln_refusal refusal = KILN_REFUSED_NOT;
  struct kiln_error error = {0};
  uintptr_t address[KILN_OP_ARGS];
  uint32_t spread;
  const enum kiln_status status = kiln_op_check(checker, call->values, call->count, &signature, &refusal, &error);
  if (status != KILN_ERROR_ARGUMENT || refusal == KILN_REFUSED_NOT || !*error.what)
    fail_msg("%s is not refused: status %d, class %d: %s", call->what, status, refusal, error.what);
  if (refusal == call->expect && call->arg < KILN_OP_ARGS && !strstr(error.what, op->args[call->arg].name))
    fail_msg("%s: the argument is not named: %s", call->what, error.what);
  if (call->count == op->nargs && kiln_signature_spread(op, call->values, &spread) &&
      kiln_signature_matches(good, call->values, address) &&
      kiln_signature_check_call(good, call->values, address, NULL, NULL) == KILN_OK)
    fail_msg("%s is refused cold and accepted warm", call->what);
}

/* Every bad call of a table would be some hundred; a few of them, anywhere in the list. */
static void
try_some_bad(const struct kiln_checker *checker, const struct kiln_trial *trial, const struct kiln_signature *good,
    struct kiln_rng *rng, struct counts *counts)
{
  struct kiln_bad bad = {.trial = trial};
  static struct kiln_bad_call call;
  while (kiln_bad_next(&bad, &call))
    if (draw(rng, 24) == 0) {
      try_bad(checker, trial->op, &call, good);
      counts->bad++;
    }
}

/* Only an axis that some present argument binds has a value in a call. */
static bool
is_complete(const struct kiln_trial *trial)
{
  uint32_t bound = 0;
  for (unsigned i = 0; i < trial->op->nargs; i++) {
    const struct kiln_arg *arg = &trial->op->args[i];
    bound |= arg->flags & KILN_BINDS ? KILN_BIT(arg->axis) : 0;
    for (unsigned d = 0; d < arg->ndim && trial->values[i].tag == KILN_VALUE_TENSOR; d++) /* an absent one is 1 */
      if (arg->dim[d].div <= 1 && !(arg->flags & KILN_AT_LEAST))
        bound |= KILN_BIT(arg->dim[d].axis);
  }
  for (unsigned i = 1; i < trial->op->naxes; i++)
    if (trial->op->axes[i].kind != KILN_AXIS_DERIVED && !(bound & KILN_BIT(i)))
      return false;
  return true;
}

static void
try_table(struct kiln_rng *rng, struct counts *counts)
{
  static struct made_op made;
  static struct kiln_signature signature;
  struct kiln_prepared prepared;
  const struct kiln_checker checker = {&prepared, any_target, NULL};
  make_op(&made, rng);
  kiln_op_prepare(&made.op, &prepared);
  for (unsigned i = 0; i < CALLS_PER_TABLE; i++) {
    struct kiln_trial trial;
    unsigned rows = 0;
    uint8_t type[KILN_OP_TYPES];
    kiln_trial_init(&trial, NULL, &made.op, &made.cases[0]);
    while (rows < 64 && kiln_trial_types(&made.op, rows, type))
      rows++;
    kiln_trial_types(&made.op, draw(rng, rows), trial.type);
    trial.shapes_only = true;
    trial.form = (enum kiln_form)draw(rng, KILN_FORM_COUNT);
    const unsigned absent = kiln_op_absent_axis(&made.op);
    if (absent && draw(rng, 2)) {
      trial.axis[absent] = 1;
      trial.absent = true;
    }
    if (kiln_trial_make(&trial, NULL) == KILN_OK && is_complete(&trial)) {
      try_good(&checker, &trial, &signature);
      counts->good++;
      counts->absent += kiln_trial_absent(&trial) != 0;
      counts->there += absent && !kiln_trial_absent(&trial);
      if (counts->bad < counts->good)
        try_some_bad(&checker, &trial, &signature, rng, counts);
    }
    kiln_trial_release(&trial);
  }
}

static void
test_random_calls(void **state)
{
  const char *set = getenv("KILN_TEST_SEED");
  struct counts counts = {0};
  struct kiln_rng rng = {0};
  (void)state;
  if (set)
    rng.state = strtoull(set, NULL, 10);
  else
    assert_true(kiln_random_bits(&rng.state));
  printf("KILN_TEST_SEED=%llu\n", (unsigned long long)rng.state);
  fflush(stdout);
  while (counts.good + counts.bad < CALLS)
    try_table(&rng, &counts);
  printf("%u calls: %u good, %u bad; %u without and %u with a dimension that may be absent\n", counts.good + counts.bad,
      counts.good, counts.bad, counts.absent, counts.there);
  assert_true(counts.absent > 100 && counts.there > 100);
  assert_true(counts.good > CALLS * 2 / 5 && counts.bad > CALLS * 2 / 5);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_calls)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
