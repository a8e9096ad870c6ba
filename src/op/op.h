/*
 * What an op is: one constant table. Everything else about it is made from the table: argument checks, dispatch, the C
 * entry point, the FFI export, the trace definition, the ahead-of-time list, tests, benchmark, reference page.
 *
 * An op is a folder kernels/<family>/<op>/:
 *   op.c         this table, and `pack`: from checked arguments to kernel parameters
 *   params.h     the struct that kernels take by value; read by op.c, cpu.c and device.cu, so it includes nothing
 *   device.cu    CUDA kernels on raw pointers; no toolkit header
 *   cpu.c        the same for the CPU, compiled by kiln's JIT
 *   reference.c  double precision, plain; what every check compares with
 *   reference.py the same as text of the trace definition: a top-level `run`; optional
 *   README.md    method, numerics, what was measured
 * and one line in registry/op.c. kernels/norm/rmsnorm is the example to copy; `kiln op new` writes a new folder.
 *
 * Ids of axes and arguments are local enums. Axis ids begin at 1: 0 means none. Argument ids begin at 0; masks are
 * KILN_BIT(id). Tables are read by any number of threads.
 */
#ifndef KILN_OP_OP_H
#define KILN_OP_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "kiln/error.h"
#include "kiln/tensor.h"

enum { KILN_OP_ARGS = 32, KILN_OP_AXES = 24, KILN_OP_RANK = 6, KILN_OP_TYPES = 4, KILN_OP_PARAMS = 512 };

#define KILN_BIT(id) (UINT32_C(1) << (id))
#define KILN_LEN(array) ((uint8_t)(sizeof(array) / sizeof *(array)))

/* ---- axes ---- */

enum kiln_axis_kind {
  KILN_AXIS_VAR,    /* differs from call to call */
  KILN_AXIS_CONST,  /* part of a model: in the name of its trace definition */
  KILN_AXIS_DERIVED /* computed from earlier axes */
};
enum kiln_axis_fn { KILN_FN_NONE, KILN_FN_ADD, KILN_FN_SUB, KILN_FN_MUL, KILN_FN_DIV, KILN_FN_CEIL_DIV, KILN_FN_MIN };

struct kiln_axis {
  const char *name, *abbrev, *doc; /* abbrev: in trace names and URIs, "h" of h4096; NULL: the name */
  uint8_t kind;
  uint8_t fn, a, b; /* DERIVED: fn of axis a and axis b, or of a and the number k when b is 0 */
  int32_t k;
};
#define KILN_VAR(name, doc)                                                                                            \
  {                                                                                                                    \
    name, NULL, doc, KILN_AXIS_VAR, 0, 0, 0, 0                                                                         \
  }
#define KILN_CONST(name, abbrev, doc)                                                                                  \
  {                                                                                                                    \
    name, abbrev, doc, KILN_AXIS_CONST, 0, 0, 0, 0                                                                     \
  }
#define KILN_DERIVED(name, fn, a, b, doc)                                                                              \
  {                                                                                                                    \
    name, NULL, doc, KILN_AXIS_DERIVED, fn, a, b, 0                                                                    \
  }
#define KILN_DERIVED_BY(name, fn, a, k, doc)                                                                           \
  {                                                                                                                    \
    name, NULL, doc, KILN_AXIS_DERIVED, fn, a, 0, k                                                                    \
  }

/* One extent of a tensor: ceil(axis * mul / div) + add; axis 0: the number add. With div 1 it binds its axis (solved
 * backwards, exactly or an error), with a larger one it is only compared, after all axes are bound. */
struct kiln_dim {
  uint8_t axis, mul;
  uint16_t div;
  int32_t add;
};
#define KILN_DIM(axis)                                                                                                 \
  {                                                                                                                    \
    axis, 1, 1, 0                                                                                                      \
  }
#define KILN_DIM_PLUS(axis, add)                                                                                       \
  {                                                                                                                    \
    axis, 1, 1, add                                                                                                    \
  }
#define KILN_DIM_TIMES(axis, mul)                                                                                      \
  {                                                                                                                    \
    axis, mul, 1, 0                                                                                                    \
  }
#define KILN_DIM_CEIL(axis, div)                                                                                       \
  {                                                                                                                    \
    axis, 1, div, 0                                                                                                    \
  }
#define KILN_DIM_FIXED(number)                                                                                         \
  {                                                                                                                    \
    0, 0, 1, number                                                                                                    \
  }

/* ---- element types ---- */

