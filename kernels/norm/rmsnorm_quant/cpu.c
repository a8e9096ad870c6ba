#define NORM_W KILN_T
#define NORM_O KILN_O
#define NORM_SCALED 1
#include "norm_cpu.h"
#include "params.h"

void
rmsnorm_quant(const struct norm_params *p)
{
  norm_rows(p);
}
