#!/bin/sh
# What changes the output is a miss, what does not is a hit; nothing else.
. "$KILN_SOURCE/tests/proc/store_lib.sh"
need_tool jq tar
stub cc template=
store keys

# The tree of a program: a source with headers of two levels, one of them reached only through the other.
mkdir -p "$work/app/src" "$work/app/include/deep" "$work/app/other"
cat >"$work/app/src/k.c" <<'END'
#include <first.h>
int value(void);
int value(void) { return NUMBER; }
END
printf '#include <deep/second.h>\n' >"$work/app/include/first.h"
printf '#define NUMBER 11\n' >"$work/app/include/deep/second.h"
printf '#define UNUSED 1\n' >"$work/app/include/unrelated.h"

# spec_of FOLDER [JQ-FILTER]: the spec of that tree in $work/specs/app, changed by the filter.
spec_of() {
  printf '{"name":"app","toolchain":"hostcc","sources":[{"path":"%s/src/k.c"}],"flags":["-O1"],"defines":["SCALE=1"],"includes":["%s/include"],"links":[],"entry_points":["value"]}' \
    "$1" "$1" | jq -c "${2:-.}" >"$work/specs/app"
}
# expect hit|built WHAT [VARIABLE=VALUE…]: load the spec and compare; a hit compiles nothing.
expect() {
  expected=$1 expect_what=$2
  shift 2
  forget_compiles
  load "$@" app || sed 's/^/   /' "$work/out"
  if [ "$expected" = hit ]; then number=0; else number=$(jq '.sources | length' "$work/specs/app"); fi
  equal "$expect_what: $expected" "$expected $number" "$(got result) $(compiles)"
}
app=$work/app
spec_of "$app"
expect built "cold"
expect hit "warm"
first=$(got key)

# ---- inputs ----

spec_of "$app" '.flags = ["-O2"]'
expect built "a flag"
check "another key" [ "$(got key)" != "$first" ]
spec_of "$app" '.flags = ["-O1", "-fno-math-errno"]'
expect built "one flag more"
spec_of "$app" '.flags = ["-O1", "-fwrapv", "-fno-math-errno"]'
expect built "two flags more"
spec_of "$app" '.flags = ["-O1", "-fno-math-errno", "-fwrapv"]'
expect built "the order of flags"
spec_of "$app" '.defines = ["SCALE=2"]'
expect built "the value of a define"
spec_of "$app" '.defines = []'
expect built "no define"
spec_of "$app" '.flags = ["-O1", "-DSCALE=1"] | .defines = []'
expect built "a define given as a flag is another command"
spec_of "$app" '.links = ["-lm"]'
expect built "a link flag"
spec_of "$app" '.archs = ["native"]'
load app
equal "the default architecture, said aloud, is the same or its own entry" "11" "$(got value)"
spec_of "$app" '.sources += [{"name": "more.c", "text": "int more(void); int more(void) { return 2; }"}]'
expect built "a source more"
spec_of "$app" '.sources += [{"name": "more.c", "text": "int more(void); int more(void) { return 3; }"}]'
expect built "the text of a source"
spec_of "$app" '.sources += [{"name": "more.c", "text": "int more(void); int more(void) { return 3; }"}] | .entry_points += ["more"]'
expect built "an entry point more"
spec_of "$app"
expect hit "back to the first"
cp "$app/src/k.c" "$work/kept"
printf '/* a comment */\n' >>"$app/src/k.c"
expect built "content of the source"
cp "$work/kept" "$app/src/k.c"
expect hit "content of the source, restored"
equal "and it is the first key" "$first" "$(got key)"
printf '#define NUMBER 12\n' >"$app/include/deep/second.h"
expect built "a header behind a header"
equal "with the new number" 12 "$(got value)"
printf '#define NUMBER 11\n' >"$app/include/deep/second.h"
expect hit "that header restored"
equal "with the old number" 11 "$(got value)"
printf '#define UNUSED 2\n' >"$app/include/unrelated.h"
expect hit "a header that nobody reads"
printf '#include <deep/second.h>\n#define MORE\n' >"$app/include/first.h"
expect built "the header in the middle"
printf '#include <deep/second.h>\n' >"$app/include/first.h"
mkdir "$app/before"
printf '#define NUMBER 99\n#include_next <first.h>\n' >"$app/before/first.h"
spec_of "$app" '.includes = ["'"$app"'/before"] + .includes'
expect built "an include folder in front"
spec_of "$app"
expect hit "and away again"
expect built "KILN_EXTRA_FLAGS" KILN_EXTRA_FLAGS="-funroll-loops"
cat >"$work/launcher" <<'END'
#!/bin/sh
exec "$@"
END
chmod 755 "$work/launcher"
expect built "KILN_LAUNCHER" KILN_LAUNCHER="$work/launcher"
expect built "KILN_DEBUG" KILN_DEBUG="1"
expect hit "without all that"