#define KILN_SET_F16 KILN_BIT(KILN_DTYPE_F16)
#define KILN_SET_BF16 KILN_BIT(KILN_DTYPE_BF16)
#define KILN_SET_F32 KILN_BIT(KILN_DTYPE_F32)
#define KILN_SET_HALF (KILN_SET_F16 | KILN_SET_BF16)
#define KILN_SET_FLOAT (KILN_SET_HALF | KILN_SET_F32)
#define KILN_SET_FP8 (KILN_BIT(KILN_DTYPE_E4M3) | KILN_BIT(KILN_DTYPE_E5M2))
#define KILN_SET_INDEX (KILN_BIT(KILN_DTYPE_I32) | KILN_BIT(KILN_DTYPE_I64))

/* A type variable: the first tensor that bears it binds it, all later ones must agree. -DKILN_<name> in kernels. */
struct kiln_type {
  const char *name; /* "T" */
  uint32_t set;     /* KILN_SET_… */
};

/* ---- arguments ---- */

enum kiln_arg_kind {
  KILN_ARG_TENSOR,
  KILN_ARG_INT,
  KILN_ARG_REAL,
  KILN_ARG_BOOL,
  KILN_ARG_ENUM,          /* one of `names`, by name or number */
  KILN_ARG_TENSOR_OR_INT, /* as a tensor: dtype, shape; as a number: range */
  KILN_ARG_TENSOR_OR_REAL
};
enum kiln_role { KILN_IN, KILN_OUT, KILN_INOUT };
enum {
  KILN_OPTIONAL = 1,    /* may be absent */
  KILN_KEYED = 2,       /* a number or name that kernels are compiled for: -DKILN_<NAME>, in the URI */
  KILN_BINDS = 4,       /* an integer that binds `axis` as an extent would; absent: it is dim[0], in other axes */
  KILN_SAME_AS_OK = 8,  /* an output that may be the very tensor named by `alias` (equal start, strides, extent) */
  KILN_CONTIGUOUS = 16, /* compact; otherwise only the last dimension must be contiguous */
  KILN_ANY_STRIDE = 32, /* even the last dimension is free */
  KILN_LAYOUTED = 64,   /* extents come in the order that the op's layout argument says */
  KILN_AT_LEAST = 128,  /* extents may be larger than what other arguments made them; never binds first */
  KILN_PAIR = 256 /* this and the next argument are one parameter: two tensors, or one with an extra extent 2 at 1 */
};
/* What test and benchmark data is put into an argument. */
enum kiln_fill {
  KILN_FILL_NORMAL,    /* reals around 0, about ±1; integers 0 … 7 */
  KILN_FILL_POSITIVE,  /* reals 0.5 … 1.5 */
  KILN_FILL_INDPTR,    /* 0, rising, the last is the extent of axis `fill_axis` */
  KILN_FILL_PERMUTED,  /* a permutation of 0 … n-1 */
  KILN_FILL_BELOW,     /* integers 0 … (extent of `fill_axis`) - 1 */
  KILN_FILL_LAST_PAGE, /* integers 1 … (extent of `fill_axis`) */
  KILN_FILL_COUNTING   /* 0, 1, 2 … */
};

struct kiln_arg {
  const char *name, *doc;
  uint8_t kind, role;
  uint16_t flags;
  /* tensors */
  uint8_t type;  /* 1 + index of a type variable; 0: `fixed` */
  uint8_t fixed; /* enum kiln_dtype */
  uint8_t ndim;
  struct kiln_dim dim[KILN_OP_RANK]; /* in canonical order; see KILN_LAYOUTED, KILN_BINDS */
  /* 1 + a dimension that may be absent, neither the first nor the last; 0: none. It is one whole axis, the same for all
   * arguments that have it. A call has it in all of their tensors or in none, and then the axis is 1. */
  uint8_t absent;
  uint8_t alias; /* KILN_SAME_AS_OK: 1 + argument id */
  uint8_t fill, fill_axis;
  /* numbers */
  uint8_t axis; /* KILN_BINDS */
  struct {
    double lo, hi, def; /* REAL; def is the value when absent */
  } real;
  struct {
    int64_t lo, hi, def; /* INT; BOOL and ENUM: def alone */
  } integer;
  const char *const *names; /* ENUM, NULL-terminated */
  /* elsewhere */
  const char *param; /* name of the parameter in calls, when it differs (both of a KILN_PAIR share one) */
  const char *trace; /* name as input of the trace definition, when it differs */
  const char *as;    /* name of the result of an INOUT argument there */
};

/* ---- rules ---- */

