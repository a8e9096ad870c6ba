#!/bin/sh
# shellcheck disable=SC2317 # functions are called by lib.sh
# What kiln itself costs beside the compilers that it starts: figures, and no failure by time.
. "$KILN_SOURCE/tests/proc/store_lib.sh"
need_plain
need_tool jq
count=200
[ "${KILN_FULL:-0}" = 1 ] || count=40
stub cc template= "cost=$work/compilers"
store cost
# A disk's own costs are not kiln's: in memory, where that is possible.
memory=$(mktemp -d /dev/shm/kiln-test.XXXXXX 2>/dev/null) && KILN_CACHE_DIR=$memory/cost
cleanup() {
  [ -z "$memory" ] || rm -rf "$memory"
}
# A kernel as people write them: about 35 lines, two loops, the header of mathematics.
cat >"$work/kernel.c" <<'END'
#include <math.h>
#include <stddef.h>
void rmsnorm(const float *x, const float *weight, float *y, size_t rows, size_t columns, float epsilon);
void softmax(const float *x, float *y, size_t rows, size_t columns);
int value(void);
void rmsnorm(const float *x, const float *weight, float *y, size_t rows, size_t columns, float epsilon) {
  for (size_t row = 0; row < rows; row++) {
    const float *in = x + row * columns;
    float *out = y + row * columns;
    float sum = 0;
    for (size_t i = 0; i < columns; i++)
      sum += in[i] * in[i];
    float scale = 1.0f / sqrtf(sum / (float)columns + epsilon);
    for (size_t i = 0; i < columns; i++)
      out[i] = in[i] * scale * weight[i];
  }
}
void softmax(const float *x, float *y, size_t rows, size_t columns) {
  for (size_t row = 0; row < rows; row++) {
    const float *in = x + row * columns;
    float *out = y + row * columns;
    float most = in[0], sum = 0;
    for (size_t i = 1; i < columns; i++)
      most = in[i] > most ? in[i] : most;
    for (size_t i = 0; i < columns; i++)
      sum += out[i] = expf(in[i] - most);
    for (size_t i = 0; i < columns; i++)
      out[i] /= sum;
  }
}
int value(void) { return NUMBER; }
END
paths=''
for i in $(seq 1 "$count"); do
  jq -cn --rawfile text "$work/kernel.c" --arg number "NUMBER=$i" '{name: "cost", toolchain: "hostcc",
    sources: [{name: "kernel.c", text: $text}], defines: [$number], links: ["-lm"],
    entry_points: ["rmsnorm", "softmax", "value"]}' >"$work/specs/c$i"
  paths="$paths $work/specs/c$i"
done

# What the compilers take they say themselves; the rest of the tree is kiln, its supervisor and its questions about the
# toolchain included.
half=$((count / 2))
# shellcheck disable=SC2086 # lists of paths without blanks
{
  set -- $paths
  first='' second='' i=0
  for path in "$@"; do
    i=$((i + 1))
    if [ "$i" -le "$half" ]; then first="$first $path"; else second="$second $path"; fi
  done
  "$KILN_BUILD/tests/proc.cost" "$loader" $first >"$work/one.out" 2>"$work/one.cost" &
  one=$!
  "$KILN_BUILD/tests/proc.cost" "$loader" $second >"$work/two.out" 2>"$work/two.cost"
  wait "$one"
}
equal "$count small specs, cold, two at a time" "$count" "$(cat "$work/one.out" "$work/two.out" | grep -c '^ok .* built ')"
equal "each entry is there" "$count" "$(entries)"
cat "$work/one.cost" "$work/two.cost" | awk -v compilers="$(awk '{ sum += $1 } END { print sum }' "$work/compilers")" '
  { tree += $1 }
  END {
    printf "   kiln itself: %.0f ms of CPU beside %.0f ms of compilers: %.1f %% (goal: below 3 %%)\n", tree - compilers, compilers,
      100 * (tree - compilers) / tree
    exit !((tree - compilers) / tree < 0.10)
  }'
equal "kiln's own share is small (never 10 %)" 0 "$?"

# Starting a compiler from a large process must not copy its memory map. Three tries: a busy machine is no failure.
if "$KILN_BUILD/tests/proc.cost" --spawn 4096 >"$work/large" && [ -s "$work/large" ]; then
  for attempt in 1 2 3; do
    small=$("$KILN_BUILD/tests/proc.cost" --spawn 0)
    large=$("$KILN_BUILD/tests/proc.cost" --spawn 4096)
    echo "   starting a process, try $attempt: $small us from a small one, $large us from one of 4 GiB"
    [ "$large" -ge $((2 * small)) ] || break
  done
  check "a large process starts a compiler in less than twice the time" [ "$large" -lt $((2 * small)) ]
else
  echo "   (no 4 GiB of memory here: not tried)"
fi
finish
