# shellcheck shell=sh disable=SC2154 # work and kiln come from lib.sh
# Shared by the tests of `kiln op`: a store of its own, and a copy of what a tree has of ops.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/cache_lib.sh"
unset KILN_KERNELS

# with_toolkit: kernels are compiled for GPUs too, where a toolkit is installed for tests.
with_toolkit() {
  [ ! -x "${KILN_TEST_CUDA:-none}/bin/nvcc" ] || {
    KILN_CUDA=$KILN_TEST_CUDA
    export KILN_CUDA
  }
}

# copy_tree: $tree holds kernels/ and everything that `kiln op` reads or writes beside it; KILN_KERNELS names it.
copy_tree() {
  tree=$work/tree
  rm -rf "$tree"
  mkdir -p "$tree/src/registry" "$tree/include/kiln" "$tree/docs"
  cp -r "$KILN_SOURCE/kernels" "$tree/kernels"
  cp -r "$KILN_SOURCE/include/kiln/ops" "$tree/include/kiln/ops"
  cp -r "$KILN_SOURCE/docs/ops" "$tree/docs/ops"
  cp "$KILN_SOURCE/src/registry/op.c" "$tree/src/registry/op.c"
  KILN_KERNELS=$tree/kernels
  export KILN_KERNELS
}

# need_plain_build: programs can be linked again from the archives of this build.
need_plain_build() {
  if grep -q '^KILN_SANITIZE:[A-Z]*=..*' "$KILN_BUILD/CMakeCache.txt"; then
    skip "instrumented archives are not linked by hand"
  fi
}

# build_tree OUT: a kiln that has the ops of $tree, from the archives of this build: what ./dev build does, in seconds.
# Its registry and tables stand in front of the archive's, whose own registry is so never taken.
build_tree() {
  build_objects=''
  for build_source in "$tree"/kernels/*/*/op.c "$tree"/kernels/*/*/reference.c "$tree/src/registry/op.c"; do
    build_object=$work/objects/$(echo "${build_source#"$tree"/}" | tr / _).o
    mkdir -p "$work/objects"
    cc -std=c11 -O1 -Wall -Wextra -Wpedantic -Werror -I"$KILN_SOURCE/src" -I"$KILN_SOURCE/include" \
      -I"$tree/kernels/include" -I"$(dirname "$build_source")" -c "$build_source" -o "$build_object" || return 1
    build_objects="$build_objects $build_object"
  done
  cmake "-DOUT=$work/embedded.c" "-DROOT=$tree/kernels" \
    "-DFILES=$(cd "$tree/kernels" && find . -type f | sed 's#^\./##' | grep -v CMakeLists.txt | sort | tr '\n' ';' | sed 's/;$//')" \
    -P "$KILN_SOURCE/cmake/EmbedKernels.cmake" || return 1
  cc -std=c11 -I"$KILN_SOURCE/src" -I"$KILN_SOURCE/include" -c "$work/embedded.c" -o "$work/embedded.o" || return 1
  mkdir -p "$(dirname "$1")"
  # shellcheck disable=SC2046,SC2086 # lists of names without spaces
  cc -o "$1" $(find "$KILN_BUILD/cli" -name '*.o') $build_objects "$work/embedded.o" -Wl,--start-group \
    "$KILN_BUILD"/lib/libkiln_op_tool.a "$KILN_BUILD"/lib/libkiln_op.a "$KILN_BUILD"/lib/libkiln_probe.a \
    "$KILN_BUILD"/lib/libkiln_registry.a "$KILN_BUILD"/lib/libkiln_jit.a "$KILN_BUILD"/lib/libkiln_device.a \
    "$KILN_BUILD"/lib/libkiln_store.a "$KILN_BUILD"/lib/libkiln_event.a "$KILN_BUILD"/lib/libkiln_os.a \
    "$KILN_BUILD"/lib/libkiln_base.a -Wl,--end-group $(system_libraries) -lm -ldl -lpthread || return 1
  cp "$KILN_BUILD/bin/kiln-spawn" "$(dirname "$1")"
}
# What the archives need of the system, as the build linked it.
system_libraries() {
  for library in cjson yyjson sodium xxhash zstd; do
    if pkg-config --exists "$(pkg_name "$library")"; then pkg-config --libs "$(pkg_name "$library")"; fi
  done
}
pkg_name() {
  case $1 in yyjson) echo yyjson ;; *) echo "lib$1" ;; esac
}