enum kiln_rule_kind {
  KILN_RULE_END,
  KILN_RULE_MULTIPLE,    /* axis a is a multiple of lo */
  KILN_RULE_MULTIPLE_OF, /* axis a is a multiple of axis b */
  KILN_RULE_IN,          /* axis a is one of in[], which ends with -1 */
  KILN_RULE_RANGE,       /* lo <= axis a <= hi */
  KILN_RULE_AT_MOST,     /* axis a <= axis b */
  KILN_RULE_EQUAL,       /* axis a == axis b */
  KILN_RULE_NEEDS,       /* axis a is 0, or axis b is not */
  KILN_RULE_ONE_OF,      /* exactly one of the arguments `args` is given */
  KILN_RULE_TOGETHER,    /* all of `args` or none */
  KILN_RULE_DATA         /* `text`: about values on the device; printed, never checked on the way of a call */
};
struct kiln_rule {
  uint8_t kind, a, b;
  int32_t lo, hi;
  const int32_t *in;
  uint32_t args, if_given, if_absent; /* masks; the rule holds only where all / none of them are given */
  const char *text;
};
#define KILN_RULES_END                                                                                                 \
  {                                                                                                                    \
    .kind = KILN_RULE_END                                                                                              \
  }

/* ---- variants ---- */

enum kiln_backend { KILN_BACKEND_CPU, KILN_BACKEND_CUDA };

/* One kernel. The first variant that fits is taken; the order in the table is the order of preference. */
struct kiln_variant {
  const char *name; /* unique within the op and backend; -DKILN_VARIANT_<NAME> in kernels */
  uint8_t backend;
  const char *archs; /* CUDA: "sm80+" (that and every later one), "sm90a" (that alone), separated by spaces */
  const char *entry; /* symbol in cpu.c or device.cu */
  const struct kiln_rule *needs; /* NULL: none */
  uint32_t key_axes;             /* KILN_BIT(axis): compiled for their values, -DKILN_<NAME> */
  uint8_t align;                 /* data, and every stride but the unit one, of tensors with a type variable: bytes */
};

/* ---- shapes ---- */

/* One shape for tests or benchmark, [AXIS] = value; DERIVED axes are computed. 0 for the axis of a dimension that may
 * be absent: it is. */
struct kiln_case {
  int32_t axis[KILN_OP_AXES];
  uint32_t given; /* optional arguments that are given; those of `set` need not be in it */
  struct {
    uint8_t arg; /* 1 + argument id; 0 ends the list */
    double value;
  } set[6]; /* numbers, bools and enums (as numbers); others have their default */
};

struct kiln_layout {
  const char *name;
  uint8_t perm[KILN_OP_RANK]; /* position in memory → canonical position */
};

/* ---- what the functions of an op see ---- */

/* The arguments of one call, checked. Never changed once made; shared by threads. */
struct kiln_checked {
  const struct kiln_op *op;
  const struct kiln_variant *variant;
  uint32_t given;                             /* arguments that are there */
  uint32_t tensors;                           /* those of them that are tensors */
  uint8_t type[KILN_OP_TYPES];                /* enum kiln_dtype of each type variable */
  uint8_t dtype[KILN_OP_ARGS];                /* enum kiln_dtype of each tensor */
  int64_t axis[KILN_OP_AXES];                 /* all bound, derived ones computed */
  int64_t stride[KILN_OP_ARGS][KILN_OP_RANK]; /* elements, canonical order; that of an extent of 1 is the compact one */
};

/* What a kernel is started with. */
struct kiln_op_launch {
  uint32_t grid[3];  /* a 0 in it: nothing is started */
  uint32_t block[3]; /* CUDA */
  uint32_t shared;   /* CUDA: dynamic shared memory, bytes */
  bool overlap;      /* CUDA: programmatic dependent launch; the kernel waits for its predecessor itself */
  uint32_t size;     /* of params */
  _Alignas(16) unsigned char params[KILN_OP_PARAMS];
};

/* Test data as `reference` sees it: dense, in canonical order. An absent argument has NULL. */
struct kiln_reference {
  const struct kiln_op *op;
  uint32_t given;
  const int64_t *axis;
  const uint8_t *dtype;             /* of each tensor */
  double *real[KILN_OP_ARGS];       /* tensors of floating types; outputs are written, INOUT is read and written */
  int64_t *integer[KILN_OP_ARGS];   /* tensors of integer types */
  const struct kiln_value *numbers; /* of each argument that is a number, absent ones as their default */
};

/* Random numbers of one test, reproducible from its seed. */
struct kiln_rng {
  uint64_t state;
};

/* ---- the op ---- */

