#include "kiln_device.h"
#include "params.h"

struct append_slot {
  long long page;
  int slot; /* in the page; negative: the token is left out */
};

static __device__ __forceinline__ append_slot
slot_of(const append_params &p, long long token)
{
  const int batch = p.batch[token], position = p.position[token];
  if (batch < 0)
    return {0, -1};
  const unsigned page = (unsigned)position / (unsigned)p.page_size;
  return {p.indices[(long long)p.indptr[batch] + page], (int)((unsigned)position - page * (unsigned)p.page_size)};
}

template <typename T>
static __device__ __forceinline__ T *
cache_at(const append_side &side, append_slot to, int head)
{
  return (T *)side.cache + to.page * side.page + to.slot * side.slot + head * side.cache_head;
}

#ifdef KILN_HEAD_DIM

/* Blocks that come later find the index arrays in L2. */
constexpr unsigned first_wave = 1056;

/* The first lines of an array, one a thread of the block. */
static __device__ __forceinline__ void
prefetch_array(const void *from, unsigned long long bytes)
{
  if (threadIdx.x * 128ull < bytes)
    prefetch_line((const char *)from + threadIdx.x * 128ull);
}

/* Vectors of all tokens in one count, so that no number of heads leaves threads idle. */
struct append_place {
  long long token;
  int head, column;
  bool here;
};

template <int width>
static __device__ __forceinline__ append_place
place_of(const append_params &p, int i)
{
  constexpr unsigned of_head = KILN_HEAD_DIM / width, of_token = of_head * KILN_NUM_KV_HEADS;
  const unsigned long long first = (unsigned long long)blockIdx.x * (unsigned)p.each * APPEND_THREADS;
  const unsigned at = (unsigned)(first % of_token) + (unsigned)i * APPEND_THREADS + threadIdx.x;
  const unsigned vector = at % of_token;
  const long long token = (long long)(first / of_token) + at / of_token;
  return {token, (int)(vector / of_head), (int)(vector % of_head) * width, i < p.each && token < p.tokens};
}

/* A thread moves the same vectors of keys and of values, all on their way before the place they go to is known. */
extern "C" __global__ void
__launch_bounds__(APPEND_THREADS) append_paged_kv_cache_vec(const struct append_params p)
{
  using T = KILN_T;
  constexpr int width = lanes<T>::count;
  vec16 key[APPEND_EACH], value[APPEND_EACH];
  append_slot to[APPEND_EACH];

  allow_successor();
  if (blockIdx.x < first_wave) {
    const append_place mine = place_of<width>(p, 0);
    if (threadIdx.x == 0 && mine.here) {
      prefetch_line(p.batch + mine.token);
      prefetch_line(p.position + mine.token);
    }
    prefetch_array(p.indptr, (p.requests + 1ull) * sizeof(int));
    prefetch_array(p.indices, (unsigned long long)p.pages_used * sizeof(int));
  }
  wait_for_predecessor();
#pragma unroll
  for (int i = 0; i < APPEND_EACH; i++) {
    const append_place at = place_of<width>(p, i);
    if (at.here) {
      key[i] = load_once((const T *)p.key.from + at.token * p.key.token + at.head * p.key.head + at.column);
      value[i] = load_once((const T *)p.value.from + at.token * p.value.token + at.head * p.value.head + at.column);
    }
  }
#pragma unroll
  for (int i = 0; i < APPEND_EACH; i++) {
    const append_place at = place_of<width>(p, i);
    to[i] = at.here ? slot_of(p, at.token) : append_slot{0, -1};
  }
#pragma unroll
  for (int i = 0; i < APPEND_EACH; i++) {
    const append_place at = place_of<width>(p, i);
    if (to[i].slot < 0)
      continue;
    store_once(cache_at<T>(p.key, to[i], at.head) + at.column, key[i]);
    store_once(cache_at<T>(p.value, to[i], at.head) + at.column, value[i]);
  }
}

#else

/* A block a token, one element a load: any width, any alignment. */
extern "C" __global__ void
__launch_bounds__(APPEND_THREADS) append_paged_kv_cache_row(const struct append_params p)
{
  using T = KILN_T;
  const long long token = blockIdx.x;
  allow_successor();
  wait_for_predecessor();
  const append_slot to = slot_of(p, token);
  if (to.slot < 0)
    return;
  for (long long i = threadIdx.x; i < (long long)p.heads * p.width; i += APPEND_THREADS) {
    const int head = (int)(i / p.width), column = (int)(i % p.width);
    cache_at<T>(p.key, to, head)[column] = ((const T *)p.key.from)[token * p.key.token + head * p.key.head + column];
    cache_at<T>(p.value, to, head)[column] =
        ((const T *)p.value.from)[token * p.value.token + head * p.value.head + column];
  }
}

#endif
