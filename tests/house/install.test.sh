#!/bin/sh
# An installed kiln finds its parts beside itself, wherever it was installed to; nothing of the build tree is needed.
# A program is built against the installed tree only: by pkg-config, shared and static, and by CMake.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool cmake jq cc pkg-config
need_kiln
unset KILN_PRELOAD KILN_LIBEXEC

equal "install" 0 "$(status_of cmake --install "$KILN_BUILD" --prefix "$work/first")"
mv "$work/first" "$work/moved"
installed=$work/moved/bin/kiln
equal "version" "$("$kiln" version | head -n 1)" "$("$installed" version | head -n 1)"
equal "measure" 0 "$(status_of "$installed" measure --warmup 0 --samples 1 -o "$work/report.json" -- true)"
equal "one valid sample" true "$(json "$work/report.json" '.arms[0].samples[0].valid')"

library=$(find "$work/moved" -name libkiln.so)
folder=$(dirname "$library")
check "every public header is there" test "$(ls "$work/moved/include/kiln")" = "$(ls "$KILN_SOURCE/include/kiln")"
check "the library is a link to the file of this version" test "$(basename "$(readlink -f "$library")")" = "libkiln.so.$(cat "$KILN_SOURCE/VERSION")"

if grep -q '^KILN_SANITIZE:[A-Z]*=..*' "$KILN_BUILD/CMakeCache.txt"; then
  printf '   instrumented: it names its sources, and programs that embed it are not tried\n'
  finish
fi
# no_build_path FILE…: none names the checkout or the build folder.
# shellcheck disable=SC2317 # called through check
no_build_path() {
  ! grep -qF -e "$KILN_SOURCE/" -e "$KILN_BUILD/" "$@"
}
# shellcheck disable=SC2046 # names without spaces
check "no path of the build tree is in programs, library and package files" no_build_path "$installed" \
  "$work/moved/libexec/kiln/kiln-spawn" "$library" $(find "$folder" -name '*.pc' -o -name '*.cmake')

# ---- a program of its own ----

cp -r "$KILN_SOURCE/examples/embed" "$work/embed" # away from the checkout
check "the example has at most 40 lines" test "$(wc -l <"$work/embed/embed.c")" -le 40
cd "$work/embed" || exit 1
PKG_CONFIG_PATH=$folder/pkgconfig
export PKG_CONFIG_PATH
equal "pkg-config knows the version" "$(cat "$KILN_SOURCE/VERSION")" "$(pkg-config --modversion kiln)"
# shellcheck disable=SC2046 # words are meant to be split
{
  equal "by pkg-config" 0 "$(status_of cc -std=c11 -Wall -Wextra -Wpedantic -Werror -o "$work/by-pc" embed.c \
    $(pkg-config --cflags --libs kiln))"
  equal "by pkg-config, static" 0 "$(status_of cc -o "$work/by-pc-static" embed.c $(pkg-config --cflags --libs kiln-static))"
}
equal "by make" 0 "$(status_of make -s CC=cc)"
equal "by CMake: configure" 0 "$(status_of env -u PKG_CONFIG_PATH cmake -S . -B "$work/cmake" "-DCMAKE_PREFIX_PATH=$work/moved")"
equal "by CMake: build" 0 "$(status_of cmake --build "$work/cmake")"
# shellcheck disable=SC2016 # expanded by the inner shell
check "the static program does not need the library" sh -c '! ldd "$1" | grep libkiln' sh "$work/by-pc-static"

# runs PROGRAM NAME: builds, then hits, in a store of its own.
runs() {
  KILN_CACHE_DIR=$work/store-$2
  export KILN_CACHE_DIR
  equal "$2: the first run builds" "built: 2 4 6 8" "$("$1")"
  equal "$2: the second one hits" "hit: 2 4 6 8" "$("$1")"
}
LD_LIBRARY_PATH=$folder runs "$work/by-pc" shared
runs "$work/by-pc-static" static
runs "$work/cmake/embed" cmake-shared
runs "$work/cmake/embed-static" cmake-static
runs "$work/embed/embed" make

KILN_CACHE_DIR=$work/store-ahead
equal "ahead of time: the first run" "ahead: 1 built, 0 hit, 0 failed/used: generic/ahead: 1 built, 0 hit, 0 failed/used: tuned/late: KILN_ERROR_LATE/counted: 1/" \
  "$("$work/cmake/ahead" | sed 's/ahead: 0 built, 1 hit, 0 failed/ahead: 1 built, 0 hit, 0 failed/' | tr '\n' '/')"
equal "ahead of time: the second one" "ahead: 0 built, 1 hit, 0 failed/used: tuned/ahead: 0 built, 1 hit, 0 failed/used: tuned/late: KILN_ERROR_LATE/counted: 1/" \
  "$("$work/cmake/ahead" | tr '\n' '/')"

# The prefix may move: the store is found again, and so are kiln's own parts.
mv "$work/moved" "$work/elsewhere"
folder=$work/elsewhere${folder#"$work/moved"}
KILN_CACHE_DIR=$work/store-shared
equal "moved: a hit" "hit: 2 4 6 8" "$(LD_LIBRARY_PATH=$folder "$work/by-pc")"
KILN_CACHE_DIR=$work/store-moved
equal "moved: a build" "built: 2 4 6 8" "$(LD_LIBRARY_PATH=$folder "$work/by-pc")"
PKG_CONFIG_PATH=$folder/pkgconfig
# shellcheck disable=SC2046
equal "moved: pkg-config follows" 0 "$(status_of cc -o "$work/again" embed.c $(pkg-config --cflags --libs kiln))"
equal "moved: CMake follows" 0 "$(status_of env -u PKG_CONFIG_PATH cmake -S . -B "$work/cmake2" "-DCMAKE_PREFIX_PATH=$work/elsewhere")"
equal "and builds" 0 "$(status_of cmake --build "$work/cmake2")"
equal "the installed kiln sees the entry" scale "$("$work/elsewhere/bin/kiln" cache ls --cache "$work/store-shared" --json | jq -r '.[0].name')"
finish