struct kiln_op {
  const char *name, *family, *doc; /* doc: one sentence */
  const char *trace_name;          /* prefix of definition names; NULL: name */
  const char *op_type;             /* of definitions; NULL: family */
  const struct kiln_axis *axes;    /* [0] is not used */
  const struct kiln_type *types;
  const uint8_t (*combos)[KILN_OP_TYPES]; /* legal rows of dtypes; NULL: every combination */
  const struct kiln_layout *layouts;
  const struct kiln_arg *args;
  const struct kiln_rule *rules; /* NULL: none */
  const struct kiln_variant *variants;
  const struct kiln_case *tests, *benches; /* small: tests are run with every dtype; no more than some MB */
  uint8_t naxes, ntypes, ncombos, nlayouts, nargs, nvariants, ntests, nbenches;
  uint8_t layout_arg; /* 1 + id of the ENUM argument that names the layout; 0: none */
  /* Largest error |got - expected| <= tolerance[0] + tolerance[1] * |expected|, by dtype of the result; 0, 0: the
   * default of that dtype. */
  float tolerance[KILN_DTYPE_COUNT][2];
  /* Fill launch from checked arguments. Called for every call: no memory, no failure. */
  void (*pack)(const struct kiln_checked *checked, const struct kiln_value *values, struct kiln_op_launch *launch);
  void (*reference)(const struct kiln_reference *data);
  /* What no rule can say; sets *error and returns its status, or KILN_OK. Once per signature. NULL: nothing. */
  enum kiln_status (*check)(
      const struct kiln_checked *checked, const struct kiln_value *values, struct kiln_error *error);
  /* Data that no enum kiln_fill makes: write n dense elements (0: only answer) of argument `arg`, as doubles or as
   * integers (the other pointer is NULL). false: the argument's own fill is used. NULL: never. */
  bool (*fill)(const struct kiln_op *op, const int64_t *axis, unsigned arg, struct kiln_rng *rng, int64_t n,
      double *real, int64_t *integer);
  /* Bytes that a call of these sizes and dtypes reads and writes, for the benchmark; where a call touches only a part
   * of a tensor. NULL: all of each, of INOUT ones twice. */
  int64_t (*bytes)(const int64_t *axis, const uint8_t *type);
};

/* The members that name the local arrays of an op.c and their lengths. rules, combos and layouts are set apart. */
#define KILN_OP_TABLES                                                                                                 \
  .axes = axes, .naxes = KILN_LEN(axes), .types = types, .ntypes = KILN_LEN(types), .args = args,                      \
  .nargs = KILN_LEN(args), .variants = variants, .nvariants = KILN_LEN(variants), .tests = tests,                      \
  .ntests = KILN_LEN(tests), .benches = benches, .nbenches = KILN_LEN(benches)

/* ---- for pack, check, fill and reference ---- */

/* First byte of a tensor argument; NULL when it is absent or a number. */
static inline void *
kiln_op_data(const struct kiln_value *values, unsigned arg)
{
  const struct kiln_value *value = &values[arg];
  return value->tag == KILN_VALUE_TENSOR ? (char *)value->as.tensor->data + value->as.tensor->byte_offset : NULL;
}

/* A REAL or TENSOR_OR_REAL argument as a number; its default when absent or a tensor. */
static inline double
kiln_op_real(const struct kiln_op *op, const struct kiln_value *values, unsigned arg)
{
  const struct kiln_value *value = &values[arg];
  if (value->tag == KILN_VALUE_REAL)
    return value->as.real;
  if (value->tag == KILN_VALUE_INT || value->tag == KILN_VALUE_BOOL)
    return (double)value->as.integer;
  return op->args[arg].real.def;
}

/* An INT, BOOL, ENUM (its number) or TENSOR_OR_INT argument; its default when absent or a tensor. */
static inline int64_t
kiln_op_integer(const struct kiln_op *op, const struct kiln_value *values, unsigned arg)
{
  const struct kiln_value *value = &values[arg];
  return value->tag == KILN_VALUE_INT || value->tag == KILN_VALUE_BOOL ? value->as.integer : op->args[arg].integer.def;
}

/* Room for `size` bytes of kernel parameters (at most KILN_OP_PARAMS), zeroed by the caller of pack. */
static inline void *
kiln_op_params(struct kiln_op_launch *launch, size_t size)
{
  launch->size = (uint32_t)size;
  return launch->params;
}

/* The whole launch configuration in one call. An x beyond 32 bits becomes the largest, which drivers refuse. */
static inline void
kiln_op_grid(struct kiln_op_launch *launch, int64_t x, uint32_t y, uint32_t z, uint32_t threads)
{
  launch->grid[0] = x > UINT32_MAX ? UINT32_MAX : (uint32_t)x;
  launch->grid[1] = y;
  launch->grid[2] = z;
  launch->block[0] = threads;
  launch->block[1] = launch->block[2] = 1;
}

/* The next 64 random bits. */
uint64_t kiln_rng_next(struct kiln_rng *rng);
/* A number from 0 to below 1. */
double kiln_rng_unit(struct kiln_rng *rng);

#endif