# A header that appears in front of the one that was found. The compiler would take it, so it must be a miss.
mkdir "$app/front"
spec_of "$app" '.includes = ["'"$app"'/front"] + .includes'
expect built "an empty folder in front"
printf '#include <deep/second.h>\n#undef NUMBER\n#define NUMBER 55\n' >"$app/front/first.h"
load app
equal "a header that appears in front of the recorded one is noticed" 55 "$(got value)"
rm -r "$app/front"
spec_of "$app"

# The same in front of a header of the system.
spec_of "$app" '.sources = [{"name": "k.c", "text": "#include <stdlib.h>\n#ifndef NUMBER\n#define NUMBER 21\n#endif\nint value(void);\nint value(void) { return NUMBER; }"}]'
expect built "a system header"
expect hit "a system header again"
printf '#define NUMBER 22\n' >"$app/include/stdlib.h"
expect built "a header in front of one of the system"
equal "is the one that counts" 22 "$(got value)"
rm "$app/include/stdlib.h"
load app
equal "and away again" 21 "$(got value)"

# A clock that is wrong must not keep a build from being stored.
spec_of "$app" '.defines = ["FUTURE"]'
touch -d '2031-01-01' "$app/include/first.h"
expect built "a header of the future"
expect hit "a header of the future again"
spec_of "$app"

# Toolchains: another compiler, the same one changed, and the first again.
stub other template=
printf 'x' >>"$work/other/cc"
expect built "another compiler"
stub cc template=
expect hit "the first compiler again"
if command -v clang >/dev/null 2>&1; then
  KILN_CC=clang
  load app
  equal "clang" "built 11" "$(got result) $(got value)"
  load app
  equal "clang again" "hit 11" "$(got result) $(got value)"
  KILN_CC=$work/cc/cc
fi

# Variables that change what a compiler does are kept from it, so they need no key.
for setting in CPATH="$app/before" C_INCLUDE_PATH="$app/before" GCC_EXEC_PREFIX=/nonexistent/ COMPILER_PATH=/nonexistent \
  LIBRARY_PATH=/nonexistent LD_PRELOAD= SOURCE_DATE_EPOCH=1 CFLAGS=-O0 NVCC_APPEND_FLAGS=-x; do
  forget_compiles
  env "$setting" "$loader" "$work/specs/app" >"$work/out" 2>"$work/err"
  equal "${setting%%=*} is no input: hit" "hit 11 0" "$(got result) $(got value) $(compiles)"
done
spec_of "$app" '.flags = ["-O1", "-fno-ident"]'
load CPATH="$app/before" app
equal "CPATH does not reach the compiler" "built 11" "$(got result) $(got value)"

# ---- what is no input ----

spec_of "$app"
find "$app" -exec touch -d '2001-01-01' {} +
expect hit "times of all files"
touch -d '2031-01-01' "$app/src/k.c" "$app/include/first.h"
expect hit "times in the future"
cp "$app/src/k.c" "$work/kept" && cp "$work/kept" "$app/src/copy.c" && mv "$app/src/copy.c" "$app/src/k.c"
expect hit "another inode"
spec_of "$app" '.name = "another-name"'
expect hit "the name of the spec"
cp -r "$app" "$work/app moved"
spec_of "$work/app moved"
expect hit "the program at another place"
mkdir "$work/link" && ln -s "$app" "$work/link/app"
spec_of "$work/link/app"
expect hit "the program through a link"
spec_of "$app/../app/./"
expect hit "another spelling of its place"
spec_of "$app"
for setting in HOME=/nonexistent HOME="$work" USER=nobody LANG=de_DE.UTF-8 LC_ALL=C.UTF-8 TERM=dumb XDG_CACHE_HOME="$work" \
  TMPDIR=/tmp; do
  expect hit "$setting" "$setting"
