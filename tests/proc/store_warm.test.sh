#!/bin/sh
# shellcheck disable=SC2317 # functions are called by check and by lib.sh
# A warm start nobody notices: what the program asks of the system on a hit, and what it can do without.
. "$KILN_SOURCE/tests/proc/store_lib.sh"
need_plain
need_tool strace
mkdir "$work/sources" "$work/sources/include"
printf '#include "number.h"\nint value(void);\nint value(void) { return NUMBER; }\n' >"$work/sources/k.c"
printf '#define NUMBER 4321\n' >"$work/sources/include/number.h"
# The time of a file that was just written says nothing and is not recorded; the first hit after its moment records it.
# That write is not what is looked at here, and a fast machine is done within the moment.
touch -d '1 hour ago' "$work/sources/k.c" "$work/sources/include/number.h"
printf '{"name":"files","toolchain":"hostcc","sources":[{"path":"%s/sources/k.c"}],"includes":["%s/sources/include"],"entry_points":["value"]}\n' \
  "$work" "$work" >"$work/specs/files"
spec text 4322
stub cc template=
store warm
load files || fail "the cold load: $(cat "$work/out")"
equal "cold" "built 4321" "$(got result) $(got value)"
load text
equal "cold, a source as text" "built 4322" "$(got result) $(got value)"

trace() {
  strace -f -o "$work/trace" -s 300 "$loader" "$work/specs/files" "$work/specs/text" >"$work/out" 2>"$work/err"
}
trace || skip "strace does not work here"
equal "a hit today" "ok hit ok hit" "$(awk '{ printf "%s%s %s", (NR > 1 ? " " : ""), $1, $3 }' "$work/out")"
# Only what comes after the start of the program counts: the first execve is that.
grep -v 'resumed>' "$work/trace" | sed 's/^[0-9]* *//' | sed 1d >"$work/calls"
none() {
  grep -E "$1" "$work/calls" >"$work/found"
  sed 's/^/   /' "$work/found" | head -n 5
  [ ! -s "$work/found" ]
}
check "no lock" none '^(flock|fcntl\([^)]*(F_SETLK|F_OFD_SETLK|F_SETLKW))'
check "no program is started" none '^(execve|execveat|fork|vfork|clone|clone3)\('
check "no name is made or removed" none '^(rename|renameat|renameat2|link|linkat|unlink|unlinkat|rmdir|mkdir|mkdirat|symlink|symlinkat|mknod)\('
check "nothing is changed" none '^(chmod|fchmod|fchmodat|utimensat|truncate|ftruncate|fsync|fdatasync|fallocate|chown|fchown)\('
check "no file is opened for writing" none '^(open|openat|creat)\(.*O_(WRONLY|RDWR|CREAT|TRUNC)'
check "nothing is written but the result" none '^(write|pwrite64|writev)\([^1]'
check "no socket, no wait" none '^(socket|connect|wait4|waitid|nanosleep|clock_nanosleep)\('

# Every path that is named belongs to the store, the loader, the recorded dependencies or the toolchain.
grep -oE '^[a-z0-9_]+\((AT_FDCWD, |[0-9]+, )?"[^"]*"' "$work/calls" | grep -Ev '^(getrandom|read|pread64|write|prctl)\(' |
  sed 's/(.*"\([^"]*\)"$/ \1/' | sort -u >"$work/paths"
grep -v \
  -e " $KILN_CACHE_DIR" -e " $work/specs/" -e " $work/sources/k.c$" -e " $work/sources/include/number.h$" \
  -e ' /usr/include/stdc-predef.h$' -e ' /etc/ld.so' -e ' /lib/' -e ' /lib64/' -e ' /usr/lib/' -e ' /proc/self/fd' -e ' v1/' -e ' $' \
  "$work/paths" >"$work/others"
