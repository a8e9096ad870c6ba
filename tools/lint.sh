#!/bin/sh
# lint.sh format|tidy|shell [FILE…]: check tracked files, or the given ones. ./dev lint and the git hook call it.
# shellcheck disable=SC2046 # file names of this project have no spaces
set -u
cd "$(dirname "$0")/.." || exit 1
what=${1:-}
[ "$#" -gt 0 ] && shift

# Debian's name first, so that everybody formats with the same version.
find_tool() {
  for candidate in "$1-14" "$1"; do
    command -v "$candidate" && return 0
  done
  printf "lint: '%s' is not installed; ./dev lint installs it\n" "$1-14" >&2
  return 1
}

tracked() {
  git ls-files -- "$@"
}

format() {
  tool=$(find_tool clang-format) || return 1
  # Headers of ops are written by `kiln op check --update`, which holds them letter by letter.
  [ "$#" -gt 0 ] || set -- $(tracked '*.c' '*.h' ':!include/kiln/ops/*.h')
  [ "$#" -eq 0 ] || "$tool" --dry-run -Werror "$@"
}

# One file a run: clang-tidy 14 takes every va_list of a second file for uninitialised.
tidy() {
  tool=$(find_tool clang-tidy) || return 1
  [ -f build/dev/compile_commands.json ] || {
    echo "lint: build/dev/compile_commands.json is missing; run ./dev build" >&2
    return 1
  }
  [ "$#" -gt 0 ] || set -- $(tracked 'src/*.c' ':!src/op/template/cpu.c' 'cli/*.c' 'libexec/*.c' 'agents/*.c')
  [ "$#" -eq 0 ] || printf '%s\n' "$@" | xargs -P "$(nproc 2>/dev/null || echo 2)" -n 1 "$tool" --quiet -p build/dev
}

shell() {
  tool=$(command -v shellcheck) || {
    echo "lint: shellcheck is not installed; shell scripts were not checked"
    return 0
  }
  [ "$#" -gt 0 ] || set -- dev .ci/run tools/hooks/pre-commit $(tracked '*.sh')
  "$tool" -s sh -x -e SC1091 "$@"
}

case $what in
format | tidy | shell) "$what" "$@" ;;
*)
  printf "lint: '%s' is not a check; there are format, tidy and shell\n" "$what" >&2
  exit 2
  ;;
esac
