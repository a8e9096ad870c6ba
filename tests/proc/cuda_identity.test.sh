#!/bin/sh
# What a build by nvcc runs and reads is what its entry says: seen from outside, by the system calls.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/proc/cuda_lib.sh"
need_toolkit
need_tool strace readlink
! ldd "$kiln" 2>/dev/null | grep -q 'lib[at]san' || skip "a sanitizer does not work while it is traced"
strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
KILN_CUDA=$toolkit NVCC_APPEND_FLAGS=-G SECRET=shown
export KILN_CUDA NVCC_APPEND_FLAGS SECRET
store seen
jq -cn --arg path "$KILN_SOURCE/tests/data/gpu/small.cu" '{name: "kernel", toolchain: "nvcc", archs: ["9.0a", "8.0+PTX"],
  entry_points: ["scale"], sources: [{path: $path}]}' >"$work/specs/k"
# Once without being watched: finding out what a compiler is made of starts it several times.
jq -c '.defines = ["OTHER"]' "$work/specs/k" >"$work/specs/first"
equal "the toolchain is known" 0 "$(build first)"
strace -f -qq -v -s 100000 -e trace=execve,openat -o "$work/trace" \
  "$kiln" cache build --quiet --json "$work/specs/k" >"$work/out" 2>"$work/err"
equal "built while watched" built "$(got result)"
key=$(got key)
"$kiln" cache show --json "$key" >"$work/entry"

# Each file that is there, without links in its name.
real_names() {
  while read -r name; do
    [ ! -f "$name" ] || readlink -f "$name"
  done | sort -u
}
sed -n 's/^[0-9]* *execve("\([^"]*\)".* = 0$/\1/p' "$work/trace" | real_names >"$work/ran"
jq -r '.toolchain_identity | split("\n")[] | split(" ")[0]' "$work/entry" | sort -u >"$work/identity"
for program in nvcc cicc ptxas fatbinary; do
  check "$program ran" grep -q "/$program\$" "$work/ran"
done
while read -r program; do
  case $program in
  "$(readlink -f "$kiln")" | "$(readlink -f "$spawn")") ;;
  *) check "$(basename "$program") is part of the identity" grep -qx "$(basename "$program")" "$work/identity" ;;
  esac
done <"$work/ran"

# Files of the toolkit are part of the identity or dependencies.
sed -n 's/^[0-9]* *openat([^,]*, "\([^"]*\)", [^)]*) = [0-9]*$/\1/p' "$work/trace" | real_names |
  grep "^$(readlink -f "$toolkit")/" >"$work/read"
jq -r '.dependencies[].path' "$work/entry" | real_names >"$work/dependencies"
missing=0
while read -r file; do
  grep -qx "$file" "$work/dependencies" || grep -qx "$(basename "$file")" "$work/identity" || {
    missing=$((missing + 1))
    echo "   not in the key: $file"
  }
done <"$work/read"
check "files of the toolkit were read: $(wc -l <"$work/read")" test -s "$work/read"
equal "of which the key does not know" 0 "$missing"

# Nothing of the caller's environment reaches a compiler.
grep 'execve("[^"]*/nvcc"' "$work/trace" >"$work/started"
equal "nvcc's environment is scrubbed" 0 "$(grep -c -e SECRET -e NVCC_APPEND_FLAGS "$work/started")"
check "and not empty" grep -q 'LC_ALL=C' "$work/started"
equal "no device debug code came in" 0 "$(grep -ca 'nv_debug_info\|\.debug_line' "$(got path)")"

# ---- a toolkit whose nvcc is a script that starts another ----

mkdir -p "$work/wrapped/bin"
for part in include nvvm lib; do ln -s "$toolkit/$part" "$work/wrapped/$part"; done
for program in ptxas fatbinary; do ln -s "$toolkit/bin/$program" "$work/wrapped/bin/$program"; done
printf '#!/bin/sh\nexec "%s/bin/nvcc" "$@"\n' "$toolkit" >"$work/wrapped/bin/nvcc"
chmod +x "$work/wrapped/bin/nvcc"
equal "a script in front of nvcc" 0 "$(KILN_CUDA=$work/wrapped build k)"
"$kiln" cache show --json "$(got key)" | jq -r .toolchain_identity >"$work/both"
equal "both are part of the identity" 2 "$(grep -c '^nvcc ' "$work/both")"

# ---- headers of one architecture only, and generated sources ----

mkdir "$work/include"
for name in host old new; do echo "#define FACTOR 1 // $name" >"$work/include/$name.cuh"; done
jq -cn --arg folder "$work/include" --arg text '#if !defined(__CUDA_ARCH__)
#include <host.cuh>
#elif __CUDA_ARCH__ >= 900
#include <new.cuh>
#else
#include <old.cuh>
#endif
#line 7 "made by a.generator"
extern "C" __global__ void scale(float *x) { x[0] *= FACTOR; }' '{name: "kernel", toolchain: "nvcc", archs: ["9.0a 8.0"],
  entry_points: ["scale"], includes: [$folder], sources: [{name: "k.cu", text: $text}]}' >"$work/specs/k"
equal "a header for each architecture" "0 built" "$(build k) $(got result)"
equal "is kept, though a #line names what is no file" "0 hit" "$(build k) $(got result)"
for name in old new host; do
  echo "#define FACTOR 2 // $name" >"$work/include/$name.cuh"
  equal "a change of $name.cuh is seen" "0 built" "$(build k) $(got result)"
done
finish
