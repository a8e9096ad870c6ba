#include "kiln_device.h"
#include "params.h"

struct append_slot {
  unsigned page;
  int slot; /* in the page; negative: the token is left out */
};

static __device__ __forceinline__ append_slot
slot_of(const append_params &p, unsigned token)
{
  const int batch = p.batch[token];
  if (batch < 0)
    return {0, -1};
  const unsigned position = (unsigned)p.position[token], size = (unsigned)p.page_size, page = position / size;
  return {(unsigned)p.indices[p.indptr[batch] + (long long)page], (int)(position - page * size)};
}

template <typename T>
static __device__ __forceinline__ const T *
source(const append_side &side, unsigned token, unsigned head)
{
  return (const T *)side.from + token * side.token + head * side.head;
}

template <typename T>
static __device__ __forceinline__ T *
cache_at(const append_side &side, append_slot to, unsigned head)
{
  return (T *)side.cache + to.page * side.page + (unsigned)to.slot * side.slot + head * side.cache_head;
}

#ifdef KILN_HEAD_DIM

/* About a block a multiprocessor reads ahead while the kernel before still writes; the others find all in L2. */
constexpr unsigned first_blocks = 132;

/* The first lines of an array, one a thread of the block. */
static __device__ __forceinline__ void
prefetch_array(const void *from, unsigned long long bytes)
{
  if (threadIdx.x * 128ull < bytes)
    prefetch_line((const char *)from + threadIdx.x * 128ull);
}

/* Vectors of all tokens in one count, so that no number of heads leaves threads idle. */
struct append_place {
  unsigned token, head, column;
  bool here;
};

template <unsigned width>
static __device__ __forceinline__ append_place
place_of(const append_params &p, unsigned i)
{
  constexpr unsigned of_head = KILN_HEAD_DIM / width, of_token = of_head * KILN_NUM_KV_HEADS;
  const unsigned long long first = (unsigned long long)blockIdx.x * ((unsigned)p.each * APPEND_THREADS);
  const unsigned at = (unsigned)(first % of_token) + i * APPEND_THREADS + threadIdx.x, vector = at % of_token;
  const unsigned token = (unsigned)(first / of_token) + at / of_token;
  return {token, vector / of_head, vector % of_head * width, i < (unsigned)p.each && token < (unsigned)p.tokens};
}

/* A thread moves the same vectors of keys and of values, all on their way before the place they go to is known. */
extern "C" __global__ void
__launch_bounds__(APPEND_THREADS) append_paged_kv_cache_vec(const struct append_params p)
{
  using T = KILN_T;
  append_place at[APPEND_EACH];
  vec16 key[APPEND_EACH], value[APPEND_EACH];
  append_slot to[APPEND_EACH];

#pragma unroll
  for (unsigned i = 0; i < APPEND_EACH; i++)
    at[i] = place_of<lanes<T>::count>(p, i);
  if (blockIdx.x < first_blocks) {
    if (threadIdx.x == 0 && at[0].here) {
      prefetch_line(p.batch + at[0].token);
      prefetch_line(p.position + at[0].token);
    }
    prefetch_array(p.indptr, (p.requests + 1ull) * sizeof(int));
    prefetch_array(p.indices, (unsigned long long)p.pages_used * sizeof(int));
  }
  wait_for_predecessor();
#pragma unroll
  for (unsigned i = 0; i < APPEND_EACH; i++)
    if (at[i].here) {
      key[i] = load_once(source<T>(p.key, at[i].token, at[i].head) + at[i].column);
      value[i] = load_once(source<T>(p.value, at[i].token, at[i].head) + at[i].column);
    }
  allow_successor(); /* not before: its blocks would take the places of this kernel's own */
#pragma unroll
  for (unsigned i = 0; i < APPEND_EACH; i++)
    to[i] = at[i].here ? slot_of(p, at[i].token) : append_slot{0, -1};
#pragma unroll
  for (unsigned i = 0; i < APPEND_EACH; i++)
    if (to[i].slot >= 0) {
      store_once(cache_at<T>(p.key, to[i], at[i].head) + at[i].column, key[i]);
      store_once(cache_at<T>(p.value, to[i], at[i].head) + at[i].column, value[i]);
    }
}

#else

/* A block a token, one element a load: any width, any alignment. */
extern "C" __global__ void
__launch_bounds__(APPEND_THREADS) append_paged_kv_cache_row(const struct append_params p)
{
  using T = KILN_T;
  const unsigned token = blockIdx.x, width = (unsigned)p.width, heads = APPEND_THREADS / width;
  allow_successor();
  wait_for_predecessor();
  const append_slot to = slot_of(p, token);
  if (to.slot < 0)
    return;
  unsigned head = threadIdx.x / width, column = threadIdx.x - head * width;
#pragma unroll 1
  while (head < (unsigned)p.heads) {
    const T key = source<T>(p.key, token, head)[column], value = source<T>(p.value, token, head)[column];
    cache_at<T>(p.key, to, head)[column] = key;
    cache_at<T>(p.value, to, head)[column] = value;
    /* APPEND_THREADS elements on. */
    head += heads;
    column += APPEND_THREADS - heads * width;
    if (column >= width) {
      column -= width;
      head++;
    }
  }
}

#endif