allowed() {
  while read -r call path; do
    case $call in
      stat | lstat | newfstatat | statx | readlink | access | faccessat | faccessat2 | statfs)
        # parents of the above, the compiler's programs and what stands for them
        case $path in
          "$KILN_CC" | "$work" | "$work/"* | /usr/bin/* | /usr/libexec/* | /usr | /bin/* | / | /tmp | "${work%/*}"*) continue ;;
        esac
        ;;
    esac
    printf '   %s %s\n' "$call" "$path"
    return 1
  done <"$work/others"
}
check "no access outside store, loader, dependencies, and stat of the toolchain" allowed
grep -cE '^[a-z]' "$work/calls" | sed 's/^/   system calls of the traced hits: /'

# ---- without a compiler, on a read-only root ----

forget_compiles
mv "$work/cc" "$work/cc.away"
equal "no compiler: still a hit" 0 "$(
  load files text
  echo $?
)"
equal "with the right result" "hit 4321" "$(got result) $(got value)"
KILN_CC='' 
unset KILN_CC
PATH=/nonexistent "$loader" "$work/specs/files" >"$work/out" 2>"$work/err"
equal "no compiler on PATH: a hit" "hit 4321" "$(got result) $(got value)"
KILN_JIT=off "$loader" "$work/specs/files" >"$work/out" 2>"$work/err"
equal "KILN_JIT=off: a hit" "hit 4321" "$(got result) $(got value)"
spec unknown 1
PATH=/nonexistent "$loader" "$work/specs/unknown" >"$work/out" 2>"$work/err"
equal "no compiler and no entry is an error" "error" "$(got result)"
check "which says where it looked" said /nonexistent
KILN_JIT=off "$loader" "$work/specs/unknown" >"$work/out" 2>"$work/err"
equal "KILN_JIT=off refuses to compile" "error KILN_ERROR_NOT_FOUND" "$(got result) $(got status)"
mv "$work/cc.away" "$work/cc"
KILN_CC=$work/cc/cc
export KILN_CC
equal "nothing was compiled" 0 "$(compiles)"

if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
  cat >"$work/readonly.sh" <<'END'
mount --make-rprivate / && mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && mount -o remount,bind,ro / || exit 9
shift
PATH=/nonexistent exec "$@"
END
  env -u KILN_CC unshare -m /bin/sh "$work/readonly.sh" "$work" "$loader" --log "$work/specs/files" >"$KILN_BUILD/ro.$$" 2>&1
  grep '^ok' "$KILN_BUILD/ro.$$" >"$work/out"
  grep -v '^ok' "$KILN_BUILD/ro.$$" >"$work/err"
  rm -f "$KILN_BUILD/ro.$$"
  equal "read-only root, no compiler: a hit" "hit 4321" "$(got result) $(got value)"
  check "without a word" [ ! -s "$work/err" ]
  # A store that was built elsewhere: neither the compiler nor its headers came along.
  printf '#include <math.h>\nint value(void) { return (int)sqrt(1764.0); }\n' >"$work/root.c"
  jq -cn --arg path "$work/root.c" '{name: "root", toolchain: "hostcc", sources: [{path: $path}], links: ["-lm"],
    entry_points: ["value"]}' >"$work/specs/root"
  env -u KILN_CC "$loader" "$work/specs/root" >"$work/out" 2>"$work/err"
  equal "with a real compiler: built" "built 42" "$(got result) $(got value)"
  env -u KILN_CC unshare -m /bin/sh -c 'mount --make-rprivate / && mount -t tmpfs tmpfs /usr/include || exit 9
    PATH=/nonexistent exec "$@"' sh "$loader" "$work/specs/root" >"$work/out" 2>"$work/err"
  equal "no compiler, and no headers: a hit" "hit 42" "$(got result) $(got value)"
  env -u KILN_CC unshare -m /bin/sh -c 'mount --make-rprivate / && mount -t tmpfs tmpfs /usr/include &&
    echo "another system" >/usr/include/math.h || exit 9
    PATH=/nonexistent exec "$@"' sh "$loader" "$work/specs/root" >"$work/out" 2>"$work/err"
  equal "no compiler, and headers of another system: a hit" "hit 42" "$(got result) $(got value)"
  # A miss on a read-only store builds somewhere else and works.
  sed -i 's|^PATH=/nonexistent exec|mount -t tmpfs tmpfs /tmp/. 2>/dev/null; exec|' "$work/readonly.sh"
else
  echo "   (the read-only root needs root and mount namespaces: not tried)"
fi

if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null 2>&1; then
  echo "   (permissions are tested by store_owner)"
else
  chmod -R a-w "$KILN_CACHE_DIR"
  load files
  equal "a store without write permission: a hit" "hit 4321" "$(got result) $(got value)"
  chmod -R u+w "$KILN_CACHE_DIR"
fi
finish
