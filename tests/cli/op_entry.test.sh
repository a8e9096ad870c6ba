#!/bin/sh
# The C function of an op, in a program of its own that is linked with libkiln_ops and libkiln and nothing else.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/op_lib.sh"
need_plain_build

cat >"$work/main.c" <<'END'
#include <math.h>
#include <stdio.h>

#include <kiln/ops/rmsnorm.h>

static float x[2][4] = {{1, -1, 1, -1}, {3, 3, 3, 3}}, y[2][4], w[4] = {1, 2, 3, 4};
static int64_t shape[2] = {2, 4}, columns[1] = {4};

static struct kiln_tensor
tensor(void *data, int ndim, int64_t *extents)
{
  struct kiln_tensor t = {data, {KILN_DEVICE_CPU, 0}, ndim, {0, 0, 0}, extents, NULL, 0};
  t.type = kiln_dtype_to_tensor(KILN_DTYPE_F32);
  return t;
}

int
main(void)
{
  struct kiln_tensor out = tensor(y, 2, shape), in = tensor(x, 2, shape), weight = tensor(w, 1, columns);
  struct kiln_error error = {KILN_OK, 0, "", ""};
  struct kiln *kiln;
  if (kiln_new(NULL, &kiln, &error) != KILN_OK || kiln_rmsnorm(kiln, NULL, &out, &in, &weight, NAN, &error) != KILN_OK) {
    printf("%s\n", error.what);
    return 1;
  }
  printf("%.3f %.3f %.3f\n", y[0][0], y[0][3], y[1][2]);
  if (kiln_rmsnorm(kiln, NULL, &out, &in, &weight, 8.0, &error) != KILN_OK)
    printf("%s\n", error.what);
  if (kiln_rmsnorm(kiln, NULL, &out, &in, NULL, NAN, &error) != KILN_OK)
    printf("%s\n", error.what);
  columns[0] = 5;
  if (kiln_rmsnorm(kiln, NULL, &out, &in, &weight, NAN, &error) != KILN_OK)
    printf("%s\n", error.what);
  for (size_t i = 0; kiln_op_at(i); i++)
    if (kiln_op_find(kiln_op_name(kiln_op_at(i))) != kiln_op_at(i))
      return 1;
  kiln_free(kiln);
  return 0;
}
END
check "compiles" cc -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$KILN_SOURCE/include" "$work/main.c" -o "$work/main" \
  -L"$KILN_BUILD/lib" -lkiln_ops -lkiln -lm -Wl,-rpath,"$KILN_BUILD/lib"
KILN_LIBEXEC=$KILN_BUILD/bin
export KILN_LIBEXEC
equal "runs" 0 "$(status_of "$work/main")"
cat >"$work/expected" <<'END'
1.000 -4.000 3.000
rmsnorm: eps is 8; expected 0 <= eps <= 1
rmsnorm: weight (argument 2) is missing; a tensor is required
rmsnorm: weight.shape[0] is 5, but out.shape[1] made hidden_size 4
END
check "results and refusals" diff "$work/expected" "$work/out"
finish
