/*
 * Gated activations for the CPU: out = activation(first half of the row) * second half.
 */
#ifndef KILN_GATE_CPU_H
#define KILN_GATE_CPU_H

#include "gate_params.h"
#include "kiln_cpu.h"

static inline void
gate_rows(const struct gate_params *p, float (*activate)(float))
{
  for (long long row = 0; row < p->rows; row++) {
    const void *input = KILN_AT_CONST(KILN_T, p->input, row * p->input_stride);
    void *out = KILN_AT(KILN_T, p->out, row * p->out_stride);
    for (int i = 0; i < p->width; i++)
      KILN_STORE(KILN_T, out, i, activate(KILN_LOAD(KILN_T, input, i)) * KILN_LOAD(KILN_T, input, p->width + i));
  }
}

#endif
