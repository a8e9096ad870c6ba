#!/bin/sh
# Every header compiles alone: the public ones as strict C11 and as C++17, the internal ones as C11.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
cd "$KILN_SOURCE" || exit 1
strict='-Wall -Wextra -Wpedantic -Werror -fsyntax-only'

# A function may bear the name of a struct, as stat() does; g++ -Wshadow calls that hiding, so it is not asked for here.
# compiles COMPILER LANGUAGE STANDARD HEADER
compiles() {
  # shellcheck disable=SC2086,SC2317 # a list of options; called through check
  printf '#include "%s"\n' "$4" | "$1" -x "$2" -std="$3" $strict -Iinclude -Isrc -I. -
}
cc=$(command -v cc || command -v gcc || command -v clang) || skip "no C compiler"
cxx=$(command -v c++ || command -v g++ || command -v clang++) || cxx=''

for header in $(cd include && find kiln -name '*.h' | sort); do
  check "$header as C11" compiles "$cc" c c11 "$header"
  [ -z "$cxx" ] || check "$header as C++17" compiles "$cxx" c++ c++17 "$header"
done
for header in $(cd src && find . -name '*.h' | sed 's#^\./##' | sort) $(find agents -name '*.h' | sort); do
  check "$header as C11" compiles "$cc" c c11 "$header"
done
[ -n "$cxx" ] || skip "C11 holds; there is no C++ compiler for the rest (./dev setup)"
finish
