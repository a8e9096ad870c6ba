#include <string.h>

#include "op/op.h"

enum { TOKENS = 1, HEADS, HEAD_DIM, PAGES, PAGE_SIZE };
enum { KEY, VALUE, BATCH, POSITIONS, K_CACHE, V_CACHE, INDICES, INDPTR };

void kiln_reference_append_paged_kv_cache(const struct kiln_reference *data);

void
kiln_reference_append_paged_kv_cache(const struct kiln_reference *data)
{
  const int64_t page_size = data->axis[PAGE_SIZE], elements = data->axis[HEADS] * data->axis[HEAD_DIM];
  for (int64_t token = 0; token < data->axis[TOKENS]; token++) {
    const int64_t batch = data->integer[BATCH][token], position = data->integer[POSITIONS][token];
    if (batch < 0)
      continue;
    const int64_t page = data->integer[INDICES][data->integer[INDPTR][batch] + position / page_size];
    const int64_t to = (page * page_size + position % page_size) * elements;
    const size_t bytes = (size_t)elements * sizeof(double);
    memcpy(data->real[K_CACHE] + to, data->real[KEY] + token * elements, bytes);
    memcpy(data->real[V_CACHE] + to, data->real[VALUE] + token * elements, bytes);
  }
}
