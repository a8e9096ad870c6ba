#!/bin/sh
# Compilers that lie, break and leave things behind: nothing of it becomes an entry.
. "$KILN_SOURCE/tests/proc/store_lib.sh"
stub cc
spec k 601

# refused WHAT TEXT [SETTING…]: the build fails with KILN_ERROR_COMMAND or another clear status, TEXT is said, and no
# entry, build folder or temporary file is left.
number=0
refused() {
  what=$1 text=$2
  shift 2
  number=$((number + 1))
  store "bad$number"
  stub_is "$@"
  forget_compiles
  load k
  equal "$what: refused" error "$(got result)"
  check "$what: the reason" said "$text"
  equal "$what: no entry" 0 "$(entries)"
  equal "$what: no build folder" 0 "$(build_folders)"
  equal "$what: nothing in the temporary folder" "" "$(ls -A "$work/tmp")"
  equal "$what: one compile" 1 "$(compiles)"
}
refused "exit 1 with a whole output" "refused by the test" exit=1
refused "exit 1 with half an output" "refused by the test" exit=1 cut=5000
refused "exit 0 with half an output" "" cut=5000
refused "exit 0 with an empty output" "" cut=1
refused "code for another machine" "machine" machine=183
refused "killed by signal 9" "9" signal=9
refused "a crash of the compiler" "" signal=11

store missing
stub_is
printf '{"name":"k","toolchain":"hostcc","sources":[{"name":"k.c","text":"int value(void) { return 3; }"}],"entry_points":["value","absent"]}' \
  >"$work/specs/absent"
load absent
equal "an entry point that is not there" error "$(got result)"
check "is named" said absent
equal "and no entry is left" 0 "$(entries)"

# A failure is remembered for a short time, by every process, and told with the compiler's own words.
store remembered
stub_is exit=1
forget_compiles
run_herd 16 -- k
equal "16 loaders of a source that fails: one compile" 1 "$(compiles)"
equal "and sixteen errors with the compiler's message" 16 "$(herd_lines 'refused by the test')"
stub_is
spec k2 602
load k2
equal "another key is not concerned" "built 602" "$(got result) $(got value)"

# The real compilers' messages.
for compiler in gcc clang; do
  command -v $compiler >/dev/null 2>&1 || continue
  KILN_CC=$compiler
  store "real-$compiler"
  for case in 'int value(void) { return undeclared_name; }|undeclared_name' '#include "not-there.h"|not-there.h' \
    'int nowhere(void); int value(void) { return nowhere(); }|nowhere' '#error said by the source|said by the source'; do
    jq -cn --arg text "${case%|*}" '{name: "bad", toolchain: "hostcc", sources: [{name: "k.c", text: $text}],
      links: ["-Wl,-z,defs"], entry_points: ["value"]}' >"$work/specs/bad"
    load bad
    equal "$compiler: refused" "error KILN_ERROR_COMMAND" "$(got result) $(got status)"
    check "$compiler: its own message" said "${case#*|}"
    equal "$compiler: on one line" 1 "$(wc -l <"$work/out" | tr -d ' ')"
    check "$compiler: no path of the build folder" sh -c "! grep -q '/build/' '$work/out'"
  done
done
stub cc

# Children of a compiler do not outlive the build.
store child
stub_is "child=$work/children"
load k
equal "a compiler that leaves a child" "built 601" "$(got result) $(got value)"
check "the child is dead" soon all_dead "$work/children" 1

# Side files stay private: what the compiler writes slowly nobody else sees.
store slow
stub_is chunks=10 guard=1
run_herd 8 -- k
check "eight loaders and a slow linker" no_herd_errors
equal "all right" 8 "$(herd_lines '^ok k [a-z]* 601 ')"

# An entry that is valid but does not load is replaced once, not for ever.
store replaced
stub_is
load k
entry=$(entry_files | head -n 1)
chmod u+w "$entry"
for damage in cut flip empty zero; do
  case $damage in
    cut) truncate -s 4000 "$entry" ;;
    flip) printf '\377' | dd of="$entry" bs=1 seek=4200 conv=notrunc 2>/dev/null ;;
    empty) : >"$entry" ;;
    zero) dd if=/dev/zero of="$entry" bs=1000 count=3 conv=notrunc 2>/dev/null ;;
  esac
  forget_compiles
  load k
  equal "damage ($damage): rebuilt" "built 601 1" "$(got result) $(got value) $(compiles)"
  load k
  equal "damage ($damage): then a hit" "hit 601" "$(got result) $(got value)"
  chmod u+w "$entry" || break
done
check "the damaged ones are in quarantine" [ "$(find "$KILN_CACHE_DIR/v1/quarantine" -type f | wc -l)" -ge 1 ]

# Entries that are sound in form and wrong in content: recovered from once, not for ever.
printf 'this is no code\n' >"$work/text.so"
printf 'int other(void);\nint other(void) { return 1; }\n' >"$work/other.c"
"$real_cc" -shared -fPIC -o "$work/other.so" "$work/other.c"
cp "$work/other.so" "$work/machine.so"
printf '\267\000' | dd of="$work/machine.so" bs=1 seek=18 conv=notrunc 2>/dev/null
key=$(got key)
for wrong in text machine other; do
  "$KILN_BUILD/tests/proc.plant" "$key" "$work/$wrong.so" "$work/planted" || fail "cannot plant"
  rm -f "$entry"
  mv "$work/planted" "$entry"
  forget_compiles
  load k
  equal "a sound entry with wrong content ($wrong): rebuilt" "built 601 1" "$(got result) $(got value) $(compiles)"
  load k
  equal "a sound entry with wrong content ($wrong): then a hit" "hit 601" "$(got result) $(got value)"
done

# A program that holds the entry keeps its bytes when it is replaced.
"$loader" --hold "$work/held" "$work/specs/k" >/dev/null 2>&1 &
holder=$!
in_time test -e "$work/held"
before=$(stat -c %i "$entry")
load KILN_CACHE=off k
equal "KILN_CACHE=off builds again" "built 601" "$(got result) $(got value)"
check "a published file is never changed: what is mapped keeps its inode" \
  grep -q " $before " "/proc/$holder/maps"
kill -0 "$holder"
equal "and its process lives" 0 "$?"
kill -KILL "$holder"
wait "$holder" 2>/dev/null

# Without the supervisor it works all the same.
store unsupervised
mkdir "$work/nothing"
cp "$loader" "$work/nothing/loader"
env KILN_LIBEXEC="$work/nothing" "$work/nothing/loader" --log "$work/specs/k" >"$work/out" 2>"$work/err"
equal "no supervisor: built" "built 601" "$(got result) $(got value)"
finish