done
forget_compiles
# shellcheck disable=SC2046 # variables without blanks
env -i $(env | grep '^KILN_' | sort -r) B=1 A=2 PATH="$PATH" "$loader" "$work/specs/app" >"$work/out" 2>"$work/err"
equal "order of the environment: hit" "hit 0" "$(got result) $(compiles)"
(cd / && "$loader" "$work/specs/app") >"$work/out" 2>"$work/err"
equal "the working folder: hit" "hit 0" "$(got result) $(compiles)"
(umask 077 && load app)
equal "umask: hit" "hit 0" "$(got result) $(compiles)"

ln -s "$work/cc/cc" "$work/link/cc"
expect hit "the compiler through a link" KILN_CC="$work/link/cc"
expect hit "another spelling of the compiler" KILN_CC="$work/link/../cc/./cc"
expect hit "the compiler by name from PATH" KILN_CC=cc PATH="$work/cc:$PATH"
touch "$work/cc/cc"
expect hit "the compiler's time"
cp -r "$work/cc" "$work/cc copy"
expect hit "the toolkit at another place" KILN_CC="$work/cc copy/cc"

# A stored cache is a cache, however it travelled.
cp -r "$work/keys" "$work/copied"
store copied
expect hit "the store after cp -r"
(cd "$work" && tar cf keys.tar keys && mkdir unpacked && cd unpacked && tar xf ../keys.tar)
store unpacked/keys
expect hit "the store after tar"
mv "$work/copied" "$work/elsewhere"
store elsewhere
expect hit "the store after mv"
ln -s "$work/elsewhere" "$work/link/store"
store link/store
expect hit "the store through a link"
store new
expect hit "the store as a read-only layer of another" KILN_CACHE_LAYERS="$work/keys"
mkdir "$work/bin" && cp "$loader" "$work/bin/loader"
store keys
forget_compiles
"$work/bin/loader" "$work/specs/app" >"$work/out" 2>"$work/err"
equal "the program of the user at another place: hit" "hit 0" "$(got result) $(compiles)"

# ---- reuse off, strange names ----

expect built "KILN_CACHE=off" KILN_CACHE="off"
# The dollar stands for itself.
# shellcheck disable=SC2016
for strange in 'with blank' 'quote"s' "apo'strophe" 'dollar$HOME' 'colon:hash#' 'ünïcode' 'back\slash' 'percent%s' 'new
line'; do
  mkdir -p "$work/$strange"
  cp -r "$app/." "$work/$strange"
  jq -cn --arg folder "$work/$strange" '{name: "strange", toolchain: "hostcc", sources: [{path: ($folder + "/src/k.c")}],
    flags: ["-O1"], defines: ["SCALE=1"], includes: [$folder + "/include"], entry_points: ["value"]}' >"$work/specs/app"
  mkdir "$work/$strange/tmp"
  forget_compiles
  KILN_CACHE_DIR="$work/$strange/store" TMPDIR="$work/$strange/tmp" "$loader" "$work/specs/app" >"$work/out" 2>"$work/err" ||
    cat "$work/out"
  equal "built in '$strange'" "built 11" "$(got result) $(got value)"
  KILN_CACHE_DIR="$work/$strange/store" "$loader" "$work/specs/app" >"$work/out" 2>"$work/err"
  equal "hit in '$strange'" "hit 11" "$(got result) $(got value)"
  equal "another key than elsewhere would be a false miss: '$strange'" "$first" "$(got key)"
done
check "nothing was written beside the sources" [ "$(ls -A "$app/src")" = k.c ]
check "nor into the home" [ -z "$(ls -A "$work/home")" ]
finish
