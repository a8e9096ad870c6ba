#!/bin/sh
# Who may put code into a store: two users, umasks, planted files, links.
. "$KILN_SOURCE/tests/proc/store_lib.sh"
need_root
need_tool setpriv
one=64001 two=64002
# Programs where every user reaches them: a build folder may lie below a private home.
mkdir "$work/bin"
cp "$loader" "$KILN_BUILD/bin/kiln-spawn" "$KILN_BUILD/tests/proc.kernel.so" "$work/bin"
chmod 755 "$work" "$work/specs" "$work/bin" "$work/bin"/*
loader=$work/bin/${loader##*/} KILN_LIBEXEC=$work/bin
mkdir -m 1777 "$work/all"
spec k 501
stub cc template="$work/bin/proc.kernel.so"
chmod 777 "$work/cc"

# as UID UMASK [VARIABLE=VALUE…]: that user loads k.
as() {
  as_user=$1 as_umask=$2
  shift 2
  (
    umask "$as_umask"
    setpriv --reuid "$as_user" --regid "$as_user" --clear-groups env HOME=/nonexistent TMPDIR=/tmp KILN_BUDGET_DIR="$work/all/budget$as_user" "$@" \
      "$loader" --log "$work/specs/k"
  ) >"$work/out" 2>"$work/err"
}
chmod 666 "$work/cc/log" 2>/dev/null
: >"$compile_log"
chmod 666 "$compile_log"
reset_log() {
  : >"$compile_log"
}

# ---- every umask gives the same private store ----

for mask in 077 022 000 027; do
  store "all/umask$mask"
  as $one "$mask"
  equal "umask $mask: built" "built 501" "$(got result) $(got value)"
  as $one "$mask"
  equal "umask $mask: hit" "hit 501" "$(got result) $(got value)"
  check "umask $mask: nothing is writable by others" [ -z "$(find "$KILN_CACHE_DIR" ! -type l -perm /022)" ]
  equal "umask $mask: folders are private" "" "$(find "$KILN_CACHE_DIR" -type d ! -perm 700)"
  equal "umask $mask: entries are read-only" "" "$(find "$KILN_CACHE_DIR/v1/entries" -type f ! -perm 400)"
done

# ---- a store of somebody else ----

store all/foreign
as $one 022
equal "the first user's store" built "$(got result)"
chmod -R a+rX "$KILN_CACHE_DIR"
reset_log
as $two 022
equal "the second user does not load the first user's code, and works" "built 501" "$(got result) $(got value)"
check "and is told why, with the owner" grep -q "user $one" "$work/err"
equal "once" 1 "$(grep -c "^log 1 .*belongs to user" "$work/err")"
equal "as a layer, too" "built" "$(
  as $two 022 KILN_CACHE_DIR="$work/all/mine" KILN_CACHE_LAYERS="$work/all/foreign"
  got result
)"
check "with the reason" grep -q "user $one" "$work/err"
chown -R root:root "$work/all/foreign"
as $two 022 KILN_CACHE_DIR="$work/all/mine2" KILN_CACHE_LAYERS="$work/all/foreign"
equal "a layer of root is used" "hit 501" "$(got result) $(got value)"

# ---- planted files ----

entry_of() {
  find "$KILN_CACHE_DIR/v1/entries" -type f | head -n 1
}
plant() {
  store "all/$1"
  as $one 022
  equal "$1: built" built "$(got result)"
  entry=$(entry_of)
}
plant entry-of-another
chmod 444 "$entry"
chown $two "$entry"
reset_log
as $one 022
equal "a planted entry of another user is not loaded" "501 1" "$(got value) $(wc -l <"$compile_log")"
check "and the reason is given" grep -q "user $two" "$work/err"

plant entry-writable
chmod 666 "$entry"
reset_log
as $one 022
equal "a world-writable entry is not loaded" "501 1" "$(got value) $(wc -l <"$compile_log")"
check "and the reason is given" grep -qi "writ" "$work/err"

plant folder-writable
chmod 777 "$KILN_CACHE_DIR"
reset_log
as $one 022
equal "a world-writable store is not used" "built 501" "$(got result) $(got value)"
check "and the reason is given" grep -q "everybody" "$work/err"
chmod 775 "$KILN_CACHE_DIR"
as $one 022
equal "nor a group-writable one" "built 501" "$(got result) $(got value)"
chmod 700 "$KILN_CACHE_DIR"
as $one 022
equal "private again: a hit" "hit 501" "$(got result) $(got value)"

plant inner-writable
chmod 777 "$KILN_CACHE_DIR/v1/entries" "${entry%/*}"
reset_log
as $one 022
equal "a folder of the store that everybody may write is not believed" "501" "$(got value)"
check "either it is refused with the reason, or it was made private again" \
  sh -c "grep -qi 'everybody' '$work/err' || [ -z \"\$(find '$KILN_CACHE_DIR' -type d -perm /022)\" ]"

plant entry-link
cp -p "$entry" "$work/all/elsewhere"
chown $two "$work/all/elsewhere"
rm -f "$entry"
ln -s "$work/all/elsewhere" "$entry"
reset_log
as $one 022
equal "a link in place of an entry is not followed" "501 1" "$(got value) $(wc -l <"$compile_log")"

# A good entry under another key must not pass.
plant wrong-key
spec other 502
cp "$work/specs/k" "$work/specs/k.kept" && cp "$work/specs/other" "$work/specs/k"
as $one 022
equal "another key" "built 502" "$(got result) $(got value)"
cp "$work/specs/k.kept" "$work/specs/k"
other=$(find "$KILN_CACHE_DIR/v1/entries" -type f ! -path "$entry" | head -n 1)
cp --remove-destination -p "$other" "$entry"
as $one 022
equal "the entry of another key under this name is a miss" "built 501" "$(got result) $(got value)"
check "and it is in quarantine" [ -n "$(find "$KILN_CACHE_DIR/v1/quarantine" -type f)" ]

# ---- links on the way to the store ----

store all/real
as $one 022
ln -s "$work/all/real" "$work/all/linked"
reset_log
as $one 022 KILN_CACHE_DIR="$work/all/linked"
equal "a link to the user's own store" "hit 501" "$(got result) $(got value)"
mkdir "$work/all/two" && chown $two "$work/all/two"
ln -s "$work/all/two" "$work/all/to-foreign"
as $one 022 KILN_CACHE_DIR="$work/all/to-foreign"
equal "a link to a folder of another user works without it" "built 501" "$(got result) $(got value)"
check "and the reason is given" grep -q "user $two" "$work/err"
equal "nothing was written there" "" "$(ls -A "$work/all/two")"

# ---- a store that cannot be written ----

store all/readonly
as $one 022
chmod -R a-w "$KILN_CACHE_DIR"
reset_log
as $one 022
equal "a store without write permission: a hit" "hit 501 0" "$(got result) $(got value) $(wc -l <"$compile_log")"
check "without a word" [ ! -s "$work/err" ]
cp "$work/specs/other" "$work/specs/k"
as $one 022
equal "and a miss builds elsewhere" "built 502" "$(got result) $(got value)"
equal "with one warning" 1 "$(grep -c '^log 1' "$work/err")"
as $one 022 KILN_CACHE_DIR=/proc/nowhere
equal "a place that cannot exist" "built 502" "$(got result) $(got value)"
as $one 022 KILN_CACHE_DIR= XDG_CACHE_HOME= HOME=
equal "no home at all" "built 502" "$(got result) $(got value)"
finish
