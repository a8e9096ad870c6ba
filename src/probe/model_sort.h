/*
 * The order of a finished model's tables; private to the files model*.c.
 */
#ifndef KILN_PROBE_MODEL_SORT_H
#define KILN_PROBE_MODEL_SORT_H

#include "probe/model.h"

/* Sort every table by time, then by process and names, so that one folder always gives one model; launches, which have
 * no time, by their names, device, block size, dim and process. */
void kiln_model_sort(struct kiln_model *model);

#endif
