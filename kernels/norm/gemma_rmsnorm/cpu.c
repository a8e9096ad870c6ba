#define NORM_W KILN_T
#define NORM_O KILN_T
#define NORM_ONE_PLUS 1
#define NORM_HEADS 1
#include "norm_cpu.h"
#include "params.h"

void
gemma_rmsnorm(const struct norm_params *p)
{
  norm_rows(p);
}
