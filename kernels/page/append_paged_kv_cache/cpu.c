#include "kiln_cpu.h"
#include "params.h"

static void
append_token(const struct append_params *p, const struct append_side *side, long long token, long long page, int slot)
{
  for (long long head = 0; head < p->heads; head++)
    memcpy(KILN_AT(KILN_T, side->cache, page * side->page + slot * side->slot + head * side->cache_head),
        KILN_AT_CONST(KILN_T, side->from, token * side->token + head * side->head),
        (size_t)p->width * KILN_BYTES(KILN_T));
}

void
append_paged_kv_cache(const struct append_params *p)
{
  for (long long token = 0; token < p->tokens; token++) {
    const int batch = p->batch[token], position = p->position[token];
    if (batch < 0)
      continue;
    const long long page = p->indices[(long long)p->indptr[batch] + position / p->page_size];
    append_token(p, &p->key, token, page, position % p->page_size);
    append_token(p, &p->value, token, page, position % p->page_size);
  }
}
