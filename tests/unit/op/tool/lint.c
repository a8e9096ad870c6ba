/* Tables that a compiler takes and that are wrong: each is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "op/tool/lint.h"
#include "registry/op.h"

/* A copy of the example that may be spoiled. */
struct copy {
  struct kiln_op op;
  struct kiln_axis axes[6];
  struct kiln_arg args[6];
  struct kiln_rule rules[6];
  struct kiln_variant variants[4];
  struct kiln_case tests[2];
};

static void
copy_make(struct copy *copy)
{
  const struct kiln_op *op = kiln_op_find("rmsnorm");
  memset(copy, 0, sizeof *copy);
  copy->op = *op;
  memcpy(copy->axes, op->axes, op->naxes * sizeof *op->axes);
  memcpy(copy->args, op->args, op->nargs * sizeof *op->args);
  memcpy(copy->rules, op->rules, 5 * sizeof *op->rules);
  memcpy(copy->variants, op->variants, op->nvariants * sizeof *op->variants);
  memcpy(copy->tests, op->tests, 2 * sizeof *op->tests);
  copy->op.axes = copy->axes;
  copy->op.args = copy->args;
  copy->op.rules = copy->rules;
  copy->op.variants = copy->variants;
  copy->op.tests = copy->tests;
  copy->op.ntests = 2;
}

static void
found(const struct copy *copy, const char *words)
{
  struct kiln_buf lines;
  kiln_buf_init(&lines);
  if (kiln_op_lint(&copy->op, &lines))
    fail_msg("nothing is found, not even '%s'", words);
  if (!strstr(kiln_buf_text(&lines), words))
    fail_msg("'%s' is not in: %s", words, kiln_buf_text(&lines));
  kiln_buf_release(&lines);
}

static void
test_every_op_is_clean(void **state)
{
  const struct kiln_op *op;
  struct kiln_buf lines;
  (void)state;
  kiln_buf_init(&lines);
  for (size_t i = 0; (op = kiln_op_at(i)) != NULL; i++)
    if (!kiln_op_lint(op, &lines))
      fail_msg("%s: %s", op->name, kiln_buf_text(&lines));
  kiln_buf_release(&lines);
}

#define SPOILED(change, words)                                                                                         \
  do {                                                                                                                 \
    copy_make(&copy);                                                                                                  \
    change;                                                                                                            \
    found(&copy, words);                                                                                               \
  } while (0)

static void
test_spoiled_tables(void **state)
{
  static struct copy copy;
  (void)state;
  SPOILED(copy.op.name = "RmsNorm", "lower-case");
  SPOILED(copy.op.doc = "", "doc is empty");
  SPOILED(copy.args[1].name = "out", "two arguments are called 'out'");
  SPOILED(copy.axes[2].name = "batch_size", "two axes are called 'batch_size'");
  SPOILED(copy.args[2].name = NULL, "argument 2 has no line");
  SPOILED(copy.args[2].doc = NULL, "weight has no doc");
  SPOILED(copy.args[1].type = 2, "type variable 2 of 1");
  SPOILED(copy.args[1].type = 0, "neither a type variable nor a dtype");
  SPOILED(copy.args[1].ndim = 4, "input.dim[3] is missing");
  SPOILED(copy.args[1].dim[0].axis = 9, "input.dim[0] names axis 9 of 4");
  SPOILED(copy.args[1].dim[0].mul = 0, "multiplies by 0");
  SPOILED(copy.args[1].flags |= KILN_LAYOUTED, "has a layout, but the op has none");
  SPOILED(copy.args[1].role = KILN_INOUT, "`as` must name the result");
  SPOILED(copy.args[0].alias = 0, "alias names none");
  SPOILED(copy.args[3].real.hi = -1, "eps has no range");
  SPOILED(copy.args[3].real.def = 2, "a default outside of it");
  SPOILED(copy.args[3].role = KILN_OUT, "is a number and cannot be written");
  SPOILED(copy.args[0].dim[0].axis = copy.args[1].dim[0].axis = 3, "nothing binds the axis 'batch_size'");
  SPOILED(copy.rules[0].a = 7, "a rule of the op names no axis");
  SPOILED((copy.rules[0].kind = KILN_RULE_MULTIPLE, copy.rules[0].lo = 0), "multiples of 0");
  SPOILED(copy.rules[0].kind = KILN_RULE_IN, "has no list");
  SPOILED((copy.rules[0].kind = KILN_RULE_ONE_OF, copy.rules[0].args = 8), "fewer than two");
  SPOILED(
      (copy.args[0].flags |= KILN_OPTIONAL, copy.args[1].flags |= KILN_OPTIONAL), "which only optional arguments bind");
  SPOILED(copy.variants[1].name = "vec", "two variants are called 'vec'");
  SPOILED(copy.variants[0].entry = NULL, "has no entry");
  SPOILED(copy.variants[0].archs = NULL, "says no architecture");
  SPOILED(copy.op.nvariants = 2, "for the CPU and for CUDA");
  SPOILED(copy.op.pack = NULL, "pack or reference is missing");
  SPOILED(copy.op.ntests = 0, "tests[] or benches[] is empty");
  SPOILED(copy.tests[1].axis[3] = 0, "tests[1] breaks rule 3");
}

static void
test_spoiled_dimensions_that_may_be_absent(void **state)
{
  static struct copy copy;
  (void)state;
  SPOILED(copy.args[1].absent = 1, "input.absent names dimension 0 of 3");
  SPOILED(copy.args[1].absent = 3, "input.absent names dimension 2 of 3");
  SPOILED(copy.args[1].absent = 9, "input.absent names dimension 8 of 3");
  SPOILED(copy.args[1].absent = 0, "'num_heads' may be absent in one place and not in another");
  SPOILED(copy.args[2].dim[0].axis = 2, "'num_heads' may be absent in one place and not in another");
  SPOILED(copy.args[1].dim[1].mul = 2, "input.dim[1] may be absent, but is not one whole axis");
  SPOILED(copy.args[1].dim[1].axis = 4, "input.dim[1] may be absent, but is not one whole axis");
  SPOILED(copy.args[1].flags |= KILN_AT_LEAST, "input may not have a dimension that may be absent");
  SPOILED(copy.args[1].flags |= KILN_PAIR, "input may not have a dimension that may be absent");
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_op_is_clean),
      cmocka_unit_test(test_spoiled_tables),
      cmocka_unit_test(test_spoiled_dimensions_that_may_be_absent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
